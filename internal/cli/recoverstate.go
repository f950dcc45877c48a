package cli

import (
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/recovery"
)

// stateFlags say what is seen in an outage, in place of what the scenario's own run has.
type stateFlags struct {
	hitRate, waiting, queue string
}

func (f *stateFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.hitRate, "hit-rate", "", "hit `rate` that is seen, such as 62%, or 55%..69% with --draws (default: as in the scenario's run, like the next two)")
	fl.StringVar(&f.waiting, "waiting", "", "`clients` that wait to try again, such as 3.2M, or 2M..4M with --draws")
	fl.StringVar(&f.queue, "queue", "", "`work` units in system per shard, or full")
}

// A beginning is where a way home begins, for the scenario and for draws of it.
type beginning struct {
	at, ahead float64
	done      <-chan struct{}
	seen      [3]bool       // hit rate, clients that wait, work in system
	initial   model.Initial // the scenario's, where its Initial holds what is seen
}

func (b *beginning) stated() bool { return b.seen != [3]bool{} }

// apply returns where the way home begins and the scenario whose Initial, where something
// is seen, holds that, with its uncertainty.
func (f *stateFlags) apply(sc *model.Scenario, b beginning, draws int) (*beginning, *model.Scenario, error) {
	if cached := func(c model.Named[model.Class]) bool { return c.Value.Cached }; f.hitRate != "" && !slices.ContainsFunc(sc.Classes, cached) {
		return nil, nil, usage("--hit-rate %s: %s has no cached class", f.hitRate, sc.Name)
	}
	b.initial = sc.Initial
	out := sc
	for i, v := range []struct{ flag, text, path string }{
		{"hit-rate", f.hitRate, "initial.hit_rate"},
		{"waiting", f.waiting, "initial.waiting"},
		{"queue", f.queue, "initial.in_system"},
	} {
		if v.text == "" {
			continue
		}
		if !b.stated() {
			out = sc.Clone()
			out.Initial = model.Initial{Kind: "given"}
		}
		b.seen[i] = true
		lo, hi, isRange := strings.Cut(v.text, "..")
		if !isRange {
			hi = lo
		}
		var ends [2]float64
		for k, text := range []string{lo, hi} {
			if err := out.Set(v.path, text); err != nil {
				return nil, nil, usage("--%s %s: %s", v.flag, v.text, afterPath(err, v.path))
			}
			ends[k] = [3]float64{out.Initial.HitRate, out.Initial.Waiting, out.Initial.InSystem}[i]
		}
		switch {
		case !isRange:
			continue
		case !(ends[0] < ends[1] && !math.IsInf(ends[1], 1)):
			return nil, nil, usage("--%s %s: want a range from less to more", v.flag, v.text)
		case draws == 0:
			return nil, nil, usage("--%s %s: a range asks for --draws; without them give one value", v.flag, v.text)
		}
		out.Uncertainty = append(out.Uncertainty, model.Distribution{Path: v.path, Kind: "uniform", Lo: ends[0], Hi: ends[1]})
		if err := out.SetFloat(v.path, ends[0]+(ends[1]-ends[0])/2); err != nil {
			return nil, nil, err
		}
	}
	return &b, out, nil
}

// afterPath is the text of an error without the path that it begins with.
func afterPath(err error, path string) string {
	text := err.Error()
	if i := strings.LastIndex(text, path+": "); i >= 0 {
		return text[i+len(path)+2:]
	}
	return text
}

// situation returns where the way home begins.
func (b *beginning) situation(sc *model.Scenario) (*recovery.Situation, error) {
	if !b.stated() {
		return recovery.At(sc, b.at, b.ahead, b.done)
	}
	seen, run := sc.Initial, sc.Clone()
	for i, v := range []*float64{&seen.HitRate, &seen.Waiting, &seen.InSystem} {
		if !b.seen[i] {
			*v = math.NaN()
		}
	}
	run.Initial = b.initial
	return recovery.From(run, seen, b.at, b.ahead, b.done)
}
