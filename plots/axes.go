package plots

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// A scale maps a quantity to the coordinate of its axis, which is linear on paper,
// and marks that axis.
type scale struct {
	kind  Scale
	to    func(v float64) float64
	slope func(v float64) float64          // of to
	ticks func(lo, hi float64) []plot.Tick // in coordinates
}

// Ticks makes a scale the ticker of its axis.
func (s scale) Ticks(lo, hi float64) []plot.Tick { return s.ticks(lo, hi) }

// linear is the plain scale, for quantities that start at 0.
var linear = scale{
	kind:  Linear,
	to:    func(v float64) float64 { return v },
	slope: func(float64) float64 { return 1 },
	ticks: func(lo, hi float64) []plot.Tick { return evenTicks(lo, hi, siDigits) },
}

// percent is the linear scale of a share 0…1, marked in %.
var percent = scale{
	kind:  Percent,
	to:    func(v float64) float64 { return 100 * v },
	slope: func(float64) float64 { return 100 },
	ticks: func(lo, hi float64) []plot.Tick {
		return evenTicks(lo, hi, func(v float64, digits int) string { return strconv.FormatFloat(v, 'g', digits, 64) })
	},
}

// logarithmic is log10 of a quantity; 0 and less lie at -Inf and are drawn on the
// lower edge.
var logarithmic = scale{
	kind:  Log,
	to:    func(v float64) float64 { return math.Log10(math.Max(v, 0)) },
	slope: func(v float64) float64 { return 1 / (v * math.Ln10) },
	ticks: func(lo, hi float64) []plot.Tick { return decadeTicks(lo, hi, siLabel) },
}

// nines is the scale of a share that is mostly near 1, like a hit rate: -log10(1 -
// v), so 0 %, 90 %, 99 %, 99.9 % are equal steps. A share of 1 lies at +Inf and is
// drawn on the upper edge.
var nines = scale{
	kind:  Nines,
	to:    func(v float64) float64 { return -math.Log10(math.Max(1-v, 0)) },
	slope: func(v float64) float64 { return 1 / ((1 - v) * math.Ln10) },
	ticks: func(lo, hi float64) []plot.Tick {
		ticks := decadeTicks(-hi, -lo, func(miss float64) string {
			// Round: 100 - 0.2 is not the float64 nearest to 99.8.
			return strconv.FormatFloat(math.Round(1e10*(1-miss))/1e8, 'g', -1, 64)
		})
		for i := range ticks {
			ticks[i].Value = -ticks[i].Value
		}
		return ticks
	},
}

// niceStep returns the least of 1, 2 and 5 times a power of ten that divides span
// into at most most parts.
func niceStep(span float64, most int) float64 {
	least := span / float64(most)
	unit := math.Pow(10, math.Floor(math.Log10(least)))
	for _, f := range []float64{1, 2, 5} {
		if f*unit >= least*(1-1e-9) {
			return f * unit
		}
	}
	return 10 * unit
}

// evenTicks marks lo…hi at multiples of a nice step, at most six parts, with six digits or as
// many as tell neighbours apart.
func evenTicks(lo, hi float64, label func(v float64, digits int) string) []plot.Tick {
	step := niceStep(hi-lo, 6)
	digits := max(6, 1+int(math.Ceil(math.Log10(math.Max(math.Abs(lo), math.Abs(hi))/step))))
	var ticks []plot.Tick
	for i := math.Ceil(lo / step); i*step <= hi; i++ {
		v := i*step + 0 // no negative zero
		ticks = append(ticks, plot.Tick{Value: v, Label: label(v, digits)})
	}
	return ticks
}

// decadeTicks marks the log10 range lo…hi at 1…9 times the powers of ten. The
// shorter the range, the more of them are labelled; the others are minor ticks.
func decadeTicks(lo, hi float64, label func(float64) string) []plot.Tick {
	digits := "1"
	for _, d := range []struct {
		below  float64 // decades
		digits string
	}{{0.6, "12345678"}, {1, "1235"}, {2, "125"}, {2.7, "13"}} {
		if hi-lo < d.below {
			digits = d.digits
			break
		}
	}
	every := math.Max(1, math.Ceil((hi-lo)/6)) // decades from label to label
	var ticks []plot.Tick
	for k := math.Floor(lo); k <= hi; k++ {
		for m := 1; m <= 9; m++ {
			t := plot.Tick{Value: k + math.Log10(float64(m))}
			if t.Value < lo || t.Value > hi {
				continue
			}
			if strings.Contains(digits, strconv.Itoa(m)) && math.Mod(k, every) == 0 {
				t.Label = label(float64(m) * math.Pow(10, k))
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// siLabel writes v with the suffixes that scenario files use: 400, 1.5k, 20M, 3G.
func siLabel(v float64) string { return siDigits(v, 6) }

func siDigits(v float64, digits int) string {
	for _, s := range []struct {
		unit   float64
		suffix string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if math.Abs(v) >= s.unit*(1-1e-9) {
			return strconv.FormatFloat(v/s.unit, 'g', digits, 64) + s.suffix
		}
	}
	return strconv.FormatFloat(v, 'g', digits, 64)
}
