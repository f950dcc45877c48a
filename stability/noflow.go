package stability

import (
	"math"

	"github.com/metastable/metastable/fixedpoint"
	"github.com/metastable/metastable/model"
)

// flowing counts the rates of the return map that can differ from 0: none without boots or
// behind a closed throttle.
func flowing(m *model.ReturnMap) (n int) {
	_, hi := m.Box()
	for _, v := range hi[:m.Rates()] {
		if v > 0 {
			n++
		}
	}
	return n
}

// noFlow adds the only state of a system in which no queries flow. Between the bounds of
// the rates, 0 and 0, there is no room for another.
func (r *Result) noFlow(m *model.ReturnMap, frozen *model.System) error {
	u := make([]float64, m.Dim())
	m.Map(u, u) // the shares at no rate; rates of exactly 0 would leave the Jacobian singular
	r.Certainty, r.Evals = fixedpoint.Proved, 1
	e, err := polish(frozen, m.State(u))
	if err != nil {
		return err
	}
	e.Rates, e.Gain, e.Certainty = u, math.NaN(), fixedpoint.Proved
	r.add(e, frozen)
	return nil
}
