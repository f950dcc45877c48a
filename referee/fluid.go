package referee

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/trajectory"
)

// parts is how many pieces a window of the fluid is made of: within one, rates and
// probabilities are taken to be independent.
const parts = 50

// flow runs the fluid. Probabilities are those of the boots, requests and queries that begin in
// a window, as the simulation counts them.
func (r *Result) flow(sc *model.Scenario) error {
	sys, err := sc.Compile()
	if err != nil {
		return err
	}
	windows := int(math.Round(sc.Duration / r.Settings.Every))
	times := make([]float64, windows*parts)
	for i := range times {
		times[i] = sc.Duration * float64(i+1) / float64(len(times))
	}
	f, err := trajectory.Run(sys, &trajectory.Settings{Times: times, Average: times[0]})
	if err != nil {
		return err
	}
	if f.Status.Early() {
		return fmt.Errorf("referee: the fluid stopped at %g s of %g s: %w", f.T, sc.Duration, f.Status.Err())
	}
	r.Columns, r.Warnings = f.Columns, f.Warnings
	w := newWeights(sc, f.Columns)
	for rows := range slices.Chunk(f.Rows, parts) {
		r.Fluid = append(r.Fluid, w.mean(rows))
	}
	return nil
}

// weights say by what the probabilities of a window are weighed.
type weights struct {
	columns []string
	classes []classWeight
	pools   map[string][]int // the classes of each
}

type classWeight struct {
	name             string
	boot, session    float64
	admitted, people int // columns
	miss             int
}

func newWeights(sc *model.Scenario, columns []string) *weights {
	w := &weights{columns: columns, pools: map[string][]int{}}
	for i, c := range sc.Classes {
		w.classes = append(w.classes, classWeight{
			c.Name, c.Value.PerBoot, c.Value.PerSession,
			slices.Index(columns, "admitted_per_s"), slices.Index(columns, "sessions"), slices.Index(columns, "miss."+c.Name),
		})
		pool := c.Value.Pool
		if pool == "" {
			pool = sc.Pools[0].Name
		}
		w.pools[pool] = append(w.pools[pool], i)
	}
	return w
}

// of returns the weight of a column in a row.
func (w *weights) of(column int, row []float64) float64 {
	kind, name, _ := strings.Cut(w.columns[column], ".")
	switch kind {
	case "boot_success":
		return row[w.classes[0].admitted]
	case "miss", "success":
		i := slices.IndexFunc(w.classes, func(c classWeight) bool { return c.name == name })
		return w.classes[i].rate(row)
	case "timeout", "refused":
		total := 0.0
		for _, i := range w.pools[name] {
			total += w.classes[i].rate(row) * row[w.classes[i].miss]
		}
		if kind == "timeout" { // of those that are accepted
			total *= 1 - row[slices.Index(w.columns, "refused."+name)]
		}
		return total
	}
	return 1
}

// rate is that of the requests of a class, 1/s.
func (c *classWeight) rate(row []float64) float64 {
	return c.boot*row[c.admitted] + c.session*row[c.people]
}

func (w *weights) mean(rows [][]float64) []float64 {
	out := make([]float64, len(w.columns))
	for j := range out {
		sum, weight := 0.0, 0.0
		for _, row := range rows {
			g := w.of(j, row)
			sum += g * row[j]
			weight += g
		}
		out[j] = sum / weight
	}
	out[0] = rows[len(rows)-1][0]
	return out
}
