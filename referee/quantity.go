package referee

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"
)

// A Point is the fluid beside what is exact; NaN stands for what there is not.
type Point struct {
	T      float64 // end of the window, s; of the whole run: its end
	Fluid  float64
	Mean   float64 // of the replications
	Lo, Hi float64 // interval of that mean at Settings.Confidence
	Spread float64 // standard deviation between replications
	Chain  float64

	// Off is how far the fluid is outside the interval, or without a simulation away from the
	// chain, over the size of what is measured: the simulated mean (the chain), for a share
	// at least 0.01, for clients at least one, and for all but shares at least a hundredth
	// of the largest over the run. Of a hit rate it is the missing part that counts.
	// 0: inside. NaN: not to be compared.
	Off float64

	// Wide is half the interval over the same size: a fluid inside may be off by as much.
	Wide float64
}

// Near is the Point.Off that still counts as near.
const Near = 0.05

// A Quantity is what is known of the difference in one column.
type Quantity struct {
	Column  string
	Run     Point   // means over the whole run
	Worst   Point   // the window where the fluid is furthest off; of what is not compared the last
	Outside float64 // share of the windows in which the fluid is off by more than Near
}

// measure compares every column that has something to compare with.
func (r *Result) measure() {
	for j, name := range r.Columns[1:] {
		truth := r.truth(j + 1)
		q := Quantity{Column: name}
		windows := 0.0
		for i := range r.Fluid {
			p := truth.at(i)
			if math.IsNaN(p.Off) && truth.judged {
				continue
			}
			if windows++; p.Off > Near {
				q.Outside++
			}
			if windows == 1 || p.Off > q.Worst.Off || !truth.judged {
				q.Worst = p
			}
		}
		if windows > 0 {
			q.Outside /= windows
			q.Run = truth.run()
			r.Quantities = append(r.Quantities, q)
		}
	}
	slices.SortStableFunc(r.Quantities, func(a, b Quantity) int { return rank(a.Column) - rank(b.Column) })
}

// rank orders columns by what matters to users.
func rank(column string) int {
	kind, _, _ := strings.Cut(column, ".")
	order := []string{
		"boot_success", "success", "hit_rate", "load", "in_system", "timeout", "refused", "miss",
		"attempts_per_s", "admitted_per_s", "sessions", "boots_per_s", uncompared,
	}
	return slices.Index(order, kind)
}

// uncompared is the column that fluid and simulation count in different ways.
const uncompared = "waiting_clients"

// undecided warns of the quantities whose interval over the run is too wide to tell whether the
// fluid is near.
func (r *Result) undecided() {
	if r.Simulated == nil {
		return
	}
	var wide []string
	most := 0.0
	for _, q := range r.Quantities {
		if q.Column != "boots_per_s" && q.Run.Off <= Near && q.Run.Wide > Near {
			wide = append(wide, fmt.Sprintf("%s (±%.2g %%)", q.Column, 100*q.Run.Wide))
			most = math.Max(most, q.Run.Wide)
		}
	}
	if wide == nil {
		return
	}
	runs := float64(len(r.Simulated.Runs))
	r.Warnings = append(r.Warnings, fmt.Errorf(
		"referee: too wide intervals to tell whether the fluid is within %g %%: %s; about %.0f replications in place of %.0f would do",
		100*Near, strings.Join(wide, ", "), math.Ceil(runs*(most/Near)*(most/Near)), runs))
}

// Series returns the comparison in every window of a column, nil if there is none of that name.
func (r *Result) Series(column string) (points []Point) {
	j := slices.Index(r.Columns, column)
	if j < 1 {
		return nil
	}
	t := r.truth(j)
	for i := range r.Fluid {
		points = append(points, t.at(i))
	}
	return points
}

// truth is what a column is compared with.
type truth struct {
	*Result
	column      int
	complement  bool // the missing part of 1 is what counts
	judged      bool
	least, half float64
}

func (r *Result) truth(column int) *truth {
	const least = 0.01
	t := &truth{Result: r, column: column, least: least, judged: r.Columns[column] != uncompared}
	switch kind, _, _ := strings.Cut(r.Columns[column], "."); {
	case kind == "hit_rate":
		t.complement = true
	case slices.Contains([]string{"boot_success", "miss", "success", "timeout", "refused"}, kind):
	default:
		most := 0.0
		for i := range r.Fluid {
			_, _, _, mean := t.exact(i)
			most = math.Max(most, mean)
		}
		t.least *= most
		if kind == "sessions" {
			t.least = math.Max(t.least, 1)
		}
	}
	t.half = math.NaN()
	if r.Simulated != nil {
		t.half = distuv.StudentsT{Sigma: 1, Nu: float64(len(r.Simulated.Runs) - 1)}.Quantile((1 + r.Settings.Confidence) / 2)
	}
	return t
}

// exact returns what is known of a window, and which of it the fluid is compared with.
func (t *truth) exact(row int) (mean, se, chain, against float64) {
	mean, se, chain = math.NaN(), math.NaN(), math.NaN()
	if t.Chain != nil {
		chain = t.Chain.Rows[row][t.column]
	}
	if t.Simulated != nil {
		mean, se = t.Simulated.Mean[row][t.column], t.Simulated.SE[row][t.column]
		return mean, se, chain, mean
	}
	return mean, se, chain, chain
}

// at is the comparison in a window.
func (t *truth) at(row int) Point {
	mean, se, chain, _ := t.exact(row)
	return t.point(t.Fluid[row][0], t.Fluid[row][t.column], mean, se, chain)
}

func (t *truth) point(end, fluid, mean, se, chain float64) Point {
	half := t.half * se
	p := Point{T: end, Fluid: fluid, Mean: mean, Lo: mean - half, Hi: mean + half, Chain: chain}
	against := mean
	if t.Simulated == nil {
		against, half = chain, 0
	} else {
		p.Spread = se * math.Sqrt(float64(len(t.Simulated.Runs)))
	}
	p.Off = math.Max(math.Abs(fluid-against)-half, 0)
	if t.complement {
		against = 1 - against
	}
	size := math.Max(against, t.least)
	if p.Off > 0 {
		p.Off /= size
	}
	if p.Wide = 0; half > 0 {
		p.Wide = half / size
	}
	if !t.judged {
		p.Off, p.Wide = math.NaN(), math.NaN()
	}
	return p
}

// run compares means over the run: of the windows that have something to compare.
func (t *truth) run() Point {
	over := func(rows [][]float64) float64 {
		total, n := 0.0, 0.0
		for i, row := range rows {
			_, _, _, against := t.exact(i)
			if v := row[t.column]; !math.IsNaN(v) && !math.IsNaN(against) {
				total += v
				n++
			}
		}
		return total / n
	}
	mean, se, chain := math.NaN(), math.NaN(), math.NaN()
	if t.Chain != nil {
		chain = over(t.Chain.Rows)
	}
	if t.Simulated != nil {
		var means []float64
		for _, rows := range t.Simulated.Runs {
			means = append(means, over(rows))
		}
		mean, se = meanOf(means)
	}
	return t.point(t.Fluid[len(t.Fluid)-1][0], over(t.Fluid), mean, se, chain)
}

// meanOf returns the mean of values and its standard error.
func meanOf(values []float64) (mean, se float64) {
	n := float64(len(values))
	for _, v := range values {
		mean += v / n
	}
	for _, v := range values {
		se += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(se / n / (n - 1))
}
