package calibrate

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/metastable/metastable/internal/ode"
)

// SampleSettings are those of a posterior sample. The zero value of a field stands for
// the default its comment states; nil Settings are all defaults.
type SampleSettings struct {
	// Walkers is the number of walkers, even and at least twice the number of unknowns.
	// Default: four times that, at least 16.
	Walkers int

	// Steps is the number of steps of each walker, the first quarter of which is thrown
	// away. Default 2000.
	Steps int

	// Thin keeps one sample in this many steps. Default: half the autocorrelation time.
	Thin int

	Seed uint64
}

// A Posterior is a sample of parameters and scales of noise given the data.
type Posterior struct {
	Draws  [][]float64 // values of the parameters, in order
	Scales [][]float64 // of the noise, by channel, of each draw

	Tau        float64 // longest autocorrelation time of an unknown, in steps
	RHat       float64 // worst split R̂ of an unknown (Gelman and Rubin 1992)
	ESS        float64 // effective sample size of the worst unknown
	Acceptance float64 // share of the moves that were taken
	Walkers    int
	Steps      int // kept, of each walker

	f *Fit
}

// A ShortError says that chains are too short for what they estimate. The Posterior that
// comes with it is the estimate all the same.
type ShortError struct {
	Steps int // kept, of each walker
	Tau   float64
	RHat  float64
	Need  int // steps that would do, by this autocorrelation time
}

// Error implements error.
func (e *ShortError) Error() string {
	return fmt.Sprintf("calibrate: chains too short: %d steps kept at an autocorrelation time of %.0f and R-hat %.3f; want 50 times that and at most %g: about %d steps", e.Steps, e.Tau, e.RHat, rhatMost, e.Need)
}

const (
	enoughTimes = 50   // autocorrelation times in a chain (Foreman-Mackey et al. 2013)
	rhatMost    = 1.05 // of chains that agree
)

// Sample draws from the posterior by the affine-invariant stretch move (Goodman and Weare
// 2010, doi:10.2140/camcos.2010.5.65). The unknowns are the free parameters, with their
// priors, and the scales of the noise that are not given, with density 1/scale.
//
// It fails with ErrInterrupted. Where the chains are too short the error is a *[ShortError], and the posterior is
// there. The same seed gives the same draws for any number of workers.
func (f *Fit) Sample(s *SampleSettings) (*Posterior, error) {
	set := SampleSettings{}
	if s != nil {
		set = *s
	}
	c := f.newChains(&set)
	switch {
	case c.dim == 0:
		return nil, fmt.Errorf("calibrate: nothing is unknown")
	case set.Walkers%2 != 0 || set.Walkers < 2*c.dim:
		return nil, fmt.Errorf("calibrate: %d walkers: want an even number, at least %d", set.Walkers, 2*c.dim)
	case set.Steps < 8:
		return nil, fmt.Errorf("calibrate: %d steps: want at least 8", set.Steps)
	}
	c.begin()
	for range set.Steps {
		if f.e.interrupted() {
			return nil, ErrInterrupted
		}
		c.step()
	}
	return c.posterior(&set)
}

// chains are the walkers in the space of (u, log scales).
type chains struct {
	f       *Fit
	fitted  []int // channels whose scale is unknown
	nu, dim int
	rng     []*rand.Rand // of each walker

	x     [][]float64 // where each walker is
	logP  []float64
	path  [][][]float64 // [step][walker]
	taken int
}

func (f *Fit) newChains(set *SampleSettings) *chains {
	c := &chains{f: f, nu: len(f.e.free)}
	for i := range f.e.laws {
		if f.e.laws[i].scale == 0 && len(f.Problem.Channels[i].Y) > 0 {
			c.fitted = append(c.fitted, i)
		}
	}
	c.dim = c.nu + len(c.fitted)
	if set.Walkers == 0 {
		set.Walkers = max(16, 4*c.dim)
	}
	if set.Steps == 0 {
		set.Steps = 2000
	}
	for w := range set.Walkers {
		c.rng = append(c.rng, rand.New(rand.NewPCG(set.Seed, uint64(w))))
	}
	return c
}

// logProb returns the logarithm of the posterior density up to a constant.
func (c *chains) logProb(x []float64) float64 {
	e := c.f.e
	u := x[:c.nu]
	for _, v := range u {
		if v < 0 || v > 1 {
			return math.Inf(-1)
		}
	}
	scales := c.scales(x)
	for _, i := range c.fitted {
		if l := &e.laws[i]; scales[i] != l.bounded(scales[i]) {
			return math.Inf(-1)
		}
	}
	l := e.logPrior(u)
	if math.IsInf(l, -1) || math.IsNaN(l) {
		return math.Inf(-1)
	}
	return l + e.logLik(e.predict(u), scales)
}

func (c *chains) scales(x []float64) []float64 {
	s := slices.Clone(c.f.Scales)
	for k, i := range c.fitted {
		s[i] = math.Exp(x[c.nu+k])
	}
	return s
}

// begin puts the walkers around the best point as the information says, inside the cube.
func (c *chains) begin() {
	f := c.f
	spread := mat.NewDense(max(c.nu, 1), max(c.nu, 1), nil) // columns: directions times standard deviations
	if c.nu > 0 {
		j, _ := f.e.jacobian(f.u, f.predicted())
		grad, info := f.e.score(f.predicted(), j)
		f.e.addPrior(f.u, grad, info)
		var eig mat.EigenSym
		if eig.Factorize(info, true) {
			eig.VectorsTo(spread)
			for d, v := range eig.Values(nil) {
				sd := min(1/math.Sqrt(max(v, 1e-30)), 0.2)
				for a := range c.nu {
					spread.Set(a, d, spread.At(a, d)*sd)
				}
			}
		}
	}
	for w := range c.rng {
		c.x = append(c.x, c.place(w, spread))
	}
	c.logP = c.probs(c.x)
}

// place draws a walker that has an answer.
func (c *chains) place(w int, spread *mat.Dense) []float64 {
	x := make([]float64, c.dim)
	for shrink := 1.0; shrink > 1e-6; shrink *= 0.9 {
		copy(x, c.f.u)
		for d := range c.nu {
			z := shrink * c.rng[w].NormFloat64()
			for a := range c.nu {
				x[a] += z * spread.At(a, d)
			}
		}
		copy(x, mirrored(x[:c.nu]))
		for k, i := range c.fitted {
			l := &c.f.e.laws[i]
			n := l.weight * float64(len(c.f.Problem.Channels[i].Y))
			s := c.f.Scales[i] * math.Exp(shrink*c.rng[w].NormFloat64()/math.Sqrt(2*n+1))
			x[c.nu+k] = math.Log(min(max(s, l.bounded(0)*1.001), 1e3*l.unit))
		}
		if !math.IsInf(c.logProb(x), -1) {
			break
		}
	}
	return x
}

// probs returns the densities at many points, on all workers.
func (c *chains) probs(xs [][]float64) []float64 {
	p, _, _ := ode.Ensemble(context.Background(), len(xs), c.f.Settings.Workers, func() struct{} { return struct{}{} },
		func(_ context.Context, _ struct{}, i int) (float64, error) { return c.logProb(xs[i]), nil })
	return p
}

// step moves one half of the walkers along lines through the other half, then the other.
func (c *chains) step() {
	const a = 2 // longest stretch
	n := len(c.x) / 2
	for half := range 2 {
		trials, z := make([][]float64, n), make([]float64, n)
		for i := range n {
			w := half*n + i
			r := c.rng[w]
			other := c.x[(1-half)*n+r.IntN(n)]
			g := 1/math.Sqrt(a) + r.Float64()*(math.Sqrt(a)-1/math.Sqrt(a))
			z[i] = g * g // density 1/√z on [1/a, a]
			trials[i] = make([]float64, c.dim)
			for d := range trials[i] {
				trials[i][d] = other[d] + z[i]*(c.x[w][d]-other[d])
			}
		}
		p := c.probs(trials)
		for i := range n {
			w := half*n + i
			accept := float64(c.dim-1)*math.Log(z[i]) + p[i] - c.logP[w]
			if math.Log(c.rng[w].Float64()) < accept {
				c.x[w], c.logP[w] = trials[i], p[i]
				c.taken++
			}
		}
	}
	c.path = append(c.path, slices.Clone(c.x))
}

// posterior throws away the first quarter, judges the rest and thins it.
func (c *chains) posterior(set *SampleSettings) (*Posterior, error) {
	kept := c.path[len(c.path)/4:]
	p := &Posterior{
		Tau: 1, RHat: 1, Walkers: len(c.x), Steps: len(kept), f: c.f,
		Acceptance: float64(c.taken) / float64(len(c.x)*len(c.path)),
	}
	for d := range c.dim {
		series := make([][]float64, len(c.x))
		for w := range series {
			series[w] = make([]float64, len(kept))
			for k, x := range kept {
				series[w][k] = x[w][d]
			}
		}
		p.Tau = max(p.Tau, ensembleTime(series))
		p.RHat = max(p.RHat, RHat(series))
	}
	p.ESS = float64(len(kept)*len(c.x)) / p.Tau
	thin := set.Thin
	if thin == 0 {
		thin = max(1, int(p.Tau/2))
	}
	for k := 0; k < len(kept); k += thin {
		for _, x := range kept[k] {
			p.Draws = append(p.Draws, c.f.e.values(nil, x[:c.nu]))
			p.Scales = append(p.Scales, c.scales(x))
		}
	}
	if float64(len(kept)) < enoughTimes*p.Tau || p.RHat > rhatMost {
		return p, &ShortError{Steps: len(kept), Tau: p.Tau, RHat: p.RHat, Need: int(4.0 / 3 * max(enoughTimes*p.Tau, 2*float64(len(kept))))}
	}
	return p, nil
}
