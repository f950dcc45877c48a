package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/metastable/metastable/audit"
	"github.com/metastable/metastable/data"
	"github.com/metastable/metastable/internal/ode"
	page "github.com/metastable/metastable/internal/report"
	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/plots"
	"github.com/metastable/metastable/trajectory"
)

type reviewFlags struct {
	inputFlags
	out            string
	quiet          bool
	queries, pools string
	draws, jobs    int
	seed           uint64
}

func newReview() *cobra.Command {
	f := &reviewFlags{}
	cmd := &cobra.Command{
		Use:   "review SCENARIO -o DIR",
		Short: "Do the whole capacity review of a scenario, as one page",
		Long: `Runs the scenario, lists its states at the peak of its traffic, follows them over
traffic, maps where it is safe, measures which triggers tip it, how likely it collapses
within its uncertainty, how to bring it home and what would have saved it, and writes
DIR/report.html: one page that needs no network, with figures to zoom into, verdict first.
Beside it lie the tables as CSV and the figures as SVG.

A part that cannot be computed says why in its place, and the others are there all the
same. An interrupt writes the page with what is finished.`,
		Example: `  metastable review slack-2022-02-22 -o review
  metastable review hotos21-cache -o review --draws 10 --queries slack`,
		Args: oneArg(scenarioArg),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	f.inputFlags.add(cmd)
	fl := cmd.Flags()
	fl.StringVarP(&f.out, "output", "o", "review", "write into this `DIR`")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "no summary and no progress on standard error")
	fl.StringVar(&f.queries, "queries", "", "an inventory of queries to audit: a `FILE`, or the shipped one, slack")
	fl.StringVar(&f.pools, "pools", "", "the `FILE` with the pools of the inventory")
	fl.IntVar(&f.draws, "draws", 40, "`number` of draws of the uncertainty at each of nine traffics")
	fl.Uint64Var(&f.seed, "seed", 1, "`seed` of the draws")
	fl.IntVar(&f.jobs, "jobs", 0, "`number` of parts computed side by side (default: as many as processors)")
	return cmd
}

// A reviewer computes the parts of a review.
type reviewer struct {
	*reviewFlags
	sc   *model.Scenario
	peak model.Moment
	dir  string
	done <-chan struct{}
	day  func() (*trajectory.Result, error) // the scenario's own run, once for all parts

	audited *audit.Report // of the inventory; nil without one
	ignored []string      // what of the inventory does not count
}

// A part is a section of a review.
type part struct {
	page.Section
	verdict string // of the whole review; empty in all but one part
}

// parts in the order of the page.
var parts = []struct {
	id, title string
	compute   func(*reviewer, *part) error
}{
	{"run", "What happens", (*reviewer).simulate},
	{"states", "Where it rests at the peak", (*reviewer).states},
	{"branches", "As traffic grows", (*reviewer).branches},
	{"map", "Where it is safe", (*reviewer).phases},
	{"triggers", "What tips it", (*reviewer).triggers},
	{"chance", "How likely", (*reviewer).chance},
	{"home", "The way home", (*reviewer).home},
	{"remedies", "What would help", (*reviewer).remedies},
	{"queries", "Which queries hide the load", (*reviewer).audit},
}

func (f *reviewFlags) run(cmd *cobra.Command, arg string) error {
	if f.draws < 1 || f.draws > 100_000 {
		return usage("--draws %d: want 1 to 100000", f.draws)
	}
	sc, err := f.load(cmd, arg)
	if err != nil {
		return err
	}
	if _, err := sc.Compile(); err != nil {
		return fmt.Errorf("%s: %w", sc.Name, err)
	}
	if f.pools != "" && f.queries == "" {
		return usage("--pools %s: give the inventory: --queries FILE", f.pools)
	}
	r := &reviewer{reviewFlags: f, sc: sc, dir: f.out, done: cmd.Context().Done()}
	if err := r.inventory(); err != nil {
		return err
	}
	out := &sink{dir: f.out}
	if err := out.prepare(); err != nil {
		return err
	}
	begun := time.Now()
	r.peak = model.Moment{Traffic: peakTraffic(sc), Throttle: math.Inf(1)}
	r.day = sync.OnceValues(r.runDay)
	done := r.compute(cmd)
	p := r.page(done, time.Since(begun))
	path := filepath.Join(f.out, "report.html")
	if err := writeFile(path, func(w io.Writer) error { return page.Write(w, p) }); err != nil {
		return err
	}
	if !f.quiet {
		w := cmd.ErrOrStderr()
		fmt.Fprintln(w, p.Verdict)
		for _, s := range p.Sections {
			for _, line := range s.Points {
				fmt.Fprintln(w, "-", line)
			}
		}
		fmt.Fprintln(w, "wrote", path)
	}
	if cmd.Context().Err() != nil {
		return errors.New("interrupted; the page holds what was finished")
	}
	return nil
}

// peakTraffic returns the largest share of the full rate that the profile reaches.
func peakTraffic(sc *model.Scenario) float64 {
	most := 1.0
	for i, p := range sc.Traffic.Profile.Points {
		if i == 0 || p.Value > most {
			most = p.Value
		}
	}
	return most
}

// compute returns the parts in the order of the page. What fails says so in its place.
func (r *reviewer) compute(cmd *cobra.Command) []*part {
	var count sync.Mutex
	reach := func() {}
	if !r.quiet {
		bar := newProgress(cmd.ErrOrStderr(), float64(len(parts)))
		defer bar.stop()
		finished := 0.0
		reach = func() {
			count.Lock()
			defer count.Unlock()
			finished++
			bar.reach(finished)
		}
	}
	type none struct{}
	out, _, _ := ode.Ensemble(context.Background(), len(parts), r.jobs, func() none { return none{} },
		func(_ context.Context, _ none, i int) (*part, error) {
			defer reach()
			p := &part{Section: page.Section{ID: parts[i].id, Title: parts[i].title}}
			if cmd.Context().Err() != nil {
				p.Warnings = append(p.Warnings, "Not computed: interrupted.")
				return p, nil
			}
			if err := parts[i].compute(r, p); err != nil {
				p.Warnings = append(p.Warnings, "Not computed: "+err.Error())
			}
			return p, nil
		})
	return out
}

// page puts the parts together.
func (r *reviewer) page(done []*part, took time.Duration) *page.Page {
	p := &page.Page{Title: title(r.sc), Verdict: "The states at the peak could not be found: see below."}
	for _, x := range done {
		if x.verdict != "" {
			p.Verdict = x.verdict
		}
		if len(x.Points)+len(x.Text)+len(x.Facts)+len(x.Figures)+len(x.Tables)+len(x.Warnings) > 0 {
			p.Sections = append(p.Sections, x.Section)
		}
	}
	p.About = []page.Fact{
		{Name: "made by", Value: "metastable " + version()},
		{Name: "scenario", Value: r.sc.Name + ", hash " + r.sc.Hash()},
		{Name: "set", Value: strings.Join(r.set, ", ")},
		{Name: "method", Value: "fluid equations of hit rates, queues, retries and sessions; see docs/model.md"},
		{Name: "the peak", Value: r.peakText() + ", no throttle, parameters as at the start of the run"},
		{Name: "trajectories", Value: ode.Rodas5P.String() + ", relative tolerance 1e-6 (the run) and 1e-5 (draws and searches)"},
		{Name: "states of rest", Value: "refined until the scaled residual of the whole system is at most 1e-10"},
		{Name: "limits", Value: "bisected to 1e-4 of the value (traffic, throttle) and 1e-3 of the content (triggers)"},
		{Name: "way home", Value: "every step of the throttle safe for half an hour at a limit 5 % larger, by trajectories of the whole system"},
		{Name: "draws", Value: fmt.Sprintf("%d at each traffic, seed %d; intervals with %.0f %% confidence (Wilson)", r.draws, r.seed, 100*sweepConfidence)},
		{Name: "what it does not see", Value: "single users, keys and shards (they are averages), the network, connection pools, failover; docs/model.md, limits and validity"},
		{Name: "computed in", Value: humanTime(took.Seconds())},
	}
	if len(r.set) == 0 {
		p.About = slices.Delete(p.About, 2, 3)
	}
	p.Scenario = string(r.sc.YAML())
	if text, err := data.Incident(r.sc.Name); err == nil {
		p.Sources = string(text)
	}
	return p
}

// add puts a figure, and what it shows in words, into a part, and its picture and table
// into the directory.
func (r *reviewer) add(p *part, name, caption string, f plots.Figure, facts ...page.Fact) error {
	if _, err := writeFigure(f, filepath.Join(r.dir, r.sc.Name+"."+name), ".svg", ".csv"); err != nil {
		return err
	}
	plot, err := plots.Interactive(f)
	if err != nil {
		return err
	}
	var svg strings.Builder
	if err := f.Write(&svg, "svg"); err != nil {
		return err
	}
	p.Figures = append(p.Figures, page.Figure{Caption: caption, Facts: facts, Plot: plot, SVG: []byte(svg.String())})
	return nil
}

// save writes a table into the directory.
func (r *reviewer) save(t *table, name string) error {
	_, err := (&sink{dir: r.dir}).write(t, r.sc.Name+"."+name, true)
	return err
}

// shown returns a table for the page, with times of the run by the clock.
func (r *reviewer) shown(t *table, caption string) page.Table {
	const nothing = 1e-6 // what a table for people shows as 0
	out := page.Table{Caption: caption, Columns: t.names()}
	c := clock{r.sc.Start, r.sc.Duration}
	for k, row := range t.rows {
		var cells []string
		if t.label != "" {
			cells = append(cells, t.labels[k])
		}
		for i, v := range row {
			switch {
			case math.IsNaN(v):
				cells = append(cells, "–")
			case math.IsInf(v, 1):
				cells = append(cells, "none")
			case t.columns[i] == "t_s", t.columns[i] == "until_s":
				cells = append(cells, c.at(v))
			case math.Abs(v) < nothing && t.columns[i] != "eigenvalue_per_s":
				cells = append(cells, "0")
			default:
				cells = append(cells, human(v, 4))
			}
		}
		out.Rows = append(out.Rows, cells)
	}
	return out
}

// factsOf returns what an explanation says, a line each: what stands before a colon, and
// what after it. Lines without one come first, as paragraphs.
func factsOf(tell func(w io.Writer)) (text []string, facts []page.Fact) {
	for _, l := range lines(tell) {
		name, value, ok := strings.Cut(l, ": ")
		if !ok {
			text = append(text, l)
			continue
		}
		facts = append(facts, page.Fact{Name: name, Value: value})
	}
	return text, facts
}

// peakText says how much traffic the peak is.
func (r *reviewer) peakText() string {
	return bootsText(r.peak.Traffic * r.sc.Traffic.Boots)
}

// bootsText writes a rate of boots with four digits.
func bootsText(v float64) string {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64) // what is written can be read
	return exact(v) + " boots/s"
}

// lines returns what an explanation says, a paragraph a line, with a capital.
func lines(tell func(w io.Writer)) []string {
	var b strings.Builder
	tell(&b)
	out := strings.FieldsFunc(b.String(), func(c rune) bool { return c == '\n' })
	for i, l := range out {
		out[i] = strings.ToUpper(l[:1]) + l[1:]
	}
	return out
}
