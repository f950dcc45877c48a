package stability

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/metastable/metastable/fixedpoint"
	"github.com/metastable/metastable/internal/numtest"
	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/model"
)

func compile(t testing.TB, path string, set ...string) *model.System {
	t.Helper()
	return scenariotest.Compile(t, scenariotest.Read(t, path, set...))
}

const slack = "../model/testdata/reference/slack.yaml"

type key struct{ traffic, throttle float64 }

// table reads the equilibria that an independent implementation found by Newton's
// method on the whole system: rows by traffic and throttle.
func table(t *testing.T) (keys []key, rows map[key][][]float64) {
	t.Helper()
	file, err := os.Open("../model/testdata/reference/slack.equilibria.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	rows = map[key][][]float64{}
	for _, l := range lines[1:] {
		row := make([]float64, len(l))
		for i, v := range l {
			switch {
			case v == "":
				row[i] = math.Inf(1)
			case v == "True":
				row[i] = 1
			case v == "False":
			default:
				if row[i], err = strconv.ParseFloat(v, 64); err != nil {
					t.Fatal(err)
				}
			}
		}
		k := key{row[0], row[1]}
		if rows[k] == nil {
			keys = append(keys, k)
		}
		rows[k] = append(rows[k], row)
	}
	return keys, rows
}

// Same count, same stability, every row proved, and the values to 1e-6, but for those
// of the queue in unstable rows. There the table takes the success of a scatter with a
// 40-node Gauss–Hermite rule that is off by up to 2e-3. The load that comes back
// depends on the load u through that success alone, M(u) = F(s(u)), and both tables rest
// where u = F(s): so s, and all that follows from it, moves by 2e-3/(M' − 1) at most,
// less than 1e-6 or so since M' > 1000, while u moves by up to 2e-3/s'. Near load 1 the
// queue turns these millionths into thousandths; its values have to lie between those
// at the ends of that interval.
func TestEquilibria_reference_exact(t *testing.T) {
	const rule, tol = 2e-3, 1e-6
	sys := compile(t, slack)
	keys, rows := table(t)
	for _, k := range keys {
		at := model.Moment{Traffic: k.traffic, Throttle: k.throttle}
		r, err := Equilibria(sys, at, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := rows[k]
		if len(r.Equilibria) != len(want) || r.Certainty != fixedpoint.Proved || r.Warnings != nil {
			t.Errorf("traffic %g, throttle %g: %d equilibria (%v), want %d; %v", k.traffic, k.throttle, len(r.Equilibria), r.Certainty, len(want), r.Warnings)
			continue
		}
		for i, e := range r.Equilibria {
			w := want[i]
			stable := w[10] == 1
			if e.Stable != stable || (e.Gain < 1) != stable || e.Certainty != fixedpoint.Proved {
				t.Errorf("traffic %g, throttle %g, load %g: stable %v, gain %g, %v, want %v", k.traffic, k.throttle, e.Row[10], e.Stable, e.Gain, e.Certainty, stable)
			}
			shift := 0.0
			if !stable {
				shift = math.Abs(rule / successSlope(t, sys, at, e.Rates[0]))
			}
			lo, hi := queueAt(t, sys, at, e.Rates[0]-shift), queueAt(t, sys, at, e.Rates[0]+shift)
			for j, name := range []string{"load.main", "in_system.main", "variance.main", "attempts_per_s", "hit_rate.gdm_members", "boot_success", "timeout.main", "refused.main"} {
				from, to := r.Value(&e, name), r.Value(&e, name)
				if name == "variance.main" {
					from, to = e.Variance[0], e.Variance[0]
				}
				if at, queue := lo[name]; queue {
					from, to = min(from, at), max(to, hi[name])
				}
				if got := w[2+j]; got < from*(1-tol)-1e-9 || got > to*(1+tol)+1e-9 {
					t.Errorf("traffic %g, throttle %g, %s: the table has %g, want %g to %g", k.traffic, k.throttle, name, got, from, to)
				}
			}
		}
	}
}

func returnMap(t *testing.T, sys *model.System, at model.Moment) *model.ReturnMap {
	t.Helper()
	m, err := model.NewReturnMap(sys.Freeze(at))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// successSlope is the change of the success of a boot with the rate at which queries come.
func successSlope(t *testing.T, sys *model.System, at model.Moment, u float64) float64 {
	m, h := returnMap(t, sys, at), 1e-6*u
	return (m.Success([]float64{u + h}) - m.Success([]float64{u - h})) / (2 * h)
}

// queueAt is the queue of pool main when queries come at the rate u.
func queueAt(t *testing.T, sys *model.System, at model.Moment, u float64) map[string]float64 {
	s := sys.Freeze(at)
	y := returnMap(t, sys, at).State([]float64{u})
	row := make([]float64, len(s.Columns()))
	s.Observe(row, 0, y)
	q := map[string]float64{"variance.main": s.Variances(y)[0]}
	for i, name := range s.Columns() {
		switch name {
		case "in_system.main", "timeout.main", "refused.main":
			q[name] = row[i]
		}
	}
	return q
}

// Retries on a first-come-first-served server whose dead work is still done: three
// equilibria at λ = 4.7185869, μ = 10, τ = 1, three retries; the collapsed one has the
// load 4λ. Closed forms: p = e^{−(μ−L)τ}, L = λ (1 − p⁴)/(1 − p).
func TestEquilibria_retries_exact(t *testing.T) {
	sys := compile(t, "testdata/retries.yaml")
	r, err := Equilibria(sys, model.Moment{Traffic: 1, Throttle: math.Inf(1)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Equilibria) != 3 || r.Certainty != fixedpoint.Proved {
		t.Fatalf("%d equilibria, %v, want 3 proved: %v", len(r.Equilibria), r.Certainty, r.Warnings)
	}
	for i, p := range []float64{0.0052125377, 0.53985462} {
		numtest.Check(t, "time-out", r.Equilibria[i].Row[12], p, 1e-7, 0)
	}
	numtest.Check(t, "collapsed load", r.Equilibria[2].Row[10], 4*4.7185869/10, 1e-9, 0)
}

func BenchmarkEquilibria(b *testing.B) {
	sys := compile(b, slack)
	b.ReportAllocs()
	evals := 0
	for b.Loop() {
		r, err := Equilibria(sys, model.Moment{Traffic: 1, Throttle: math.Inf(1)}, nil)
		if err != nil || len(r.Equilibria) != 3 {
			b.Fatal(r, err)
		}
		evals = r.Evals
	}
	b.ReportMetric(float64(evals), "evals")
}
