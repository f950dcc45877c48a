package calibrate

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/metastable/metastable/internal/numtest"
)

// constant is the problem of the level of values that are all alike.
func constant(y []float64, noise Noise, lo, hi float64, prior Law) *Problem {
	return curve([]Param{{Name: "level", Lo: lo, Hi: hi, Prior: prior}}, make([]float64, len(y)), y, noise, func(_ float64, p []float64) float64 { return p[0] })
}

func fitted(t *testing.T, p *Problem) *Fit {
	t.Helper()
	f, err := New(p, &Settings{Starts: 3, Independent: true})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Normal errors of a known size and a normal prior: the precisions add up.
func TestPriorExact(t *testing.T) {
	y := []float64{4.1, 3.7, 4.4, 3.9}
	f := fitted(t, constant(y, Noise{Scale: 0.5}, -10, 20, distuv.Normal{Mu: 6, Sigma: 1}))
	want := (16.1/0.25 + 6/1.0) / (4/0.25 + 1)
	numtest.Check(t, "mode", f.Values[0], want, 1e-7, 0)
	p, err := f.Profile("level", 0.9)
	if err != nil {
		t.Fatal(err)
	}
	// The limit is that of four values with three degrees of freedom left, on a parabola.
	half := math.Sqrt(2 * p.Limit / (4/0.25 + 1))
	numtest.CheckSlice(t, "interval", []float64{p.Lo, p.Hi}, []float64{want - half, want + half}, 0, 0.02*half)
}

// The scale of each law of errors is found from ten thousand of them; a scale has the
// standard error 1/√(n I), I its information in one value.
func TestScalesInvariant(t *testing.T) {
	const n, level = 10000, 0.3
	for kind, scale := range map[NoiseKind]float64{Gaussian: 0.02, Relative: 0.1, Student: 0.02, Binomial: 0.1} {
		r := rand.New(rand.NewPCG(11, uint64(kind)))
		l := newLaw(&Channel{Y: []float64{level}, Noise: Noise{Kind: kind}})
		y := make([]float64, n)
		for i := range y {
			chi2 := 0.0
			for range tDF {
				z := r.NormFloat64()
				chi2 += z * z
			}
			y[i] = l.draw(level, scale, r.NormFloat64(), chi2)
		}
		f := fitted(t, constant(y, Noise{Kind: kind}, 0.01, 0.99, nil))
		numtest.Check(t, kind.String()+" scale", f.Scales[0], scale, 3.3/math.Sqrt(n*l.terms(level, level, scale).scale), 0)
		numtest.Check(t, kind.String()+" level", f.Values[0], level, 0.02, 0)
		// The derivatives that the search uses are those of the likelihood.
		const h = 1e-6
		for _, at := range []float64{0.2, 0.5} {
			up, down := l.logLik([]float64{level}, []float64{at + h}, scale), l.logLik([]float64{level}, []float64{at - h}, scale)
			numtest.Check(t, kind.String()+" slope", l.terms(level, at, scale).slope, (up-down)/(2*h), 1e-5, 1e-5)
		}
	}
}

// One value in twenty that is far off moves a Student fit by less than the rest err, and a
// Gaussian one by as much as it is off, over their number.
func TestOutliersInvariant(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 1))
	y := make([]float64, 100)
	for i := range y {
		y[i] = 5 + 0.1*r.NormFloat64()
		if i%20 == 7 {
			y[i] = 15
		}
	}
	robust := fitted(t, constant(y, Noise{Kind: Student}, 0, 20, nil)).Values[0]
	gaussian := fitted(t, constant(y, Noise{}, 0, 20, nil)).Values[0]
	numtest.Check(t, "Student level", robust, 5, 0, 0.05)
	numtest.Check(t, "Gaussian level", gaussian, 5.5, 0, 0.05)
}

// Goodput that is exactly 0 during an outage stays 0 and fits, with every law.
func TestZerosInvariant(t *testing.T) {
	y := make([]float64, 30)
	for i := range 15 {
		y[i] = 0.9
	}
	for kind := range NoiseKinds {
		p := constant(y, Noise{Kind: NoiseKind(kind)}, 0.1, 1, nil)
		p.New = func() Predictor {
			return func(dst, v []float64) error {
				for i := range dst {
					dst[i] = 0
					if i < 15 {
						dst[i] = v[0]
					}
				}
				return nil
			}
		}
		f := fitted(t, p)
		numtest.Check(t, NoiseKinds[kind]+" level", f.Values[0], 0.9, 1e-5, 0)
		pr, err := f.Profile("level", 0.9)
		if err != nil || !(pr.Lo <= 0.9 && 0.9 <= pr.Hi) || pr.Hi-pr.Lo > 0.01 {
			t.Errorf("%v: %v, %v", NoiseKinds[kind], pr, err)
		}
	}
}

// A scatter that changes sides slowly weighs less: an AR(1) of 0.8 by (1 − a)/(1 + a) = 1/9.
func TestCorrelatedErrorsWeighLessInvariant(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 1))
	y, e := make([]float64, 2000), 0.0
	for i := range y {
		e = 0.8*e + 0.1*r.NormFloat64()
		y[i] = 5 + e
	}
	f, err := New(constant(y, Noise{}, 0, 20, nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	// Standard error of the time: 9 √(2 (2·5·9 + 1)/2000) = 2.7 (Sokal 1997).
	numtest.Check(t, "samples that say the same", f.Correlation[0], 9, 0, 2*2.7)
	if len(f.Warnings) == 0 {
		t.Error("no warning")
	}
	white := make([]float64, 2000)
	for i := range white {
		white[i] = 5 + r.NormFloat64()
	}
	if f, err = New(constant(white, Noise{}, 0, 20, nil), nil); err != nil || f.Correlation[0] != 1 {
		t.Errorf("independent errors: %v, %v", f.Correlation, err)
	}
}

// Three in four values are exactly 0, as goodput is while a system is down: the scale is
// that of the others alone.
func TestZerosSayNothingOfTheScaleInvariant(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 1))
	y, m := make([]float64, 4000), make([]float64, 4000)
	for i := range y {
		if i%4 == 0 {
			m[i] = 0.5
			y[i] = 0.5 * (1 + 0.1*r.NormFloat64())
		}
	}
	for kind, want := range map[NoiseKind]float64{Relative: 0.1, Binomial: 0.1} { // 0.05 either way
		l := newLaw(&Channel{Y: y, Noise: Noise{Kind: kind}})
		numtest.Check(t, kind.String(), l.fit(y, m), want, 3.3/math.Sqrt(2*1000), 0)
	}
}
