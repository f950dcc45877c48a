package recovery

import (
	"fmt"
	"math"
)

// Settings control the search for a plan. The zero value of a field stands for the
// default its comment states; nil Settings are all defaults.
type Settings struct {
	// Steps is the number of steps of a plan, at least 2; the last one takes the throttle
	// off. Default 8.
	Steps int

	// MinHold is the shortest time between two steps in seconds; every hold is a
	// multiple of it. Default 60.
	MinHold float64

	// Watch is the time in seconds for which a step has to stay up to count as safe.
	// Default 1800.
	Watch float64

	// Longest is the time within which the plan has to be home, in seconds. Default 4 h.
	Longest float64

	// Margin: each step would be safe at a limit larger by this share. Default 0.05.
	Margin float64

	// Share of the situations of an ensemble that have to come home. Default 0.99.
	Share float64

	// Workers is the number of runs side by side. Default: the number of processors.
	Workers int

	// Progress, if not nil, is called with the number of remedies weighed so far.
	Progress func(done float64)

	// Done, if not nil, ends the search once it is closed, with an error.
	Done <-chan struct{}
}

const defaultWatch = 1800 // s

func (s *Settings) withDefaults() (*Settings, error) {
	var d Settings
	if s != nil {
		d = *s
	}
	for _, f := range []struct {
		x       *float64
		name    string
		v, most float64
	}{
		{&d.MinHold, "MinHold", 60, 1e6},
		{&d.Watch, "Watch", defaultWatch, 1e7},
		{&d.Longest, "Longest", 4 * 3600, 1e7},
		{&d.Margin, "Margin", 0.05, 10},
		{&d.Share, "Share", 0.99, 1},
	} {
		if *f.x == 0 {
			*f.x = f.v
		}
		if !(*f.x > 0 && *f.x <= f.most) {
			return nil, fmt.Errorf("recovery: %s %g outside (0, %g]", f.name, *f.x, f.most)
		}
	}
	if d.Steps == 0 {
		d.Steps = 8
	}
	if d.Steps < 2 || d.Steps > 1000 {
		return nil, fmt.Errorf("recovery: %d steps, want 2 to 1000", d.Steps)
	}
	if d.MinHold*float64(d.Steps-1) > d.Longest {
		return nil, fmt.Errorf("recovery: %d steps of at least %g s do not fit into %g s", d.Steps, d.MinHold, d.Longest)
	}
	return &d, nil
}

// limits returns n limits, the last none: from first to last in steps of one factor
// with bend 1, of smaller and smaller factors with less.
func limits(n int, first, last, bend float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		x := 0.0
		if n > 2 {
			x = math.Pow(float64(i)/float64(n-2), bend)
		}
		out[i] = round2(first * math.Pow(last/first, x))
	}
	out[n-1] = math.Inf(1)
	return out
}

// round2 rounds to two significant digits, as people set limits.
func round2(x float64) float64 {
	if x <= 0 {
		return 0
	}
	unit := math.Pow10(int(math.Floor(math.Log10(x))) - 1)
	return math.Round(x/unit) * unit
}
