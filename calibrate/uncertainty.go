package calibrate

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/metastable/metastable/model"
)

// Fitted returns a copy of the scenario with the parameters of the fit that hold for every
// recording, and with what is left unknown about them as its uncertainty: lognormal for
// those searched on a logarithmic scale, normal for others, and uniform over the interval
// where the bounds cut the law or the data do not tell it. Profiles are those of the fit;
// a parameter without one is taken for known. Uncertainties of other parameters stay.
func (f *Fit) Fitted(sc *model.Scenario, profiles []*Profile) (*model.Scenario, error) {
	out := sc.Clone()
	for i, p := range f.Problem.Params {
		if strings.Contains(p.Name, ":") || p.Name == Offset {
			continue
		}
		v := f.Values[i]
		if out.SetFloat(p.Name, v) != nil { // a whole number
			v = math.Round(v)
		}
		if err := out.SetFloat(p.Name, v); err != nil {
			return nil, fmt.Errorf("calibrate: %w", err)
		}
		k := slices.IndexFunc(profiles, func(pr *Profile) bool { return pr.Name == p.Name })
		if k < 0 || p.Lo == p.Hi || v != f.Values[i] {
			continue
		}
		out.Uncertainty = slices.DeleteFunc(out.Uncertainty, func(d model.Distribution) bool { return d.Path == p.Name })
		out.Uncertainty = append(out.Uncertainty, spreadOf(&p, profiles[k]))
	}
	return out, nil
}

// spreadOf turns an interval into a law.
func spreadOf(p *Param, pr *Profile) model.Distribution {
	const certain = 6 // standard deviations: nothing is left beyond
	z := math.Sqrt2 * math.Erfinv(pr.Confidence)
	d := model.Distribution{Path: p.Name, Kind: "uniform", Lo: pr.Lo, Hi: pr.Hi}
	if pr.OpenLo || pr.OpenHi {
		return d
	}
	if p.Log {
		mid, s := math.Sqrt(pr.Lo*pr.Hi), math.Log(pr.Hi/pr.Lo)/(2*z)
		if mid*math.Exp(-certain*s) >= p.Lo && mid*math.Exp(certain*s) <= p.Hi {
			return model.Distribution{Path: p.Name, Kind: "lognormal", Median: mid, CV: math.Sqrt(math.Expm1(s * s))}
		}
		return d
	}
	mid, s := (pr.Lo+pr.Hi)/2, (pr.Hi-pr.Lo)/(2*z)
	if mid-certain*s >= p.Lo && mid+certain*s <= p.Hi {
		return model.Distribution{Path: p.Name, Kind: "normal", Mean: mid, SD: s}
	}
	return d
}
