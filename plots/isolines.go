package plots

import "math"

// isolines returns where values on a grid cross a level: lines in units of the grid, by
// straight lines between neighbours. z[i·len(y)+j] belongs to (x[i], y[j]); a cell with a
// corner that is NaN has no line. Where a cell has two crossings, its mean decides which
// corners belong together.
func isolines(x, y, z []float64, level float64) [][]xy {
	ny := len(y)
	at := func(i, j int) float64 { return z[i*ny+j] - level }
	var parts [][2]xy
	for i := range len(x) - 1 {
		for j := range ny - 1 {
			parts = append(parts, crossings(i, j, [4]float64{at(i, j), at(i+1, j), at(i+1, j+1), at(i, j+1)})...)
		}
	}
	return join(parts)
}

// crossings returns the segments in the cell whose lower corner is (i, j), from its values
// around it, counterclockwise.
func crossings(i, j int, v [4]float64) (out [][2]xy) {
	corners := [4]xy{{float64(i), float64(j)}, {float64(i + 1), float64(j)}, {float64(i + 1), float64(j + 1)}, {float64(i), float64(j + 1)}}
	var cut []xy
	for k := range 4 {
		a, b := k, (k+1)%4
		if (v[a] < 0) == (v[b] < 0) {
			continue
		}
		if a > b || a == 2 { // a side has the same point from both of its cells
			a, b = b, a
		}
		f := v[a] / (v[a] - v[b])
		cut = append(cut, xy{corners[a].x + f*(corners[b].x-corners[a].x), corners[a].y + f*(corners[b].y-corners[a].y)})
	}
	for _, c := range v {
		if math.IsNaN(c) {
			return nil
		}
	}
	switch len(cut) {
	case 2:
		out = [][2]xy{{cut[0], cut[1]}}
	case 4:
		if (v[0]+v[1]+v[2]+v[3] < 0) == (v[0] < 0) { // the first corner goes with the middle
			out = [][2]xy{{cut[0], cut[1]}, {cut[2], cut[3]}}
		} else {
			out = [][2]xy{{cut[3], cut[0]}, {cut[1], cut[2]}}
		}
	}
	return out
}

// join puts segments that share an end together.
func join(parts [][2]xy) [][]xy {
	from := map[xy][]int{}
	for k, s := range parts {
		from[s[0]], from[s[1]] = append(from[s[0]], k), append(from[s[1]], k)
	}
	used := make([]bool, len(parts))
	extend := func(line []xy) []xy {
		for {
			next := -1
			end := line[len(line)-1]
			for _, k := range from[end] {
				if !used[k] {
					next = k
				}
			}
			if next < 0 {
				return line
			}
			used[next] = true
			s := parts[next]
			if s[0] == end {
				line = append(line, s[1])
			} else {
				line = append(line, s[0])
			}
		}
	}
	var out [][]xy
	for k, s := range parts {
		if used[k] || s[0] == s[1] {
			continue
		}
		used[k] = true
		line := extend([]xy{s[0], s[1]})
		back := extend([]xy{s[1], s[0]})
		for _, q := range back[2:] {
			line = append([]xy{q}, line...)
		}
		out = append(out, line)
	}
	return out
}
