package cli

import (
	"fmt"
	"io"
	"sort"
	"strings"
	"text/tabwriter"

	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/trajectory"
)

// A summary says what a run was about, for people.
type summary struct {
	sc    *model.Scenario
	res   *trajectory.Result
	rows  [][]float64 // of the detail
	clock clock
	lines [][2]string // label, text
}

// summarize writes the summary of a whole run.
func summarize(w io.Writer, sc *model.Scenario, res *trajectory.Result, written []string) error {
	s := &summary{sc: sc, res: res, rows: res.Detail.Rows, clock: clock{sc.Start, sc.Duration}}
	s.add("run", "%s (%s, hash %s), %s in %d steps", title(sc), sc.Name, sc.Hash(), humanTime(sc.Duration), res.Stats.Steps)
	s.actions()
	s.outages()
	s.extremes()
	s.boots()
	for _, path := range written {
		s.add("wrote", "%s", path)
	}
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	last := ""
	for _, l := range s.lines {
		if l[0] == last {
			l[0] = ""
		} else {
			last = l[0]
		}
		fmt.Fprintf(out, "%s\t%s\n", l[0], l[1])
	}
	return out.Flush()
}

func (s *summary) add(label, format string, args ...any) {
	s.lines = append(s.lines, [2]string{label, fmt.Sprintf(format, args...)})
}

// actions adds a line per timeline entry: the goodput as a share of the demand before
// it, and at its end or some minutes after it.
func (s *summary) actions() {
	const most = 40
	wait := min(600, s.sc.Duration/10)
	for i := range s.sc.Timeline {
		if i == most {
			s.add("timeline", "… and %d more", len(s.sc.Timeline)-most)
			return
		}
		e := &s.sc.Timeline[i]
		until := min(e.At+max(e.Over, wait), s.sc.Duration)
		for _, next := range s.sc.Timeline[i+1:] {
			if next.At > e.At {
				until = min(until, next.At)
				break
			}
		}
		text := actionText(s.sc, i)
		if e.Note != "" {
			text = e.Note + ": " + text
		}
		s.add("timeline", "%s  %s; goodput %s, at %s %s", s.clock.at(e.At), text, s.goodput(e.At), s.clock.at(until), s.goodput(until))
	}
}

// goodput returns the successful boots at time t, before what happens then, as a
// share of those that want to start.
func (s *summary) goodput(t float64) string {
	i := sort.Search(len(s.rows), func(i int) bool { return s.rows[i][0] >= t })
	i = min(i, len(s.rows)-1)
	return percent(s.value(i, "admitted_per_s")*s.value(i, "boot_success"), s.value(i, "boots_per_s"))
}

func (s *summary) value(row int, column string) float64 { return s.rows[row][s.index(column)] }

func (s *summary) index(column string) int {
	for i, name := range s.res.Columns {
		if name == column {
			return i
		}
	}
	panic("no column " + column)
}

func (s *summary) outages() {
	outages := trajectory.Outages(s.rows)
	if outages == nil {
		s.add("outages", "none (goodput never below 90 %% of the boots for a minute)")
	}
	if kind := s.sc.Initial.Kind; outages != nil && outages[0][0] == 0 && kind != "cold" && kind != "given" {
		s.add("warning", "the equilibrium the run starts from is an outage: at the traffic of its start there is no healthy one")
	}
	for _, o := range outages {
		end := "to " + s.clock.at(o[1])
		if o[1] == s.sc.Duration {
			end = "and not over at the end"
		}
		s.add("outages", "from %s %s: %s", s.clock.at(o[0]), end, humanTime(o[1]-o[0]))
	}
}

// extremes adds the lowest hit rate of each class and the highest load of each pool.
func (s *summary) extremes() {
	for _, c := range s.sc.Classes {
		if c.Value.Cached {
			v, t := s.least("hit_rate."+c.Name, 1)
			s.add("lowest hit rate", "%s %s at %s", c.Name, humanHit(v), t)
		}
	}
	for _, p := range s.sc.Pools {
		v, t := s.least("load."+p.Name, -1)
		s.add("highest load", "%s %s of capacity at %s", p.Name, human(v, 3), t)
	}
}

// least returns the value of a column at which sign times it is least, and when.
func (s *summary) least(column string, sign float64) (value float64, at string) {
	i, best := s.index(column), 0
	for k, row := range s.rows {
		if sign*row[i] < sign*s.rows[best][i] {
			best = k
		}
	}
	return s.rows[best][i], s.clock.at(s.rows[best][0])
}

func (s *summary) boots() {
	parts := []string{"none given up"}
	if lost := trajectory.Lost(s.rows); lost >= 0.5 {
		parts[0] = "about " + human(lost, 2) + " given up"
	}
	if waiting := s.value(len(s.rows)-1, "waiting_clients"); waiting >= 0.5 {
		parts = append(parts, fmt.Sprintf("%s still waiting at the end", human(waiting, 3)))
	}
	s.add("boots", "%s", strings.Join(parts, ", "))
}
