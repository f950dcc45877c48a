package ode

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
)

// y' = −y + p(t): pulses of area 1, from a tenth of a typical step down to 10⁻¹¹ of
// the interval, add ∫ e^{s−t} p(s) ds each.
func TestShortPulsesExact(t *testing.T) {
	const end = 100
	starts := []float64{20.3, 50.123, 70.7, 99.5}
	for _, width := range []float64{0.1, 1e-3, 1e-6, 1e-9} {
		level := 0.0
		p := &scheduled{Dense: scalar(func(_, y float64) float64 { return level - y })}
		want := math.Exp(-end)
		for _, t0 := range starts {
			t1 := t0 + width
			p.times = append(p.times, t0, t1)
			want += math.Exp(t0-end) * math.Expm1(t1-t0) / (t1 - t0)
		}
		p.enter = func(k int) {
			level = 0
			if k%2 == 0 {
				level = 1 / (p.times[k+1] - p.times[k])
			}
		}
		res, err := Solve(p, []float64{1}, 0, end, &Settings{RTol: 1e-9, ATol: 1e-12})
		if err != nil || res.Status != Complete {
			t.Fatal(res, err)
		}
		numtest.Check(t, fmt.Sprintf("width %g", width), res.Y[0], want, 1e-8, 0)
	}
}

// Two discontinuities at each of four instants, the start and the end among them,
// with one before and one after the interval: all in order, records between the
// entries and the jumps.
func TestScheduleExact(t *testing.T) {
	p := &scheduled{Dense: scalar(func(_, _ float64) float64 { return 0 })}
	p.times = []float64{-1, 0, 0, 0.5, 0.5, 1, 1, 2, 2, 3}
	p.jump = func(k int, y []float64) {
		if k%2 == 1 {
			y[0] *= 2
		} else {
			y[0]++
		}
	}
	s := &Settings{Output: []float64{0, 0.25, 0.5, 1, 1.5, 2}, Record: func(t float64, y []float64) { p.note("record", 0, t, y) }}
	res, err := Solve(p, []float64{1}, 0, 2, s)
	if err != nil || res.Status != Complete {
		t.Fatal(res, err)
	}
	want := []string{
		"enter 0 at 0: [1]",
		"enter 1 at 0: [1]", "enter 2 at 0: [1]", "record 0 at 0: [1]", "jump 1 at 0: [1]", "jump 2 at 0: [2]",
		"record 0 at 0.25: [3]",
		"enter 3 at 0.5: [3]", "enter 4 at 0.5: [3]", "record 0 at 0.5: [3]", "jump 3 at 0.5: [3]", "jump 4 at 0.5: [6]",
		"enter 5 at 1: [7]", "enter 6 at 1: [7]", "record 0 at 1: [7]", "jump 5 at 1: [7]", "jump 6 at 1: [14]",
		"record 0 at 1.5: [15]",
		"enter 7 at 2: [15]", "enter 8 at 2: [15]", "record 0 at 2: [15]", "jump 7 at 2: [15]", "jump 8 at 2: [30]",
	}
	if !slices.Equal(p.log, want) {
		t.Errorf("log\n%q\nwant\n%q", p.log, want)
	}
	if res.T != 2 || res.Y[0] != 31 {
		t.Errorf("ends at %g with %g", res.T, res.Y[0])
	}
}

// f is never asked beyond a discontinuity while the piece before it is in force.
func TestNoStepCrossesInvariant(t *testing.T) {
	piece := 0
	p := &scheduled{times: []float64{0.1, 0.3, 0.3 + 1e-12, 7}, enter: func(k int) { piece = k + 1 }}
	limits := append(slices.Clone(p.times), 10)
	p.Dense = NewDense(1, func(dst []float64, at float64, y []float64) {
		if at > limits[piece]*(1+1e-15) || piece > 0 && at < limits[piece-1] {
			t.Errorf("f at %.17g in piece %d", at, piece)
		}
		dst[0] = -y[0] + float64(piece)
	}, func(dst []float64, _ float64, _ []float64) { dst[0] = -1 }, Autonomous)
	res, err := Solve(p, []float64{1}, 0, 10, nil)
	if err != nil || res.Status != Complete || piece != len(p.times) {
		t.Error(res, err, piece)
	}
}

// Output does not change the steps, and records are as accurate as steps.
func TestOutputInvariant(t *testing.T) {
	plain, err := Solve(oscillator(), []float64{0, 1}, 0, 20, &Settings{RTol: 1e-8})
	if err != nil {
		t.Fatal(err)
	}
	s := &Settings{RTol: 1e-8}
	for i := range 2001 {
		s.Output = append(s.Output, float64(i)/100)
	}
	n := 0
	s.Record = func(at float64, y []float64) {
		if at != s.Output[n] {
			t.Errorf("record %d at %g, want %g", n, at, s.Output[n])
		}
		n++
		numtest.CheckSlice(t, "y", y, []float64{math.Sin(at), math.Cos(at)}, 0, 2e-7)
	}
	res, err := Solve(oscillator(), []float64{0, 1}, 0, 20, s)
	if err != nil || n != len(s.Output) {
		t.Fatal(err, n)
	}
	if !slices.Equal(res.Y, plain.Y) || res.Stats != plain.Stats {
		t.Errorf("with output %+v, without %+v", res, plain)
	}
}

// growing is y_i' = 1 with one component more after each break.
type growing struct {
	n     int
	times []float64
	one   []float64
}

func (g *growing) Dim() int { return g.n }
func (g *growing) Eval(dst []float64, _ float64, _ []float64) {
	for i := range dst {
		dst[i] = 1
	}
}
func (g *growing) Linearize(dfdt []float64, _ float64, _ []float64) { clear(dfdt) }
func (g *growing) Factor(shift float64) error                       { g.one = []float64{1 / shift}; return nil }

func (g *growing) Solve(rhs []float64) {
	for i := range rhs {
		rhs[i] *= g.one[0]
	}
}
func (g *growing) Breaks() []float64 { return g.times }
func (g *growing) Enter(k int, _ float64, y []float64) []float64 {
	if k == len(g.times)-1 {
		g.n = 1
		return y[:1]
	}
	g.n++
	return append(y, 0)
}
func (g *growing) Jump(int, float64, []float64) {}

func TestDimensionChangesExact(t *testing.T) {
	p := &growing{n: 1, times: []float64{1, 2, 3, 4, 5}}
	var tr trajectory
	records := map[float64]int{}
	res, err := Solve(p, []float64{0}, 0, 6, &Settings{
		Step: tr.add, Output: []float64{0.5, 1, 2.5, 5, 6},
		Record: func(at float64, y []float64) { records[at] = len(y) },
	})
	if err != nil || res.Status != Complete {
		t.Fatal(res, err)
	}
	numtest.CheckSlice(t, "y(6)", res.Y, []float64{6}, 1e-12, 0)
	numtest.CheckSlice(t, "y(4.5)", tr.at(nil, 4.5), []float64{4.5, 3.5, 2.5, 1.5, 0.5}, 1e-12, 0)
	numtest.CheckSlice(t, "y(2)", tr.at(nil, 2), []float64{2, 1}, 1e-12, 0)
	for at, n := range map[float64]int{0.5: 1, 1: 2, 2.5: 3, 5: 1, 6: 1} {
		if records[at] != n {
			t.Errorf("%d components recorded at %g, want %d", records[at], at, n)
		}
	}
}

// kicked is the index-1 problem y' = −z, 0 = z − c y, whose c changes at 1; z, given
// wrong at the start and kicked at 1, is made consistent before each record.
type kicked struct {
	*DAE
	c    float64
	fail bool
}

func (p *kicked) Breaks() []float64                             { return []float64{1} }
func (p *kicked) Enter(_ int, _ float64, y []float64) []float64 { p.c = 3; return y }
func (p *kicked) Jump(_ int, _ float64, y []float64)            { y[0], y[1] = 1, -7 }
func (p *kicked) Consistent(t float64, y []float64) error {
	if p.fail && p.c == 3 {
		return errNewton
	}
	return p.DAE.Consistent(t, y)
}

func newKicked() *kicked {
	p := &kicked{c: 2}
	p.DAE = NewDAE([]float64{1, 0}, func(dst []float64, _ float64, y []float64) {
		dst[0], dst[1] = -y[1], y[1]-p.c*y[0]
	}, nil, Autonomous)
	return p
}

func TestConsistentExact(t *testing.T) {
	var got [][]float64
	res, err := Solve(newKicked(), []float64{1, 99}, 0, 2, &Settings{
		RTol: 1e-9, Output: []float64{0, 1, 2},
		Record: func(_ float64, y []float64) { got = append(got, slices.Clone(y)) },
	})
	if err != nil || res.Status != Complete || len(got) != 3 {
		t.Fatal(res, err)
	}
	numtest.CheckSlice(t, "y(0)", got[0], []float64{1, 2}, 1e-12, 0)
	numtest.CheckSlice(t, "y(1−)", got[1], []float64{math.Exp(-2), 3 * math.Exp(-2)}, 1e-8, 0)
	numtest.CheckSlice(t, "y(2)", got[2], []float64{math.Exp(-3), 3 * math.Exp(-3)}, 1e-8, 0)
}

func TestInconsistent(t *testing.T) {
	p := newKicked()
	p.fail = true
	res, err := Solve(p, []float64{1, 2}, 0, 2, nil)
	if err != nil || res.Status != Inconsistent || res.T != 1 {
		t.Errorf("after a discontinuity: %+v, %v", res, err)
	}
	p.c = 3
	if res, err = Solve(p, []float64{1, 2}, 0, 2, nil); !errors.Is(err, errNewton) {
		t.Errorf("at the start: %+v, %v", res, err)
	}
}

// After a discontinuity the first step resolves a transient that the step before it
// would jump over, so that the dense output is right within it: y' = −1e8 (y − 1) from
// t = 1 on, after a second at rest with steps as long as they get.
func TestTransientAfterBreakExact(t *testing.T) {
	p := &relaxation{}
	at := []float64{1, 1 + 1e-8, 1.0001, 1.05, 1.2, 1.5, 2}
	_, err := Solve(p, []float64{0}, 0, 2, &Settings{RTol: 1e-6, Output: at, Record: func(s float64, y []float64) {
		numtest.Check(t, "y", y[0], -math.Expm1(-1e8*(s-1)), 0, 2e-5)
	}})
	if err != nil {
		t.Fatal(err)
	}
}

type relaxation struct {
	rate, shift float64
}

func (p *relaxation) Dim() int                                   { return 1 }
func (p *relaxation) Eval(dst []float64, _ float64, y []float64) { dst[0] = -p.rate * (y[0] - 1) }
func (p *relaxation) Linearize(dfdt []float64, _ float64, _ []float64) {
	dfdt[0] = 0
}
func (p *relaxation) Factor(shift float64) error                    { p.shift = shift; return nil }
func (p *relaxation) Solve(rhs []float64)                           { rhs[0] /= p.shift + p.rate }
func (p *relaxation) Breaks() []float64                             { return []float64{1} }
func (p *relaxation) Enter(_ int, _ float64, y []float64) []float64 { p.rate = 1e8; return y }
func (p *relaxation) Jump(_ int, _ float64, _ []float64)            {}
