package montecarlo

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/metastable/metastable/model"
)

// An Uncertain is a parameter of a scenario with the law of its value, in SI units.
type Uncertain struct {
	Path string
	Law  distuv.Quantiler
}

// laws of a [model.Distribution] by its kind. The cv of a lognormal law is that of the
// value, not of its logarithm.
var laws = map[string]func(d *model.Distribution) distuv.Quantiler{
	"normal":  func(d *model.Distribution) distuv.Quantiler { return distuv.Normal{Mu: d.Mean, Sigma: d.SD} },
	"uniform": func(d *model.Distribution) distuv.Quantiler { return distuv.Uniform{Min: d.Lo, Max: d.Hi} },
	"lognormal": func(d *model.Distribution) distuv.Quantiler {
		return distuv.LogNormal{Mu: math.Log(d.Median), Sigma: math.Sqrt(math.Log1p(d.CV * d.CV))}
	},
}

// negligible is the probability of a value that is not allowed which a law may have on
// each side: a run that draws one fails, and is counted as failed.
const negligible = 1e-9

// Uncertainty returns the laws of the scenario's uncertain parameters, in its order. It
// fails for a law that puts mass on values that the scenario does not allow.
func Uncertainty(sc *model.Scenario) ([]Uncertain, error) {
	var out []Uncertain
	for i := range sc.Uncertainty {
		d := &sc.Uncertainty[i]
		of, ok := laws[d.Kind]
		if !ok {
			return nil, fmt.Errorf("montecarlo: uncertainty of %s: no law is called %q", d.Path, d.Kind)
		}
		u := Uncertain{d.Path, of(d)}
		if err := u.check(sc); err != nil {
			return nil, err
		}
		out = append(out, u)
	}
	return out, nil
}

// check compiles the scenario at the median and far out on both sides.
func (u Uncertain) check(sc *model.Scenario) error {
	at := func(p float64) error {
		trial := sc.Clone()
		if err := trial.SetFloat(u.Path, u.Law.Quantile(p)); err != nil {
			return err
		}
		_, err := trial.Compile()
		return err
	}
	if err := at(0.5); err != nil {
		return fmt.Errorf("montecarlo: uncertainty of %s: its median: %w", u.Path, err)
	}
	for _, p := range []float64{negligible, 1 - negligible} {
		err := at(p)
		if err == nil {
			continue
		}
		bad, good := p, 0.5
		for math.Abs(bad-good) > 0.01*min(bad, 1-bad) {
			if mid := (bad + good) / 2; at(mid) == nil {
				good = mid
			} else {
				bad = mid
			}
		}
		return fmt.Errorf("montecarlo: uncertainty of %s: %.2g %% of it is not allowed; cut or narrow the law: %w", u.Path, 100*min(bad, 1-bad), err)
	}
	return nil
}
