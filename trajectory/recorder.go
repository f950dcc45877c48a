package trajectory

import (
	"fmt"
	"maps"
	"slices"

	"github.com/metastable/metastable/internal/ode"
	"github.com/metastable/metastable/model"
)

// detailRows is the most rows of Detail, jumps aside.
const detailRows = 4000

// A recorder turns what the integrator reports into rows.
type recorder struct {
	sys *model.System
	res *Result
	avg *averager // nil: values of the instant

	y        []float64 // state at a time within a step
	from, to float64   // s
	room     float64   // shortest time between two rows of Detail, s

	past map[string]error   // by pool: that its measured service curve was left
	most map[string]float64 // by pool: how far, work/s per shard
}

func newRecorder(sys *model.System, r *Result, from, to float64) *recorder {
	rec := &recorder{
		sys: sys, res: r, y: make([]float64, sys.MaxDim()), from: from, to: to, room: (to - from) / detailRows,
		past: map[string]error{}, most: map[string]float64{},
	}
	if r.Settings.Average > 0 {
		rec.avg = newAverager(rec, r.Settings.Times, r.Settings.Average)
	}
	return rec
}

func (rec *recorder) settings() *ode.Settings {
	set := &rec.res.Settings
	tols := rec.sys.Scales()
	for i := range tols {
		tols[i] *= set.ATol
	}
	s := &ode.Settings{
		RTol: set.RTol, ATol: set.ATol, ATols: tols, MaxSteps: set.MaxSteps, Done: set.Done,
		Output: set.Times, Record: rec.record,
	}
	if rec.avg != nil {
		s.Output = set.Times[:len(set.Times)-len(rec.avg.times)] // the rest are windows
	}
	if rec.avg != nil || set.Detail || set.Progress != nil {
		s.Step = rec.step
	}
	return s
}

func (rec *recorder) observe(t float64, y []float64) []float64 {
	row := make([]float64, len(rec.res.Columns))
	rec.sys.Observe(row, t, y)
	for _, end := range rec.sys.CurveEnds(t) {
		load := row[slices.Index(rec.res.Columns, "load."+end.Pool)] * end.Capacity
		if load > max(end.Load, rec.most[end.Pool]) {
			rec.most[end.Pool] = load
			rec.past[end.Pool] = fmt.Errorf("trajectory: %w", end.Exceeded("the run asks up to", load))
		}
	}
	return row
}

// unmeasured warns of each pool whose measured service curve the run leaves, as far as it was looked at.
func (rec *recorder) unmeasured() (warnings []error) {
	for _, pool := range slices.Sorted(maps.Keys(rec.past)) {
		warnings = append(warnings, rec.past[pool])
	}
	return warnings
}

func (rec *recorder) at(p *ode.Interpolant, t float64) []float64 {
	return p.At(rec.y[:p.Dim()], t)
}

// record receives the state at a time of the settings.
func (rec *recorder) record(t float64, y []float64) {
	rec.res.Rows = append(rec.res.Rows, rec.observe(t, y))
}

// step receives each accepted step. The parameters in force are those within it.
func (rec *recorder) step(p *ode.Interpolant) {
	if rec.avg != nil {
		rec.avg.step(p)
	}
	if rec.res.Settings.Detail {
		rec.detail(p)
	}
	if rec.res.Settings.Progress != nil {
		rec.res.Settings.Progress(p.T1)
	}
}

// detail adds rows at the ends of the step and at points within.
func (rec *recorder) detail(p *ode.Interpolant) {
	const parts = 4 // of a step, for a curve that looks smooth
	_, edge := slices.BinarySearch(rec.sys.Breaks(), p.T0)
	if edge || rec.last() < 0 {
		rec.addDetail(p, p.T0)
	}
	_, edge = slices.BinarySearch(rec.sys.Breaks(), p.T1)
	edge = edge || p.T1 == rec.to
	before, after, turns := rec.turn(p)
	for i := 1; i <= parts; i++ {
		t := p.T0 + (p.T1-p.T0)*float64(i)/parts
		if turns && t > before {
			turns = false
			rec.addDetail(p, before)
			rec.addDetail(p, after)
		}
		if i < parts && t-rec.last() >= rec.room {
			rec.addDetail(p, t)
		}
	}
	if edge || p.T1-rec.last() >= rec.room {
		rec.addDetail(p, p.T1)
	}
}

// turn locates where an outage begins or ends within the step, to a tenth of a second.
func (rec *recorder) turn(p *ode.Interpolant) (before, after float64, found bool) {
	const close = 0.1 // s
	short := func(t float64) bool { return shortfall(rec.observe(t, rec.at(p, t))) > 0 }
	before, after = p.T0, p.T1
	first := short(before)
	if short(after) == first {
		return 0, 0, false
	}
	for after-before > close {
		mid := (before + after) / 2
		if short(mid) == first {
			before = mid
		} else {
			after = mid
		}
	}
	return before, after, after < p.T1 && before > p.T0
}

// last returns the time of the last row of Detail, −1 before the first.
func (rec *recorder) last() float64 {
	rows := rec.res.Detail.Rows
	if len(rows) == 0 {
		return -1
	}
	return rows[len(rows)-1][model.ColTime]
}

func (rec *recorder) addDetail(p *ode.Interpolant, t float64) {
	d, y := rec.res.Detail, rec.at(p, t)
	d.Rows = append(d.Rows, rec.observe(t, y))
	d.Throttle = append(d.Throttle, rec.sys.Throttle(t))
	if rec.res.Settings.State != nil {
		rec.res.Settings.State(t, y)
	}
}
