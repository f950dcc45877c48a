package stability

import "math"

// A grid is the values of a function of the plane at the corners of equal cells.
type grid struct {
	x, y   []float64
	values [][]float64 // by x, then y; NaN where there is none
}

// contour returns the curves on which f is 0: marching squares, with the crossings of
// the edges of cells found by bisection on f itself.
func (g *grid) contour(f func(q [2]float64) float64) []Track {
	type edge struct {
		i, j int
		up   bool // from the corner i, j along y; else along x
	}
	zeros := map[edge][2]float64{}
	crossing := func(e edge) ([2]float64, bool) {
		if q, ok := zeros[e]; ok {
			return q, true
		}
		k, l := e.i+1, e.j
		if e.up {
			k, l = e.i, e.j+1
		}
		a, b := g.values[e.i][e.j], g.values[k][l]
		if math.IsNaN(a) || math.IsNaN(b) || (a < 0) == (b < 0) {
			return [2]float64{}, false
		}
		q := zero(f, [2]float64{g.x[e.i], g.y[e.j]}, [2]float64{g.x[k], g.y[l]}, a)
		zeros[e] = q
		return q, true
	}
	next := map[edge][]edge{}
	for i := range len(g.x) - 1 {
		for j := range len(g.y) - 1 {
			var found []edge
			for _, e := range []edge{{i, j, false}, {i + 1, j, true}, {i, j + 1, false}, {i, j, true}} {
				if _, ok := crossing(e); ok {
					found = append(found, e)
				}
			}
			for k := 0; k+1 < len(found); k += 2 {
				a, b := found[k], found[k+1]
				next[a], next[b] = append(next[a], b), append(next[b], a)
			}
		}
	}
	var curves []Track
	walk := func(start edge) {
		var t Track
		for e, more := start, true; more; {
			q := zeros[e]
			t.add(q[:])
			more = false
			for _, n := range next[e] {
				next[e], next[n] = without(next[e], n), without(next[n], e)
				e, more = n, true
				break
			}
		}
		if len(t.X) > 1 {
			curves = append(curves, t)
		}
	}
	for _, ends := range []bool{true, false} { // open curves from an end, then closed ones
		for i := range g.x {
			for j := range g.y {
				for _, up := range []bool{false, true} {
					if e := (edge{i, j, up}); len(next[e]) == 1 || !ends && len(next[e]) > 0 {
						walk(e)
					}
				}
			}
		}
	}
	return curves
}

// without returns the list less one entry.
func without[T comparable](list []T, drop T) []T {
	var out []T
	for _, v := range list {
		if v != drop {
			out = append(out, v)
		}
	}
	return out
}

// zero finds the zero of f between two points by bisection; fa is its value at a.
func zero(f func([2]float64) float64, a, b [2]float64, fa float64) [2]float64 {
	const halves = 30
	mid := a
	for range halves {
		mid = [2]float64{(a[0] + b[0]) / 2, (a[1] + b[1]) / 2}
		v := f(mid)
		switch {
		case v == 0:
			return mid
		case (v < 0) == (fa < 0):
			a = mid
		default:
			b = mid
		}
	}
	return mid
}
