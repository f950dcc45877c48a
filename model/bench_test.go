package model

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/metastable/metastable/internal/ode"
)

// A phase is a state of the reference day, with the parameters in force there.
type phase struct {
	name string
	at   float64 // s
	y    []float64
}

// referenceDay compiles slack.yaml with so many bins and returns it with its state
// when healthy, within the rollout that tips it, and collapsed.
func referenceDay(t testing.TB, bins int) (*System, []phase) {
	t.Helper()
	data, err := os.ReadFile("testdata/reference/slack.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s := compiled(t, string(data), map[string]float64{"classes.gdm_members.popularity.bins": float64(bins)})
	phases := []phase{{name: "healthy", at: 3600 * 2}, {name: "tipping", at: 3600 * 5.95}, {name: "collapsed", at: 3600 * 6.95}}
	var times []float64
	for _, p := range phases {
		times = append(times, p.at)
	}
	i := 0
	integrated(t, s, ode.Settings{}, times, func(_ float64, y []float64) {
		phases[i].y = slices.Clone(y)
		i++
	})
	return s, phases
}

// enter puts the parameters of the phase in force.
func (p *phase) enter(s *System) {
	s.Reset()
	for k, b := range s.Breaks() {
		if b <= p.at {
			s.Enter(k, p.at, slices.Clone(p.y[:s.lay.base]))
		}
	}
}

// The reference day is in the phases that their names say.
func TestReferencePhasesInvariant(t *testing.T) {
	s, phases := referenceDay(t, 24)
	for _, p := range phases {
		p.enter(s)
		o := observed(s, p.at, p.y)
		ok := o["boot_success"]
		want := map[string]bool{"healthy": ok > 0.999999, "tipping": ok > 0.01 && ok < 0.99, "collapsed": ok < 0.05 && o["load.main"] > 5}
		if !want[p.name] {
			t.Errorf("%s: success %g, load %g", p.name, ok, o["load.main"])
		}
	}
}

// A step of an integrator allocates nothing in the system.
func TestAllocationsExact(t *testing.T) {
	day, phases := referenceDay(t, 24)
	check := func(name string, s *System, at float64, y []float64) {
		f, dfdt, row := make([]float64, len(y)), make([]float64, len(y)), make([]float64, len(s.Columns()))
		for what, run := range map[string]func(){
			"Eval":      func() { s.Eval(f, at, y) },
			"Linearize": func() { s.Linearize(dfdt, at, y) },
			"Factor": func() {
				if s.Factor(3) != nil {
					t.Errorf("%s: singular", name)
				}
			},
			"Solve":      func() { s.Solve(f) },
			"Observe":    func() { s.Observe(row, at, y) },
			"Consistent": func() { _ = s.Consistent(at, y) },
		} {
			s.Linearize(dfdt, at, y)
			if err := s.Factor(3); err != nil {
				t.Fatal(err)
			}
			if n := testing.AllocsPerRun(10, run); n != 0 {
				t.Errorf("%s: %s makes %g allocations", name, what, n)
			}
		}
	}
	for _, p := range phases {
		p.enter(day)
		check(p.name, day, p.at, p.y)
	}
	for name := range variants {
		s := compileVariant(t, name)
		check(name, s, 100, randomState(t, s, seeded(11), 100))
	}
}

func benchmark(b *testing.B, run func(b *testing.B, s *System, p *phase)) {
	for _, bins := range []int{24, 100, 1000} {
		s, phases := referenceDay(b, bins)
		for i := range phases {
			p := &phases[i]
			b.Run(fmt.Sprintf("bins=%d/%s", bins, p.name), func(b *testing.B) {
				p.enter(s)
				s.Linearize(make([]float64, len(p.y)), p.at, p.y)
				if err := s.Factor(1); err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				run(b, s, p)
			})
		}
	}
}

func BenchmarkEval(b *testing.B) {
	benchmark(b, func(b *testing.B, s *System, p *phase) {
		f := make([]float64, len(p.y))
		for b.Loop() {
			s.Eval(f, p.at, p.y)
		}
	})
}

func BenchmarkLinearize(b *testing.B) {
	benchmark(b, func(b *testing.B, s *System, p *phase) {
		f := make([]float64, len(p.y))
		for b.Loop() {
			s.Linearize(f, p.at, p.y)
		}
	})
}

func BenchmarkFactor(b *testing.B) {
	benchmark(b, func(b *testing.B, s *System, _ *phase) {
		for b.Loop() {
			if err := s.Factor(1); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkSolve(b *testing.B) {
	benchmark(b, func(b *testing.B, s *System, p *phase) {
		rhs, x := slices.Clone(p.y), slices.Clone(p.y)
		for b.Loop() {
			copy(x, rhs)
			s.Solve(x)
		}
	})
}
