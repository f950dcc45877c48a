package montecarlo

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/metastable/metastable/model"
)

// maxAxis is the most values of one axis.
const maxAxis = 10_000

// A Setting is the value of one parameter of a scenario at a point of a sweep.
type Setting struct {
	Path string

	// Text is the value as the file spells it, where it is one of a list; otherwise it
	// is empty and X is the value in SI units.
	Text string
	X    float64
}

// apply sets the parameter.
func (s Setting) apply(sc *model.Scenario) error {
	if s.Text != "" {
		return sc.Set(s.Path, s.Text)
	}
	return sc.SetFloat(s.Path, s.X)
}

// An Axis is a parameter that a sweep varies.
type Axis struct {
	Path string

	Texts []string // a list; otherwise
	Lo    float64  // a range in SI units, with
	Hi    float64
	N     int  // values in a grid, and
	Log   bool // even steps of the logarithm; or
	Law   distuv.Quantiler

	whole bool // the parameter is a whole number
}

// ParseAxis reads an axis of the scenario in one of the forms
//
//	path=lo..hi:n       n values from lo to hi, as in traffic.boots=2000/s..4000/s:20
//	path=log:lo..hi:n   the same with even steps of the logarithm
//	path=a,b,c          these values
//	path                the law that the scenario's uncertainty gives it
//
// with values as the file spells them. For a design other than a grid, :n may be left out.
// It fails when there is no such path, lo is not below hi, or a value is not allowed.
func ParseAxis(sc *model.Scenario, text string) (Axis, error) {
	path, values, ok := strings.Cut(text, "=")
	a := Axis{Path: path}
	var err error
	switch {
	case !ok:
		err = a.parseLaw(sc)
	case strings.Contains(values, ".."):
		err = a.parseRange(sc, values)
	default:
		err = a.parseList(sc, values)
	}
	if err != nil {
		return Axis{}, fmt.Errorf("montecarlo: axis %q: %w", text, err)
	}
	return a, nil
}

func (a *Axis) parseLaw(sc *model.Scenario) error {
	if _, err := sc.Get(a.Path); err != nil {
		return err
	}
	all, err := Uncertainty(sc)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(u Uncertain) bool { return u.Path == a.Path })
	if i < 0 {
		return fmt.Errorf("the scenario's uncertainty has no law of it; give values: %s=lo..hi:n or %s=a,b", a.Path, a.Path)
	}
	a.Law = all[i].Law
	return nil
}

func (a *Axis) parseList(sc *model.Scenario, values string) error {
	a.Texts = strings.Split(values, ",")
	if len(a.Texts) > maxAxis {
		return fmt.Errorf("%d values, want at most %d", len(a.Texts), maxAxis)
	}
	for _, v := range a.Texts {
		if v == "" {
			return fmt.Errorf("an empty value; want path=a,b,c")
		}
		if err := sc.Clone().Set(a.Path, v); err != nil {
			return err
		}
	}
	return nil
}

func (a *Axis) parseRange(sc *model.Scenario, values string) error {
	values, a.Log = strings.CutPrefix(values, "log:")
	lo, hi, _ := strings.Cut(values, "..")
	count, counted := "", strings.Count(hi, ":") > strings.Count(lo, ":") // a clock time has a colon of its own
	if at := strings.LastIndexByte(hi, ':'); counted {
		hi, count = hi[:at], hi[at+1:]
	}
	var err error
	if a.Lo, err = Number(sc, a.Path, lo); err != nil {
		return err
	}
	if a.Hi, err = Number(sc, a.Path, hi); err != nil {
		return err
	}
	if !(a.Lo < a.Hi) {
		return fmt.Errorf("the lower end %s is not below the upper end %s", lo, hi)
	}
	if a.Log && a.Lo <= 0 {
		return fmt.Errorf("a logarithmic range from %s; it has to start above 0", lo)
	}
	if counted {
		if a.N, err = strconv.Atoi(count); err != nil || a.N < 2 || a.N > maxAxis {
			return fmt.Errorf("%q values; want a whole number from 2 to %d", count, maxAxis)
		}
	}
	a.whole = sc.Clone().SetFloat(a.Path, math.Floor(a.Lo)+0.5) != nil && sc.Clone().SetFloat(a.Path, math.Ceil(a.Lo)) == nil
	for i := range a.N {
		if err := a.at(float64(i) / float64(a.N-1)).apply(sc.Clone()); err != nil {
			return err
		}
	}
	return nil
}

// at returns the setting at a share u of the way along the axis, 0…1.
func (a *Axis) at(u float64) Setting {
	s := Setting{Path: a.Path}
	switch {
	case a.Texts != nil:
		s.Text = a.Texts[min(int(u*float64(len(a.Texts))), len(a.Texts)-1)]
	case a.Law != nil:
		s.X = a.Law.Quantile(u)
	case u == 1:
		s.X = a.Hi // to the last bit
	case a.Log:
		s.X = a.Lo * math.Pow(a.Hi/a.Lo, u)
	default:
		s.X = a.Lo + u*(a.Hi-a.Lo)
	}
	if a.whole {
		s.X = math.Round(s.X)
	}
	return s
}

// A Point is a point of a sweep: a setting per axis.
type Point []Setting

// Grid returns all combinations of the values of the axes, the last axis fastest. It
// fails for an axis without a number of values.
func Grid(axes []Axis) ([]Point, error) {
	points := []Point{nil}
	for _, a := range axes {
		n := max(a.N, len(a.Texts))
		if n == 0 {
			return nil, fmt.Errorf("montecarlo: a grid over %s without a number of values: want %s=lo..hi:n", a.Path, a.Path)
		}
		if n*len(points) > 1_000_000 {
			return nil, fmt.Errorf("montecarlo: a grid of more than a million points")
		}
		var next []Point
		for _, p := range points {
			for i := range n {
				u := (float64(i) + 0.5) / float64(n)
				if a.Texts == nil {
					u = float64(i) / float64(n-1)
				}
				next = append(next, append(slices.Clip(p), a.at(u)))
			}
		}
		points = next
	}
	return points, nil
}

// Spread returns n points of a design over the axes.
func Spread(axes []Axis, d Design, n int, seed uint64) ([]Point, error) {
	if len(axes) == 0 {
		return nil, fmt.Errorf("montecarlo: a design without axes")
	}
	x, err := Sample(d, n, len(axes), seed)
	if err != nil {
		return nil, err
	}
	points := make([]Point, n)
	for i := range points {
		for j := range axes {
			points[i] = append(points[i], axes[j].at(x.At(i, j)))
		}
	}
	return points, nil
}

// siSuffixes are those of the canonical spelling of [model.Scenario.Get]; no two units
// spell the same suffix with different values.
var siSuffixes = map[string]float64{
	"": 1, "s": 1, "ms": 1e-3, "m": 60, "h": 3600, "d": 86400, "k": 1e3, "M": 1e6, "G": 1e9,
	"/s": 1, "k/s": 1e3, "M/s": 1e6, "G/s": 1e9,
}

// Number reads a value as the file spells it, in SI units, a time as seconds since the
// start, and checks that the scenario allows it.
func Number(sc *model.Scenario, path, text string) (float64, error) {
	trial := sc.Clone()
	if err := trial.Set(path, text); err != nil {
		return 0, err
	}
	if entry := 0; strings.HasPrefix(path, "timeline.") && strings.HasSuffix(path, ".at") {
		_, err := fmt.Sscanf(path, "timeline.%d.at", &entry)
		return trial.Timeline[entry].At, err // its spelling may be a time of day
	}
	canonical, err := trial.Get(path)
	if err != nil {
		return 0, err
	}
	at := strings.LastIndexAny(canonical, "0123456789.") + 1
	x, err := strconv.ParseFloat(canonical[:at], 64)
	scale, ok := siSuffixes[canonical[at:]]
	if err != nil || !ok {
		return 0, fmt.Errorf("%s = %s is not a number", path, text)
	}
	return x * scale, nil
}
