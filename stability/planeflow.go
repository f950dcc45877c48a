package stability

import (
	"errors"
	"math"

	"github.com/metastable/metastable/internal/ode"
)

// A planeFlow is a plane as a problem for the integrator, forward or, with sign -1,
// back in time.
type planeFlow struct {
	*Plane
	sign  float64
	jac   [4]float64
	shift float64
}

var _ ode.Problem = (*planeFlow)(nil)

// Dim implements ode.Problem.
func (f *planeFlow) Dim() int { return 2 }

// Eval implements ode.Problem.
func (f *planeFlow) Eval(dst []float64, _ float64, q []float64) {
	r := f.Rate([2]float64{q[0], q[1]})
	dst[0], dst[1] = f.sign*r[0], f.sign*r[1]
}

// Linearize implements ode.Problem.
func (f *planeFlow) Linearize(dfdt []float64, _ float64, q []float64) {
	clear(dfdt)
	f.jac = f.Plane.slopes([2]float64{q[0], q[1]})
	for i := range f.jac {
		f.jac[i] *= f.sign
	}
}

// slopes returns the derivatives of the rates by differences, row-major.
func (p *Plane) slopes(q [2]float64) (jac [4]float64) {
	const step = 1e-6 // of the range
	for j := range q {
		a, b := q, q
		a[j], b[j] = a[j]-step*(p.Hi[j]-p.Lo[j]), b[j]+step*(p.Hi[j]-p.Lo[j])
		low, high := p.Rate(a), p.Rate(b)
		for i := range q {
			jac[2*i+j] = (high[i] - low[i]) / (b[j] - a[j])
		}
	}
	return jac
}

// Factor implements ode.Problem.
func (f *planeFlow) Factor(shift float64) error {
	f.shift = shift
	if d := f.det(); d == 0 || math.IsNaN(d) {
		return errors.New("singular")
	}
	return nil
}

func (f *planeFlow) det() float64 {
	return (f.shift-f.jac[0])*(f.shift-f.jac[3]) - f.jac[1]*f.jac[2]
}

// Solve implements ode.Problem.
func (f *planeFlow) Solve(b []float64) {
	d := f.det()
	b[0], b[1] = ((f.shift-f.jac[3])*b[0]+f.jac[1]*b[1])/d, (f.jac[2]*b[0]+(f.shift-f.jac[0])*b[1])/d
}

// A Track is a curve of a plane in the order of time.
type Track struct{ X, Y []float64 }

func (t *Track) add(q []float64) {
	t.X, t.Y = append(t.X, q[0]), append(t.Y, q[1])
}

// follow integrates from a point until it is close to one of the stable states, leaves
// the plane, or for long.
func (p *Plane) follow(q [2]float64, sign float64, states []PlaneState, set *Settings) (*Track, error) {
	const rtol = 1e-4
	t := &Track{}
	t.add(q[:])
	s := &ode.Settings{
		RTol: rtol, MaxSteps: 2000, Done: set.done(),
		ATols: []float64{rtol / 10 * (p.Hi[0] - p.Lo[0]), rtol / 10 * (p.Hi[1] - p.Lo[1])},
		Step: func(i *ode.Interpolant) {
			y := make([]float64, 2)
			const parts = 4 // of a step, which may be long
			for k := 1.0; k <= parts; k++ {
				i.At(y, i.T0+(i.T1-i.T0)*k/parts)
				t.add(y)
			}
		},
		Events: []ode.Event{{Terminal: true, Value: func(_ float64, y []float64) float64 { return p.inside(y) }}},
	}
	for _, to := range states {
		if to.Stable {
			s.Events = append(s.Events, ode.Event{Terminal: true, Value: func(_ float64, y []float64) float64 { return p.apart(to.At, y) }})
		}
	}
	_, err := ode.Solve(&planeFlow{Plane: p, sign: sign}, q[:], 0, forever, s)
	if err != nil {
		return nil, err
	}
	return t, set.interrupted()
}

// inside is the distance to the nearest edge as a share of the range, 0 a little
// beyond it. Queues and clients may overshoot by the whole range.
func (p *Plane) inside(q []float64) float64 {
	const beyond = 1e-3
	d := math.Inf(1)
	for i, v := range q {
		span := p.Hi[i] - p.Lo[i]
		above := beyond
		if p.Hi[i] != 1 {
			above = 1
		}
		d = min(d, (v-p.Lo[i])/span+beyond, (p.Hi[i]-v)/span+above)
	}
	return d
}

// apart is the distance from a state, beyond what counts as close, in each coordinate
// of its size there or, for hit rates, of the misses.
func (p *Plane) apart(at [2]float64, q []float64) float64 {
	const close = 1e-2
	d := 0.0
	for i, v := range q {
		size := max(min(at[i], p.Hi[i]-at[i]), 1e-4*(p.Hi[i]-p.Lo[i]))
		d = max(d, math.Abs(v-at[i])/size)
	}
	return d - close
}
