package stability

// A Piece is a convex polygon with one verdict, what a boundary leaves of a small cell.
type Piece struct {
	X, Y    []float64 // corners, in order
	Verdict Verdict
}

// Area is in units of the axes.
func (p *Piece) Area() float64 {
	sum := 0.0
	for i := range p.X {
		k := (i + 1) % len(p.X)
		sum += p.X[i]*p.Y[k] - p.X[k]*p.Y[i]
	}
	return max(sum, -sum) / 2
}

// holds reports whether a point is in the polygon: on the same side of all its edges.
func (p *Piece) holds(x, y float64) bool {
	left, right := false, false
	for i := range p.X {
		k := (i + 1) % len(p.X)
		side := (p.X[k]-p.X[i])*(y-p.Y[i]) - (p.Y[k]-p.Y[i])*(x-p.X[i])
		left, right = left || side > 0, right || side < 0
	}
	return !(left && right)
}

// smallest is how often the smallest cell of the grid is halved around the points of a
// boundary, to less than what a picture shows.
const smallest = 4

// part covers a small cell: where one straight piece of a boundary passes through it, by what
// lies on either side; else by its quarters.
func (m *mapper) part(x, y [2]float64, known [][2]int, depth int) error {
	var a, b [2]float64
	cuts := 0
	for i := range m.out.Boundaries {
		c := &m.out.Boundaries[i]
		for k := range len(c.X) - 1 {
			if c.passes(k, x, y) {
				a, b = [2]float64{c.X[k], c.Y[k]}, [2]float64{c.X[k+1], c.Y[k+1]}
				cuts++
			}
		}
	}
	inside := func(p [2]float64) bool { return p[0] > x[0] && p[0] < x[1] && p[1] > y[0] && p[1] < y[1] }
	box := Piece{X: []float64{x[0], x[1], x[1], x[0]}, Y: []float64{y[0], y[0], y[1], y[1]}}
	switch {
	case cuts == 1 && !inside(a) && !inside(b):
		for _, p := range []Piece{box.side(a, b), box.side(b, a)} {
			if len(p.X) < 3 || p.Area() == 0 {
				continue
			}
			v, err := m.verdict(p.middle(), known)
			if err != nil {
				return err
			}
			p.Verdict = v
			m.out.Pieces = append(m.out.Pieces, p)
		}
		return nil
	case cuts == 0 || depth == smallest:
		v, err := m.verdict(box.middle(), known)
		m.out.Cells = append(m.out.Cells, Cell{x, y, v})
		return err
	}
	mx, my := (x[0]+x[1])/2, (y[0]+y[1])/2
	for _, u := range [][2]float64{{x[0], mx}, {mx, x[1]}} {
		for _, w := range [][2]float64{{y[0], my}, {my, y[1]}} {
			if err := m.part(u, w, known, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// side is what lies to the left of the line from a to b (Sutherland & Hodgman, Commun. ACM 17
// (1974) 32).
func (p *Piece) side(a, b [2]float64) (out Piece) {
	at := func(i int) float64 { return (b[0]-a[0])*(p.Y[i]-a[1]) - (b[1]-a[1])*(p.X[i]-a[0]) }
	for i := range p.X {
		k := (i + 1) % len(p.X)
		from, to := at(i), at(k)
		if from >= 0 {
			out.X, out.Y = append(out.X, p.X[i]), append(out.Y, p.Y[i])
		}
		if from*to < 0 {
			f := from / (from - to)
			out.X, out.Y = append(out.X, p.X[i]+f*(p.X[k]-p.X[i])), append(out.Y, p.Y[i]+f*(p.Y[k]-p.Y[i]))
		}
	}
	return out
}

// middle is the mean of the corners.
func (p *Piece) middle() []float64 {
	m := []float64{0, 0}
	for i := range p.X {
		m[0] += p.X[i] / float64(len(p.X))
		m[1] += p.Y[i] / float64(len(p.X))
	}
	return m
}

// verdict is that at p, from what is known if that tells.
func (m *mapper) verdict(p []float64, known [][2]int) (Verdict, error) {
	if l := m.infer(p, known); l != nil {
		return l.verdict, nil
	}
	l, err := m.lookAt(p)
	if err != nil {
		return "", err
	}
	return l.verdict, nil
}
