package markov

// A Grid numbers the states (queue, other): so many queries in system, and so many clients
// in the orbit or keys that are cold. The shorter side runs fastest, which keeps the band
// narrow. State 0 is the empty queue without the other.
type Grid struct {
	Queue, Other int // how many values each takes
}

// Len returns the number of states.
func (g Grid) Len() int { return g.Queue * g.Other }

// Index returns the number of a state.
func (g Grid) Index(queue, other int) int {
	if g.Queue < g.Other {
		return other*g.Queue + queue
	}
	return queue*g.Other + other
}

// At returns the state of a number.
func (g Grid) At(index int) (queue, other int) {
	if g.Queue < g.Other {
		return index % g.Queue, index / g.Queue
	}
	return index / g.Other, index % g.Other
}

// move carries a law from one grid to another; what does not fit lands on the edge.
func (g Grid) move(law []float64, to Grid) []float64 {
	if g == to {
		return law
	}
	out := make([]float64, to.Len())
	for i, p := range law {
		q, o := g.At(i)
		out[to.Index(min(q, to.Queue-1), min(o, to.Other-1))] += p
	}
	return out
}
