package montecarlo

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/trajectory"
)

// A Sweep runs a scenario at points, many draws of its uncertain parameters each.
//
// Draw k at point i depends on the scenario, the point, i, k and Seed alone, so runs may be
// split over workers and machines in any way, and more draws leave the first as they are.
type Sweep struct {
	// Scenario is the one that varies. The sweep does not change it.
	Scenario *model.Scenario

	// Points are what varies on purpose: see [Grid] and [Spread]. One empty point is the
	// scenario itself.
	Points []Point

	// Uncertain are the parameters drawn from a law, after those of the point are set; see
	// [Uncertainty]. A parameter that the points set as well is not drawn.
	Uncertain []Uncertain

	// Joint, if not nil, are draws in which the parameters of Uncertain vary together: each
	// run takes one of them, at random. Uncertain is then [Joint.Uncertainty].
	Joint *Joint

	// Schedules are those of the throttle that points name: see [SchedulePath].
	Schedules map[string]Schedule

	// Draws is the number of runs at each point, at least 1.
	Draws int

	// Seed of all draws.
	Seed uint64

	// RTol is the relative tolerance of the integration. Default 1e-5.
	RTol float64
}

// Check reports what is wrong with the sweep before any run: a point that the scenario
// does not allow or that cannot be compiled, a law that puts mass on values that
// are not allowed.
func (s *Sweep) Check() error {
	if len(s.Points) == 0 || s.Draws < 1 {
		return fmt.Errorf("montecarlo: a sweep of %d points and %d draws", len(s.Points), s.Draws)
	}
	if !(s.RTol >= 0 && s.RTol < 0.1) {
		return fmt.Errorf("montecarlo: tolerance %g", s.RTol)
	}
	for i := range s.Points {
		sc, err := s.at(i)
		if err == nil {
			err = s.follow(sc, i)
		}
		if err == nil {
			_, err = sc.Compile()
		}
		if err != nil {
			return fmt.Errorf("montecarlo: point %d: %w", i, err)
		}
	}
	for k, u := range s.Uncertain {
		if s.Joint != nil && (k >= len(s.Joint.Paths) || s.Joint.Paths[k] != u.Path) {
			return fmt.Errorf("montecarlo: the joint draws are of %v, not of %s", s.Joint.Paths, u.Path)
		}
		if err := u.check(s.Scenario); err != nil {
			return err
		}
	}
	return nil
}

// at returns the scenario at a point, before it follows a schedule.
func (s *Sweep) at(point int) (*model.Scenario, error) {
	sc := s.Scenario.Clone()
	for _, set := range s.Points[point] {
		if set.Path == SchedulePath {
			continue
		}
		if err := set.apply(sc); err != nil {
			return nil, err
		}
	}
	return sc, nil
}

// Draw returns the scenario of a draw at a point, as it is run.
func (s *Sweep) Draw(point, draw int) (*model.Scenario, error) {
	sc, err := s.at(point)
	if err != nil {
		return nil, err
	}
	return s.draw(sc, point, draw)
}

// draw sets the uncertain parameters of a scenario at a point, and its schedule.
func (s *Sweep) draw(sc *model.Scenario, point, draw int) (*model.Scenario, error) {
	for k, v := range s.values(Stream(mix(s.Seed)^uint64(point), uint64(draw))) {
		path := s.Uncertain[k].Path
		if slices.ContainsFunc(s.Points[point], func(set Setting) bool { return set.Path == path }) {
			continue // drawn all the same: the others stay as they are
		}
		if err := sc.SetFloat(path, v); err != nil {
			return nil, err
		}
	}
	return sc, s.follow(sc, point)
}

// values draws those of the uncertain parameters.
func (s *Sweep) values(r *rand.Rand) []float64 {
	if s.Joint != nil {
		return s.Joint.Draws[r.IntN(len(s.Joint.Draws))]
	}
	var out []float64
	for _, u := range s.Uncertain {
		p := r.Float64()
		if p == 0 {
			p = 0x1p-54 // the generator's 0 stands for the half step above it
		}
		out = append(out, u.Law.Quantile(p))
	}
	return out
}

// A sweeper is one worker. It keeps the scenario of its last point.
type sweeper struct {
	s     *Sweep
	point int
	base  *model.Scenario
}

func (w *sweeper) run(point, draw int) Outcome {
	if w.base == nil || w.point != point {
		base, err := w.s.at(point)
		if err != nil {
			return Outcome{Err: err}
		}
		w.base, w.point = base, point
	}
	sc, err := w.s.draw(w.base.Clone(), point, draw)
	if err != nil {
		return Outcome{Err: err}
	}
	return Simulate(sc, w.s.RTol)
}

// Simulate runs a scenario and classifies the run. Default tolerance: 1e-5. What keeps the
// run from its end is in the outcome's Err.
func Simulate(sc *model.Scenario, rtol float64) Outcome {
	if rtol == 0 {
		rtol = 1e-5
	}
	sys, err := sc.Compile()
	if err != nil {
		return Outcome{Err: err}
	}
	r, err := trajectory.Run(sys, &trajectory.Settings{RTol: rtol, Times: []float64{}, Detail: true})
	if err == nil {
		err = r.Status.Err()
	}
	if err != nil {
		return Outcome{Err: err}
	}
	return Classify(sc, r.Columns, r.Detail.Rows)
}

// A Task asks for the draws From ≤ k < To at a point.
type Task struct{ Point, From, To int }

// Run runs all points and draws of the sweep.
func (s *Sweep) Run(p *Pool) ([]*PointResult, error) {
	return s.Part(p, 0, 1)
}

// Part runs part i of n of the sweep, 0 ≤ i < n: an even share of the runs, in order. The
// results are those of the points it touches; put together with [Merge] those of all
// parts are the bytes of Run. When the pool is ended, they are those of the runs so far,
// and the error is ErrInterrupted.
func (s *Sweep) Part(p *Pool, i, n int) ([]*PointResult, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if !(0 <= i && i < n) {
		return nil, fmt.Errorf("montecarlo: part %d of %d", i, n)
	}
	return s.Do(p, s.share(i, n))
}

// share returns the tasks of part i of n.
func (s *Sweep) share(i, n int) (tasks []Task) {
	all := len(s.Points) * s.Draws
	from, to := all*i/n, all*(i+1)/n // at most 2^63 for any sweep that ends
	for at := from; at < to; {
		point, draw := at/s.Draws, at%s.Draws
		end := min(s.Draws, draw+to-at)
		tasks = append(tasks, Task{point, draw, end})
		at += end - draw
	}
	return tasks
}

// Do runs tasks in their order and returns a result for each point among them, in order.
// It does not check the sweep.
func (s *Sweep) Do(p *Pool, tasks []Task) ([]*PointResult, error) {
	ends, total := make([]int, len(tasks)), 0
	results := map[int]*PointResult{}
	for i, t := range tasks {
		total += t.To - t.From
		ends[i] = total
		if results[t.Point] == nil {
			results[t.Point] = &PointResult{Index: t.Point, Point: s.Points[t.Point]}
		}
	}
	locate := func(i int) (point, draw int) {
		k, _ := slices.BinarySearch(ends, i+1)
		return tasks[k].Point, tasks[k].To - (ends[k] - i)
	}
	err := Fold(p, 0, total, func() *sweeper { return &sweeper{s: s} }, func(w *sweeper, i int) (Outcome, error) {
		return w.run(locate(i)), nil
	}, func(i int, o Outcome) {
		point, draw := locate(i)
		results[point].add(draw, &o)
	})
	out := make([]*PointResult, 0, len(results))
	for _, r := range results {
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b *PointResult) int { return a.Index - b.Index })
	return out, err
}
