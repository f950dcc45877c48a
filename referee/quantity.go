package referee

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"
)

// A Point is the fluid beside a simulated mean and its interval.
type Point struct {
	T      float64 // end of the window, s; the whole run: its end
	Fluid  float64
	Mean   float64 // of the replications
	Lo, Hi float64 // interval of that mean at Settings.Confidence
	Spread float64 // standard deviation between replications

	// Off is how far the fluid is outside the interval, over the size of what is measured:
	// Mean, for a share at least 0.01, for clients at least one, and for all but shares at
	// least a hundredth of the largest simulated mean. Of a hit rate it is the missing part
	// that counts. 0: inside.
	Off float64
}

// Near is the Point.Off that still counts as near.
const Near = 0.05

// A Quantity is what is known of the difference in one column.
type Quantity struct {
	Column  string
	Run     Point   // means over the whole run
	Worst   Point   // the window where the fluid is furthest off
	Outside float64 // share of the windows in which the fluid is outside by more than Near
}

// measure compares every column that was counted in every window of some replications.
func (r *Result) measure() {
	d := r.Simulated
	for j, name := range r.Columns {
		if j == 0 {
			continue
		}
		size := r.size(j)
		q := Quantity{Column: name}
		windows := 0.0
		for i, row := range r.Fluid {
			p := r.point(size, row[0], row[j], d.Mean[i][j], d.SE[i][j])
			if math.IsNaN(p.Off) {
				continue
			}
			if windows++; p.Off > Near {
				q.Outside++
			}
			if windows == 1 || p.Off > q.Worst.Off {
				q.Worst = p
			}
		}
		if windows == 0 {
			continue
		}
		q.Outside /= windows
		q.Run = r.whole(j, size)
		r.Quantities = append(r.Quantities, q)
	}
}

// size returns what Point.Off is relative to.
func (r *Result) size(column int) func(mean float64) float64 {
	const least = 0.01
	kind, _, _ := strings.Cut(r.Columns[column], ".")
	switch {
	case kind == "hit_rate":
		return func(mean float64) float64 { return math.Max(1-mean, least) }
	case slices.Contains([]string{"boot_success", "miss", "success", "timeout", "refused"}, kind):
		return func(mean float64) float64 { return math.Max(mean, least) }
	}
	most := 0.0
	if slices.Contains([]string{"waiting_clients", "sessions"}, kind) {
		most = 1 / least
	}
	for _, row := range r.Simulated.Mean {
		most = math.Max(most, row[column]) // NaN stays out: no column of these has any
	}
	return func(mean float64) float64 { return math.Max(mean, least*most) }
}

func (r *Result) point(size func(float64) float64, t, fluid, mean, se float64) Point {
	n := len(r.Simulated.Runs)
	half := se * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile((1+r.Settings.Confidence)/2)
	p := Point{T: t, Fluid: fluid, Mean: mean, Lo: mean - half, Hi: mean + half, Spread: se * math.Sqrt(float64(n))}
	if p.Off = math.Max(math.Abs(fluid-mean)-half, 0); p.Off > 0 {
		p.Off /= size(mean)
	}
	return p
}

// whole compares means over the run; a window without a value counts in neither.
func (r *Result) whole(column int, size func(float64) float64) Point {
	d := r.Simulated
	length := func(i int) float64 {
		if i == 0 {
			return r.Fluid[0][0]
		}
		return r.Fluid[i][0] - r.Fluid[i-1][0]
	}
	mean := func(rows [][]float64) float64 {
		total, time := 0.0, 0.0
		for i, row := range rows {
			if v := row[column]; !math.IsNaN(v) && !math.IsNaN(d.Mean[i][column]) {
				total += v * length(i)
				time += length(i)
			}
		}
		return total / time
	}
	sum, square, n := 0.0, 0.0, float64(len(d.Runs))
	values := make([]float64, len(d.Runs))
	for k, rows := range d.Runs {
		values[k] = mean(rows)
		sum += values[k]
	}
	for _, v := range values {
		square += (v - sum/n) * (v - sum/n)
	}
	return r.point(size, r.Fluid[len(r.Fluid)-1][0], mean(r.Fluid), sum/n, math.Sqrt(square/n/(n-1)))
}
