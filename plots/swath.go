package plots

import (
	"fmt"
	"image/color"
	"math"
	"slices"
)

// A Swath is an area in which a curve lies, such as for most draws of what is uncertain: a
// polygon whose last corner joins the first.
type Swath struct {
	Name string // in the legend, once for all of a name
	X, Y []float64
}

// swathColor lets what lies below show.
var swathColor = color.NRGBA{R: 0x2f, G: 0x3a, B: 0x44, A: 0x40}

func cloneSwaths(all []Swath) []Swath {
	all = slices.Clone(all)
	for i := range all {
		all[i].X, all[i].Y = slices.Clone(all[i].X), slices.Clone(all[i].Y)
	}
	return all
}

func checkSwaths(all []Swath) error {
	for i, s := range all {
		bad := func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }
		if len(s.X) != len(s.Y) || len(s.X) < 3 || slices.ContainsFunc(s.X, bad) || slices.ContainsFunc(s.Y, bad) {
			return fmt.Errorf("plots: swath %d (%q) has %d and %d coordinates: want 3 corners or more, finite", i, s.Name, len(s.X), len(s.Y))
		}
	}
	return nil
}

func swathRecords(all []Swath) (rows []record) {
	for i, s := range all {
		for k := range s.X {
			rows = append(rows, record{kind: "swath", name: fmt.Sprintf("%s %d", s.Name, i+1), at: []float64{s.X[k], s.Y[k]}})
		}
	}
	return rows
}

// swaths adds areas to the picture and the legend.
func (p *plane) swaths(all []Swath) {
	for _, s := range all {
		p.add(fill{p.points(s.X, s.Y), swathColor})
		p.entry(s.Name, swatch{swathColor})
	}
}
