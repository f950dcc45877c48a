package calibrate

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/trajectory"
)

// A Recording is what was measured during one run of a system.
type Recording struct {
	Name     string          // tells it from others; may be empty if there is one
	Scenario *model.Scenario // with the settings of this run
	Series   []Measured
	Average  float64 // each value is a mean over this many seconds before its time; 0: of the instant
}

// Measured is one series of a recording.
type Measured struct {
	Name     string    // of the column
	Quantity string    // see [Quantities]
	T        []float64 // s since the start of the scenario, increasing
	V        []float64 // in the quantity's unit
	Noise    Noise
}

// Offset is the name of the parameter that is added to the times of a recording, s: what
// the clock of the recording shows less than that of the scenario. Times before the start
// of the scenario show it at rest, those after its end are held at its end.
const Offset = "offset"

// Recordings makes the problem of finding parameters of scenarios. The name of each
// parameter is a path of the scenario, such as pools.main.capacity, or [Offset]; it holds
// for all recordings, or, with names and a colon before it (a:offset, a,b:offset), for
// those. Whole numbers, such as shards, are searched as if the model were linear between them.
//
// It fails on quantities and paths that the scenarios do not have, and where bounds are
// not allowed.
func Recordings(recs []Recording, params []Param) (*Problem, error) {
	p := &Problem{Params: params}
	for i := range recs {
		for k := range recs[:i] {
			if recs[k].Name == recs[i].Name {
				return nil, fmt.Errorf("calibrate: two recordings are called %q", recs[i].Name)
			}
		}
	}
	var runs []*run
	for i := range recs {
		r, err := newRun(&recs[i], params)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
		for _, m := range recs[i].Series {
			name := m.Name
			if recs[i].Name != "" {
				name = recs[i].Name + ":" + name
			}
			p.Channels = append(p.Channels, Channel{Name: name, X: m.T, Y: m.V, Noise: m.Noise})
		}
	}
	if err := checkUse(recs, params); err != nil {
		return nil, err
	}
	p.New = func() Predictor {
		return func(dst, values []float64) error {
			for _, r := range runs {
				n, err := r.predict(dst, values)
				if err != nil {
					return err
				}
				dst = dst[n:]
			}
			return nil
		}
	}
	return p, nil
}

// checkUse fails for a parameter of a recording that is not there.
func checkUse(recs []Recording, params []Param) error {
	for i := range params {
		names, _, ok := strings.Cut(params[i].Name, ":")
		for _, name := range strings.Split(names, ",") {
			if ok && !slices.ContainsFunc(recs, func(r Recording) bool { return r.Name == name }) {
				return fmt.Errorf("calibrate: parameter %s: no recording is called %q", params[i].Name, name)
			}
		}
	}
	return nil
}

// A run predicts one recording. It keeps nothing between predictions.
type run struct {
	rec    *Recording
	set    []setter
	offset int // index of the parameter; −1: none
}

type setter struct {
	param int
	path  string
	whole bool
}

func newRun(rec *Recording, params []Param) (*run, error) {
	r := &run{rec: rec, offset: -1}
	for i := range params {
		path := params[i].Name
		if names, rest, ok := strings.Cut(path, ":"); ok {
			if !slices.Contains(strings.Split(names, ","), rec.Name) {
				continue
			}
			path = rest
		}
		if path == Offset {
			r.offset = i
			continue
		}
		s := setter{param: i, path: path}
		trial := rec.Scenario.Clone()
		mid := math.Floor((params[i].Lo + params[i].Hi) / 2)
		s.whole = trial.SetFloat(path, mid) == nil && trial.SetFloat(path, mid+0.5) != nil && params[i].Hi-params[i].Lo >= 1
		for _, v := range []float64{params[i].Lo, params[i].Hi} {
			if s.whole {
				v = math.Round(v)
			}
			if err := trial.SetFloat(path, v); err != nil {
				return nil, fmt.Errorf("calibrate: parameter %s: bound %g: %w", params[i].Name, v, err)
			}
		}
		r.set = append(r.set, s)
	}
	sys, err := rec.Scenario.Compile()
	if err != nil {
		return nil, err
	}
	for _, m := range rec.Series {
		if _, err := newReader(rec.Scenario, sys.Columns(), m.Quantity); err != nil {
			return nil, err
		}
		if len(m.T) != len(m.V) || !slices.IsSorted(m.T) {
			return nil, fmt.Errorf("calibrate: %s has %d times and %d values: want as many, times in order", m.Name, len(m.T), len(m.V))
		}
		if err := checkShare(m.Name, m.Quantity, m.V); err != nil {
			return nil, err
		}
	}
	return r, nil
}

var errEarly = errors.New("calibrate: the run stopped early")

// predict stores the predictions of the series in dst and returns their number. Between
// whole numbers it interpolates.
func (r *run) predict(dst, values []float64) (int, error) {
	type corner struct {
		values []float64
		weight float64
	}
	corners := []corner{{values, 1}}
	for _, s := range r.set {
		v := values[s.param]
		lo := math.Floor(v)
		if !s.whole || lo == v {
			continue
		}
		var next []corner
		for _, c := range corners {
			for _, side := range []struct{ v, w float64 }{{lo, lo + 1 - v}, {lo + 1, v - lo}} {
				u := slices.Clone(c.values)
				u[s.param] = side.v
				next = append(next, corner{u, c.weight * side.w})
			}
		}
		corners = next
	}
	n, sum := 0, []float64(nil)
	for _, c := range corners {
		m, err := r.simulate(c.values)
		if err != nil {
			return 0, err
		}
		n = len(m)
		if sum == nil {
			sum = make([]float64, n)
		}
		for i, v := range m {
			sum[i] += c.weight * v
		}
	}
	copy(dst, sum)
	return n, nil
}

// simulate runs the scenario and returns the values of the series.
func (r *run) simulate(values []float64) ([]float64, error) {
	sc := r.rec.Scenario.Clone()
	for _, s := range r.set {
		if err := sc.SetFloat(s.path, values[s.param]); err != nil {
			return nil, err
		}
	}
	sys, err := sc.Compile()
	if err != nil {
		return nil, err
	}
	offset := 0.0
	if r.offset >= 0 {
		offset = values[r.offset]
	}
	at := func(t float64) float64 { return min(max(t+offset, 0), sys.Span()) }
	var times []float64
	for _, m := range r.rec.Series {
		for _, t := range m.T {
			times = append(times, at(t))
		}
	}
	slices.Sort(times)
	times = slices.Compact(times)
	const (
		rtol     = 1e-7   // below the differences that derivatives are made of
		maxSteps = 20_000 // an ordinary run takes hundreds; the corners of bounds need not have an answer
	)
	res, err := trajectory.Run(sys, &trajectory.Settings{Times: times, Average: r.rec.Average, RTol: rtol, MaxSteps: maxSteps})
	switch {
	case err != nil:
		return nil, err
	case res.Status.Early():
		return nil, errEarly
	}
	var out []float64
	for _, m := range r.rec.Series {
		read, err := newReader(sc, res.Columns, m.Quantity)
		if err != nil {
			return nil, err
		}
		for _, t := range m.T {
			i, _ := slices.BinarySearch(times, at(t))
			out = append(out, read(res.Rows[i]))
		}
	}
	return out, nil
}
