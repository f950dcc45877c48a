package calibrate

import (
	"math"
	"math/rand/v2"
	"sync"

	"gonum.org/v1/gonum/optimize"
)

// evolve looks for the least cost in the whole cube by CMA-ES, restarted from where it
// stopped with twice the population (Auger and Hansen 2005,
// doi:10.1109/CEC.2005.1554902), and returns the best point seen. Points outside are
// mirrored at the faces.
func (e *evaluator) evolve(u []float64, evaluations int, seed uint64) []float64 {
	var mu sync.Mutex
	best, least, left := append([]float64(nil), u...), math.Inf(1), evaluations
	prob := optimize.Problem{Func: func(x []float64) float64 {
		in := mirrored(x)
		c := e.cost(in, e.predict(in))
		mu.Lock()
		defer mu.Unlock()
		left--
		if c < least {
			best, least = in, c
		}
		return min(c, 1e300) // no answer is a bad one, and arithmetic goes on
	}}
	for population := 8 + int(3*math.Log(float64(len(u)))); left > population; population *= 2 {
		method := &optimize.CmaEsChol{InitStepSize: 0.3, Population: population, StopLogDet: math.Log(1e-10) * 2 * float64(len(u)), Src: rand.NewPCG(seed, uint64(population))}
		_, err := optimize.Minimize(prob, best, &optimize.Settings{FuncEvaluations: (left + 1) / 2, Concurrent: max(1, e.workers), Converger: optimize.NeverTerminate{}}, method)
		if err != nil && left == evaluations {
			break
		}
	}
	return best
}

// mirrored folds a point into the cube.
func mirrored(x []float64) []float64 {
	in := make([]float64, len(x))
	for i, v := range x {
		v = math.Abs(math.Mod(v, 2))
		if v > 1 {
			v = 2 - v
		}
		in[i] = v
	}
	return in
}
