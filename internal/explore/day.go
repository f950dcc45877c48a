package explore

import (
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/trajectory"
)

// A Day is a run of the game, dense where something moves, with both sides of each jump.
type Day struct {
	Columns  []string
	Rows     [][]float64 // as the detail of a [trajectory.Result]
	Throttle []float64   // 1/s, +Inf for none
	Table    [][]float64 // the rows of [trajectory.Result]: what the command simulate writes

	// Needed is the tipping line: the hit rate of class Class at which what is asked of the
	// pools now would load one of them just to its capacity. 0 where they carry it without
	// a cache, 1 where they do not with a full one. Nil without a cached class.
	Needed []float64
	Class  int // column of its hit rate, −1 without one

	Lost    []float64    // clients that gave up so far
	Outages [][2]float64 // s
	State   []State      // in words

	Scenario *model.Scenario // as run
}

// Run runs the day with the actions.
func (g *Game) Run(actions []Action) (*Day, error) {
	sc, err := g.Scenario(actions)
	if err != nil {
		return nil, err
	}
	sys, err := sc.Compile()
	if err != nil {
		return nil, err
	}
	d := &Day{Scenario: sc, Columns: sys.Columns()}
	d.Class = slices.IndexFunc(d.Columns, func(c string) bool { return strings.HasPrefix(c, "hit_rate.") })
	for q := range sc.Classes { // the first that is cached
		if sc.Classes[q].Value.Cached {
			d.Class = slices.Index(d.Columns, "hit_rate."+sc.Classes[q].Name)
			break
		}
		d.Class = -1
	}
	set := &trajectory.Settings{Detail: true}
	if d.Class >= 0 {
		l := newLine(sys, d.Class)
		set.State = func(t float64, y []float64) { d.Needed = append(d.Needed, l.needed(t, y)) }
	}
	res, err := trajectory.Run(sys, set)
	if err != nil {
		return nil, err
	}
	if res.Status.Early() {
		return nil, res.Status.Err()
	}
	if len(res.Warnings) > 0 {
		return nil, errors.Join(res.Warnings...)
	}
	d.Rows, d.Throttle, d.Table = res.Detail.Rows, res.Detail.Throttle, res.Rows
	d.Outages = trajectory.Outages(d.Rows)
	d.Lost = trajectory.LostSoFar(d.Rows)
	d.State = d.states()
	return d, nil
}

// load returns the largest load of a pool in a row.
func (d *Day) load(row []float64) float64 {
	most := math.Inf(-1)
	for i, name := range d.Columns {
		if isLoad(name) {
			most = max(most, row[i])
		}
	}
	return most
}

func isLoad(column string) bool { return strings.HasPrefix(column, "load.") }
