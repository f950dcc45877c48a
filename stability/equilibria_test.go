package stability

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/metastable/metastable/fixedpoint"
	"github.com/metastable/metastable/internal/numtest"
	"github.com/metastable/metastable/model"
)

func compile(t testing.TB, path string, set ...string) *model.System {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sc, err := model.Parse(path, text, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(set); i += 2 {
		if err := sc.Set(set[i], set[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	sys, err := sc.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return sys
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

// Same count, same stability, every count proved. Stable rows agree to 1e-6. The table
// takes the success of a scatter with a 40-node Gauss–Hermite rule that is off by up to
// 2e-3 in the unstable rows; that moves these by up to 2e-3 divided by the loop gain's
// distance from 1, in relative terms at most 1e-2 of the queue.
func TestEquilibria_reference_exact(t *testing.T) {
	sys := compile(t, slack)
	keys, rows := table(t)
	for _, k := range keys {
		r, err := Equilibria(sys, model.Moment{Traffic: k.traffic, Throttle: k.throttle}, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := rows[k]
		if len(r.Equilibria) != len(want) || r.Certainty != fixedpoint.Proved {
			t.Errorf("traffic %g, throttle %g: %d equilibria (%v), want %d; %v", k.traffic, k.throttle, len(r.Equilibria), r.Certainty, len(want), r.Warnings)
			continue
		}
		for i, e := range r.Equilibria {
			w := want[i]
			stable := w[10] == 1
			if e.Stable != stable || (e.Gain < 1) != stable {
				t.Errorf("traffic %g, throttle %g, load %g: stable %v, gain %g, want %v", k.traffic, k.throttle, e.Row[10], e.Stable, e.Gain, stable)
			}
			tol := 1e-6
			if !stable {
				tol = 1e-2
			}
			for j, c := range []struct {
				what string
				got  float64
			}{{"load", e.Row[10]}, {"in_system", e.Row[11]}, {"variance", e.Variance[0]}, {"attempts", e.Row[2]}, {"hit rate", e.Row[7]}, {"success", e.Row[4]}, {"timeout", e.Row[12]}, {"refused", e.Row[13]}} {
				numtest.Check(t, c.what, c.got, w[2+j], tol, 1e-9)
			}
		}
	}
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
