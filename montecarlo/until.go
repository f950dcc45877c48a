package montecarlo

import (
	"fmt"
	"math"
)

// untilBatch is the number of draws of a round, by default.
const untilBatch = 64

// Until runs draws at every point until the interval of its probability of collapse, at
// 95 %, is no wider than ±half, in rounds of batch draws (default 64) and at most Draws of
// the sweep. What a point has seen is then its first draws. Stopping when the interval
// is narrow takes a little from its coverage near 0 and 1, where the width itself
// depends on the count; rounds keep that small.
func (s *Sweep) Until(p *Pool, half float64, batch int) ([]*PointResult, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if batch == 0 {
		batch = untilBatch
	}
	if !(half > 0 && half < 1) || batch < 1 {
		return nil, fmt.Errorf("montecarlo: a half-width of %g in rounds of %d draws", half, batch)
	}
	w := work{sweep: s, half: half, batch: batch}
	for i := range s.Points {
		w.tasks = append(w.tasks, Task{i, 0, s.Draws})
	}
	var results []*PointResult
	for {
		tasks := w.next(results, math.MaxInt, true)
		if len(tasks) == 0 {
			return results, nil
		}
		round, err := s.Do(p, tasks)
		results = Merge(results, round)
		if err != nil {
			return results, err
		}
	}
}

// Boundary finds where the probability of collapse crosses one half on the sweep's points,
// a [Grid] over two axes of nx and ny values; see the function Boundary. The results are
// those of the points looked at. A run without an answer counts as no collapse on the
// map, and as failed in the results.
func (s *Sweep) Boundary(p *Pool, nx, ny int, set *BoundarySettings) (*Map, []*PointResult, error) {
	var h Search
	m, err := h.Run(s, p, nx, ny, set, func() error { return nil })
	return m, h.Results, err
}

// A Search is how far the search for a boundary has come. Its JSON is a checkpoint.
type Search struct {
	Plan    string         `json:"plan"`   // ID
	Rounds  [][]int        `json:"rounds"` // of each, the hits by task
	Results []*PointResult `json:"results"`
}

// Run is [Sweep.Boundary] from where the search was on, and calls save after each round. A
// round that is interrupted begins again.
func (h *Search) Run(s *Sweep, p *Pool, nx, ny int, set *BoundarySettings, save func() error) (*Map, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if nx*ny != len(s.Points) {
		return nil, fmt.Errorf("montecarlo: %d points are no grid of %d by %d", len(s.Points), nx, ny)
	}
	asked := 0
	return Boundary(nx, ny, set, func(tasks []Task) ([]int, error) {
		if asked++; asked <= len(h.Rounds) {
			if hits := h.Rounds[asked-1]; len(hits) == len(tasks) {
				return hits, nil
			}
			return nil, fmt.Errorf("montecarlo: round %d of the search is one of another sweep", asked)
		}
		round, err := s.Do(p, tasks)
		if err != nil {
			return nil, err
		}
		collapsed := map[int]int{}
		for _, r := range round {
			collapsed[r.Index] = r.Counts[Collapsed]
		}
		hits := make([]int, len(tasks))
		for i, t := range tasks {
			hits[i] = collapsed[t.Point]
		}
		h.Rounds, h.Results = append(h.Rounds, hits), Merge(h.Results, round)
		return hits, save()
	})
}
