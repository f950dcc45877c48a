package model

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/interp"
)

// curve is a measured service curve: latency and time-out probability against the
// load, monotone cubics that keep their end values outside the measured range.
type curve struct {
	latency, timeout spline
	rises            bool // neither falls with the load
}

type spline struct {
	fit    interp.FritschButland
	lo, hi float64 // measured range
	at0    float64
	at1    float64
}

func newCurve(t *CurveTable) (*curve, error) {
	if len(t.Load) < 2 {
		return nil, fmt.Errorf("service_curve: %d points, need at least 2", len(t.Load))
	}
	for i := 1; i < len(t.Load); i++ {
		if t.Load[i] <= t.Load[i-1] {
			return nil, fmt.Errorf("service_curve: load %g after %g, need increasing loads", t.Load[i], t.Load[i-1])
		}
	}
	c := &curve{rises: slices.IsSorted(t.Latency) && slices.IsSorted(t.Timeout)}
	if err := c.latency.set(t.Load, t.Latency); err != nil {
		return nil, err
	}
	return c, c.timeout.set(t.Load, t.Timeout)
}

func (s *spline) set(x, y []float64) error {
	if err := s.fit.Fit(x, y); err != nil {
		return fmt.Errorf("service_curve: %w", err)
	}
	s.lo, s.hi, s.at0, s.at1 = x[0], x[len(x)-1], y[0], y[len(y)-1]
	return nil
}

// at returns the value and the slope at x.
func (s *spline) at(x float64) (v, slope float64) {
	switch {
	case x <= s.lo:
		return s.at0, 0
	case x >= s.hi:
		return s.at1, 0
	}
	return s.fit.Predict(x), s.fit.PredictDerivative(x)
}

// A CurveEnd is where what was measured of a pool ends.
type CurveEnd struct {
	Pool     string
	Load     float64 // the last one of its service curve, work/s per shard
	Capacity float64 // of a shard, work/s, in force
}

// CurveEnds returns the ends of the measured service curves, of the pools that have one, at t
// (s) by what is in force now. Beyond them latency and time-outs keep their last values.
func (s *System) CurveEnds(t float64) (ends []CurveEnd) {
	for i, p := range s.now.par.pool {
		if p.curve != nil {
			mu, _ := s.server(i, t)
			ends = append(ends, CurveEnd{s.pools[i], p.curve.latency.hi, mu})
		}
	}
	return ends
}

// Exceeded says that a pool was asked load (work/s per shard, by asks), more than was measured.
func (e CurveEnd) Exceeded(asks string, load float64) error {
	return fmt.Errorf("pool %s: its measured curve ends at %.5g/s; what happens beyond is not known (%s %.5g/s)", e.Pool, e.Load, asks, load)
}
