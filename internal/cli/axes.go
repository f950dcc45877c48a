package cli

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/plots"
	"github.com/metastable/metastable/stability"
)

// parseAxis reads PATH=LO..HI for the flag; PATH may be flush where that is an axis.
func parseAxis(sc *model.Scenario, flag, text string, flush bool) (*varied, error) {
	spelled := text
	if flush {
		spelled = strings.Replace(text, stability.FlushAxis+"=", stability.TrafficAxis+"=", 1) // a share as well
	}
	v, err := parseVary(sc, spelled, 0)
	if err == nil && v.n != 0 {
		return nil, usage("%s %s: want PATH=LO..HI, without a number of values", flag, text)
	}
	if err != nil {
		say := strings.NewReplacer("--vary "+spelled, flag+" "+text, "LO..HI:n", "LO..HI", "100%:17", "100%")
		return nil, usage("%s", say.Replace(err.Error()))
	}
	if spelled != text {
		v.Path = stability.FlushAxis
	}
	return v, nil
}

// spell writes a value of the axis for people.
func (v *varied) spell(x float64) string {
	switch {
	case math.IsInf(x, 1):
		return "none"
	case v.unit == "share":
		return human(100*x, 4) + " %"
	case v.unit == "1/s", v.unit == "work/s":
		return human(x, 4) + "/s"
	case v.unit == "s":
		return human(x, 4) + " s"
	}
	return human(x, 4)
}

// axis is that of a figure.
func (v *varied) axis() plots.Axis {
	a := plots.Axis{Label: v.label(), Column: v.column(), Lo: v.Lo, Hi: v.Hi}
	if v.Path == stability.FlushAxis {
		a.Label = "hit-rate loss (% of the content lost at once)"
	}
	if v.unit == "share" {
		a.Scale = plots.Percent
	}
	return a
}

// wrote names the files.
func wrote(w io.Writer, paths []string) {
	for _, path := range paths {
		if path != "" {
			fmt.Fprintln(w, "wrote", path)
		}
	}
}
