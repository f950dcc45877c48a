package montecarlo

import "fmt"

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
		batch = 64
	}
	if !(half > 0 && half < 1) || batch < 1 {
		return nil, fmt.Errorf("montecarlo: a half-width of %g in rounds of %d draws", half, batch)
	}
	var results []*PointResult
	open := make([]int, len(s.Points))
	for i := range open {
		open[i] = i
	}
	for from := 0; len(open) > 0; from += batch {
		tasks := make([]Task, len(open))
		for i, point := range open {
			tasks[i] = Task{point, from, min(from+batch, s.Draws)}
		}
		round, err := s.Do(p, tasks)
		results = Merge(results, round)
		if err != nil {
			return results, err
		}
		open = open[:0]
		for _, r := range results {
			if r.Runs == min(from+batch, s.Draws) && r.Runs < s.Draws && r.Collapse(0.95).Half() > half {
				open = append(open, r.Index)
			}
		}
	}
	return results, nil
}
