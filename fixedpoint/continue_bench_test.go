package fixedpoint

import (
	"math"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
)

// gelfand is the perturbed Gelfand problem u” + λ exp(u/(1 + au)) = 0 on four inner nodes, with
// folds in λ that meet in a cusp over a.
func gelfand() *Problem {
	const n, h2 = 4, 1. / 25
	return &Problem{
		Dim: n, Params: 2,
		F: func(dst, u, p []float64) {
			for i := range n {
				var left, right float64
				if i > 0 {
					left = u[i-1]
				}
				if i < n-1 {
					right = u[i+1]
				}
				dst[i] = (left-2*u[i]+right)/h2 + p[0]*math.Exp(u[i]/(1+p[1]*u[i]))
			}
		},
		JacX: func(dst, u, p []float64) {
			clear(dst)
			for i := range n {
				q := 1 + p[1]*u[i]
				dst[i*n+i] = -2/h2 + p[0]*math.Exp(u[i]/q)/(q*q)
				if i > 0 {
					dst[i*n+i-1] = 1 / h2
				}
				if i < n-1 {
					dst[i*n+i+1] = 1 / h2
				}
			}
		},
		JacP: func(dst, u, p []float64) {
			for i := range n {
				q := 1 + p[1]*u[i]
				e := math.Exp(u[i] / q)
				dst[i*2], dst[i*2+1] = e, -p[0]*e*u[i]*u[i]/(q*q)
			}
		},
	}
}

func gelfandFold(tb testing.TB) ([]float64, []float64) {
	br, err := Continue(gelfand(), make([]float64, 4), []float64{0, 0.1}, 0, &ContinueSettings{Min: 0, Max: 8})
	if err != nil || len(br.Special) == 0 {
		tb.Fatal(err, br)
	}
	return br.Special[0].Refined.X, br.Special[0].Refined.P
}

// The curve of folds has one cusp; along it, rounding aside, nothing else happens.
func TestInvariantGelfandCurve(t *testing.T) {
	x, p := gelfandFold(t)
	cv := foldsFrom(t, gelfand(), x, p, &CurveSettings{Min: [2]float64{0, 0.02}, Max: [2]float64{20, 1}})
	cusp := only(t, cv, Cusp)
	if a := cusp.Refined.P[1]; !(a > 0.2 && a < 0.26) { // near 0.2457, of the differential equation
		t.Errorf("cusp at a = %g", a)
	}
}

func BenchmarkFoldCurve500(b *testing.B) {
	prob := gelfand()
	x, p := gelfandFold(b)
	set := &CurveSettings{Min: [2]float64{0, 0.0}, Max: [2]float64{20, 1}, Stepping: Stepping{MaxSteps: 480, MaxStep: 0.04}}
	b.ReportAllocs()
	var points, evals int
	for b.Loop() {
		cv, err := FoldCurve(prob, x, p, [2]int{0, 1}, set)
		if err != nil {
			b.Fatal(err)
		}
		points, evals = len(cv.Points), cv.Work.Evals+cv.Work.Jacobians
	}
	b.ReportMetric(float64(points), "points")
	b.ReportMetric(float64(evals)/float64(points), "evals/point")
}

func BenchmarkHopfCurve(b *testing.B) {
	e := numtest.TsodyksMarkram()
	prob := problemOf(e)
	var s numtest.SpecialPoint
	for _, s = range e.Points {
		if s.Kind == numtest.Hopf {
			break
		}
	}
	set := &CurveSettings{Min: [2]float64{-4, 2}, Max: [2]float64{0, 4}}
	b.ReportAllocs()
	var points int
	for b.Loop() {
		cv, err := HopfCurve(prob, s.X, s.P, s.Omega*s.Omega, [2]int{0, 1}, set)
		if err != nil {
			b.Fatal(err)
		}
		points = len(cv.Points)
	}
	b.ReportMetric(float64(points), "points")
}

func BenchmarkContinue(b *testing.B) {
	for _, e := range []numtest.Equilibrium{numtest.CuspProblem(), numtest.TsodyksMarkram(), numtest.Bratu(31)} {
		b.Run(e.Name, func(b *testing.B) {
			prob := problemOf(e)
			set := &ContinueSettings{Min: -2, Max: 5, Stepping: Stepping{MaxSteps: 100}}
			b.ReportAllocs()
			var points int
			for b.Loop() {
				br, err := Continue(prob, e.X0, e.P, 0, set)
				if err != nil {
					b.Fatal(err)
				}
				points = len(br.Points)
			}
			b.ReportMetric(float64(points), "points")
		})
	}
}
