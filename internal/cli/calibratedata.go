package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/metastable/metastable/calibrate"
	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/montecarlo"
	"github.com/metastable/metastable/stability"
	"github.com/metastable/metastable/telemetry"
)

// params reads --free.
func (f *calibrateFlags) params(sc *model.Scenario) ([]calibrate.Param, error) {
	var out []calibrate.Param
	for _, text := range f.free {
		spelled, linear := strings.CutSuffix(text, ":linear")
		name, rest := "", spelled
		if at := strings.IndexByte(spelled, ':'); at >= 0 && at < strings.IndexByte(spelled, '=') {
			name, rest = spelled[:at+1], spelled[at+1:]
		}
		p := calibrate.Param{}
		if span, ok := strings.CutPrefix(rest, calibrate.Offset+"="); ok {
			lo, hi, _ := strings.Cut(span, "..")
			for _, end := range []struct {
				text string
				x    *float64
			}{{lo, &p.Lo}, {hi, &p.Hi}} {
				x, err := model.Quantity(strings.TrimPrefix(end.text, "-"), "s")
				if err != nil {
					return nil, usage("--free %s: want offset=LO..HI, such as offset=-30s..30s", text)
				}
				if strings.HasPrefix(end.text, "-") {
					x = -x
				}
				*end.x = x
			}
			p.Name = name + calibrate.Offset
		} else {
			v, err := parseAxis(sc, "--free", rest, false)
			switch {
			case err != nil:
				return nil, err
			case v.Path == stability.TrafficAxis:
				return nil, usage("--free %s: fit traffic.boots in its place", text)
			}
			p = calibrate.Param{Name: name + v.Path, Lo: v.Lo, Hi: v.Hi, Log: v.Lo > 0 && !linear}
		}
		if p.Lo > p.Hi {
			return nil, usage("--free %s: want LO..HI, the lower bound first", text)
		}
		out = append(out, p)
	}
	return out, nil
}

// startOf returns the scenario's own values, held inside the bounds, to start from.
func startOf(sc *model.Scenario, params []calibrate.Param) []float64 {
	var out []float64
	paths := sc.Paths()
	for _, p := range params {
		_, path, ok := strings.Cut(p.Name, ":")
		if !ok {
			path = p.Name
		}
		start := (p.Lo + p.Hi) / 2
		if i := slices.IndexFunc(paths, func(q model.Path) bool { return q.Path == path }); i >= 0 {
			if v, err := model.Quantity(paths[i].Value, paths[i].Unit); err == nil {
				start = v
			}
		}
		out = append(out, min(max(start, p.Lo), p.Hi))
	}
	return out
}

// A mapping is what a column means.
type mapping struct {
	text             string
	column, quantity string
	noise            calibrate.Noise
	given            bool // the law of the errors
	used             bool
}

func (f *calibrateFlags) mappings() ([]*mapping, error) {
	var out []*mapping
	for _, text := range f.maps {
		at := strings.LastIndexByte(text, '=')
		if at <= 0 {
			return nil, usage("--map %s: want COLUMN=QUANTITY, such as requests_per_s=attempts", text)
		}
		m := &mapping{text: text, column: text[:at], quantity: text[at+1:]}
		kind := f.noise
		if q, k, ok := strings.Cut(m.quantity, ":"); ok {
			m.quantity, kind = q, k
		}
		kind, size, sized := strings.Cut(kind, ",")
		m.given = kind != ""
		if kind == "" {
			kind = calibrate.Gaussian.String()
			if calibrate.IsShare(m.quantity) {
				kind = calibrate.Binomial.String()
			}
		}
		k := slices.Index(calibrate.NoiseKinds[:], kind)
		if k < 0 {
			return nil, usage("--map %s: no law of errors is called %q: want %s", text, kind, strings.Join(calibrate.NoiseKinds[:], ", "))
		}
		m.noise.Kind = calibrate.NoiseKind(k)
		if sized {
			var err error
			if m.noise.Scale, err = noiseScale(m.noise.Kind, size); err != nil {
				return nil, usage("--map %s: %w", text, err)
			}
		}
		if slices.ContainsFunc(out, func(o *mapping) bool { return o.column == m.column && o.quantity == m.quantity }) {
			return nil, usage("--map %s: %s is %s already, and counts once", text, m.column, m.quantity)
		}
		out = append(out, m)
	}
	return out, nil
}

// noiseScale reads how large errors are: a share, a number of trials, or a standard
// deviation in the unit of the quantity.
func noiseScale(kind calibrate.NoiseKind, text string) (float64, error) {
	unit, want := "1", "a standard deviation above 0 in the unit of the quantity, such as gaussian,20"
	switch kind {
	case calibrate.Relative:
		unit, want = "share", "a share above 0, such as relative,5%"
	case calibrate.Binomial:
		want = "a number of trials, 1 or more, such as binomial,400"
	}
	v, err := model.Quantity(text, unit)
	switch {
	case err != nil || !(v > 0) || math.IsInf(v, 0) || kind == calibrate.Binomial && v < 1:
		return 0, fmt.Errorf("errors of %s: want %s", text, want)
	case kind == calibrate.Binomial:
		return 1 / math.Sqrt(v), nil
	}
	return v, nil
}

// priors gives parameters the laws that --prior names.
func (f *calibrateFlags) priors(sc *model.Scenario, params []calibrate.Param) error {
	for _, text := range f.prior {
		name, law, own := strings.Cut(text, "=")
		i := slices.IndexFunc(params, func(p calibrate.Param) bool { return p.Name == name })
		if i < 0 {
			return usage("--prior %s: no --free parameter is called %s", text, name)
		}
		_, path, ok := strings.Cut(name, ":")
		if !ok {
			path = name
		}
		from := sc
		if own {
			var err error
			if from, err = withLaw(sc, path, law); err != nil {
				return usage("--prior %s: %w", text, err)
			}
		}
		laws, err := montecarlo.Uncertainty(from)
		if err != nil {
			return fmt.Errorf("--prior %s: %w", text, err)
		}
		k := slices.IndexFunc(laws, func(u montecarlo.Uncertain) bool { return u.Path == path })
		if k < 0 {
			return usage("--prior %s: the scenario's uncertainty has no law of %s; give one, such as %s={normal: {mean: 1, sd: 0.1}}", text, path, name)
		}
		params[i].Prior = laws[k].Law.(calibrate.Law)
	}
	return nil
}

// withLaw returns the scenario with one law as its uncertainty, spelled as in its file.
func withLaw(sc *model.Scenario, path, law string) (*model.Scenario, error) {
	c := sc.Clone()
	c.Uncertainty = nil
	out, err := model.Parse("", fmt.Appendf(c.YAML(), "\nuncertainty: {%s: %s}\n", path, law), nil)
	var bad *model.ParseError
	if errors.As(err, &bad) {
		bare := model.ParseError{Key: strings.TrimPrefix(bad.Key, "uncertainty."), Found: bad.Found, Allowed: bad.Allowed, Message: bad.Message}
		return nil, &bare
	}
	return out, err
}

// recordings reads --data, each file with its --with.
func (f *calibrateFlags) recordings(cmd *cobra.Command, sc *model.Scenario) ([]calibrate.Recording, error) {
	maps, err := f.mappings()
	if err != nil {
		return nil, err
	}
	set := &telemetry.Settings{}
	if f.zone != "" {
		if set.Zone, err = time.LoadLocation(f.zone); err != nil {
			return nil, usage("--zone %s: want a name such as Europe/Berlin or America/New_York", f.zone)
		}
	}
	var recs []calibrate.Recording
	for _, text := range f.data {
		name, path, ok := strings.Cut(text, "=")
		if !ok {
			name, path = "", text
		}
		switch {
		case path == "":
			return nil, usage("--data %s: want [NAME=]FILE", text)
		case name == "" && len(f.data) > 1:
			return nil, usage("--data %s: of several files each needs a name: want NAME=FILE", text)
		}
		run, err := f.settings(sc, name)
		if err != nil {
			return nil, err
		}
		rec := calibrate.Recording{Name: name, Scenario: run, Average: float64(f.every)}
		if f.window > 0 {
			rec.Average = float64(f.window)
		}
		d, err := readTelemetry(cmd.InOrStdin(), path, set)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		for _, line := range condensed(d.Warnings) {
			fmt.Fprintf(cmd.ErrOrStderr(), "warning: %s: %s\n", path, line)
		}
		if rec.Series, err = f.series(d, maps, path); err != nil {
			return nil, err
		}
		for _, m := range rec.Series {
			after, _ := slices.BinarySearch(m.T, run.Duration*(1+1e-9)+float64(f.every))
			if late := len(m.T) - after; late > 0 {
				fmt.Fprintf(cmd.ErrOrStderr(), "warning: %s: %d of %d samples of %s lie after the end of the scenario, which is held there; give it a longer duration, or cut them\n", path, late, len(m.T), m.Name)
			}
		}
		recs = append(recs, rec)
	}
	for _, m := range maps {
		if !m.used {
			return nil, usage("--map %s: no file has a column called so", m.text)
		}
	}
	return recs, nil
}

// settings returns the scenario of one run.
func (f *calibrateFlags) settings(sc *model.Scenario, name string) (*model.Scenario, error) {
	run := sc.Clone()
	for _, text := range f.with {
		whose, rest, ok := strings.Cut(text, ":")
		path, value, ok2 := strings.Cut(rest, "=")
		known := slices.ContainsFunc(f.data, func(d string) bool { return strings.HasPrefix(d, whose+"=") })
		if !ok || !ok2 || !known {
			return nil, usage("--with %s: want NAME:path=value with the NAME of a --data NAME=FILE", text)
		}
		if whose != name {
			continue
		}
		if err := run.Set(path, value); err != nil {
			return nil, fmt.Errorf("--with %s: %w", text, err)
		}
	}
	return run, nil
}

// readTelemetry reads a file, or stdin for -.
func readTelemetry(stdin io.Reader, path string, set *telemetry.Settings) (*telemetry.Data, error) {
	if path == "-" {
		return telemetry.Read(stdin, set)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, errors.Unwrap(err)
	}
	defer file.Close()
	return telemetry.Read(file, set)
}

// series returns the mapped columns of a file, in time of the scenario.
func (f *calibrateFlags) series(d *telemetry.Data, maps []*mapping, path string) ([]calibrate.Measured, error) {
	begin, err := f.beginOf(d)
	if err != nil {
		return nil, err
	}
	var out []calibrate.Measured
	for _, m := range maps {
		s := column(d, m.column)
		if s == nil {
			continue
		}
		m.used = true
		late := 0.0 // the mean of a bin is known at its end
		if f.every > 0 {
			means, _, err := s.Resample(float64(f.every))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			s, late = &means, float64(f.every)
		}
		got := calibrate.Measured{Name: m.column, Quantity: m.quantity, Noise: m.noise}
		for i, t := range s.T {
			if at := t + late - begin; at >= 0 {
				got.T, got.V = append(got.T, at), append(got.V, s.V[i])
			}
		}
		if len(got.T) == 0 {
			return nil, fmt.Errorf("%s: %s has no sample after the start of the scenario", path, m.column)
		}
		out = append(out, got)
	}
	return out, nil
}

// beginOf returns the time of the data at which the scenario starts.
func (f *calibrateFlags) beginOf(d *telemetry.Data) (float64, error) {
	first, any := 0.0, false
	for i := range d.Series {
		if s := &d.Series[i]; len(s.T) > 0 && (!any || s.T[0] < first) {
			first, any = s.T[0], true
		}
	}
	if f.begin == "" {
		return first, nil
	}
	if t, err := time.Parse(time.RFC3339, f.begin); err == nil {
		return float64(t.UnixMilli()) / 1000, nil
	}
	s, err := strconv.ParseFloat(f.begin, 64)
	if err != nil {
		return 0, usage("--begin %s: want a time such as 2022-02-22T06:00:00Z, or a number of seconds", f.begin)
	}
	const epochs = 1e8 // larger numbers count from 1970
	if s < epochs {
		s += first
	}
	return s, nil
}

// column returns a series by name, or one divided by another or by a number, or times a
// number.
func column(d *telemetry.Data, name string) *telemetry.Series {
	if s := d.Find(name); s != nil {
		return s
	}
	at := strings.LastIndexAny(name, "/*")
	if at <= 0 {
		return nil
	}
	s := d.Find(name[:at])
	if s == nil {
		return nil
	}
	other := d.Find(name[at+1:])
	fixed, err := strconv.ParseFloat(name[at+1:], 64)
	if err != nil && (other == nil || name[at] == '*') {
		return nil
	}
	out := telemetry.Series{Info: s.Info}
	for i, t := range s.T {
		by := fixed
		if err != nil {
			by = held(other, t)
		}
		v := s.V[i] * by
		if name[at] == '/' {
			v = s.V[i] / by
		}
		if !math.IsNaN(v) && !math.IsInf(v, 0) { // divided by nothing: no sample
			out.T, out.V = append(out.T, t), append(out.V, v)
		}
	}
	return &out
}

// held returns the last value of a series until a time; NaN before the first.
func held(s *telemetry.Series, t float64) float64 {
	i, found := slices.BinarySearch(s.T, t)
	if !found {
		i--
	}
	if i < 0 {
		return math.NaN()
	}
	return s.V[i]
}
