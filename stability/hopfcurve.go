package stability

import (
	"math"

	"github.com/metastable/metastable/fixedpoint"
)

// oscillates looks at some points of the coarse grid, by the spectra of the whole system, for a
// state that a scalar map takes for stable and that is not: only then spectra are worth
// their time everywhere.
func (m *mapper) oscillates() error {
	m.spectra = true
	for i := 0; i <= fine; i += 2 * finest {
		for j := 0; j <= fine; j += 2 * finest {
			if _, err := m.look(i, j); err != nil {
				return err
			}
		}
	}
	m.spectra = m.waves
	return nil
}

// swings returns the state that two points have in common and in which a pair of eigenvalues
// crosses the imaginary axis between them; −1 if there is none.
func swings(a, b *sight) int {
	if len(a.states) != len(b.states) {
		return -1
	}
	for k := range a.states {
		if d := a.states[k].unstable - b.states[k].unstable; d == 2 || d == -2 {
			return k
		}
	}
	return -1
}

// hopf follows the Hopf points of state k between a and b, neighbours along one axis.
func (m *mapper) hopf(a, b *sight, k int) {
	axis := 0
	if a.p[0] == b.p[0] {
		axis = 1
	}
	full := *m.t
	full.bare = false
	lo, hi := full.point(a.states[k].x, a.p, axis), full.point(b.states[k].x, b.p, axis)
	s, ok := full.crossing(&lo, &hi, a.p, axis)
	if !ok || !s.Converged {
		return
	}
	e := newEvolver(m.f)
	st := m.t.stepping()
	st.Domain = func(x, p []float64) bool {
		sys := e.at(x, p)
		return sys != nil && sys.Inside(e.y)
	}
	cv, err := fixedpoint.HopfCurve(e.problem(), e.coordinates(s.State), s.full, s.Omega*s.Omega, [2]int{0, 1}, &fixedpoint.CurveSettings{
		Min: [2]float64{m.out.X.Lo, m.out.Y.Lo}, Max: [2]float64{m.out.X.Hi, m.out.Y.Hi}, Stepping: st,
	})
	if err != nil {
		m.t.warn(err)
		return
	}
	m.splitHopf(cv)
}

// splitHopf lists the parts of the curve on which the pair is imaginary; beyond a
// Bogdanov–Takens point it goes on as one of neutral saddles, which say nothing.
func (m *mapper) splitHopf(cv *fixedpoint.Curve) {
	part := Boundary{Kind: HopfBoundary, StopBack: cv.StopBack, StopFront: cv.StopFront}
	end := func() {
		if len(part.X) > 1 {
			m.out.Boundaries = append(m.out.Boundaries, part)
		}
		part.X, part.Y = nil, nil
	}
	for _, pt := range cv.Points {
		if !(pt.Omega2 > 0) {
			end()
			continue
		}
		part.X, part.Y = append(part.X, m.out.X.clamp(pt.P[0])), append(part.Y, m.out.Y.clamp(pt.P[1]))
	}
	end()
	m.points(cv)
	if err := part.Err(); err != nil {
		m.t.warn(err)
	}
}

// points lists the points of codimension two of a curve that are not known yet: a
// Bogdanov–Takens point lies on a fold and on a Hopf curve.
func (m *mapper) points(cv *fixedpoint.Curve) {
	const near = 1e-4 // of the ranges
	for _, s := range cv.Special {
		pt := PhasePoint{s.Kind, s.Refined.P[0], s.Refined.P[1], s.Converged}
		known := false
		for _, q := range m.out.Points {
			known = known || q.Kind == pt.Kind && math.Abs(q.X-pt.X) < near*(m.out.X.Hi-m.out.X.Lo) && math.Abs(q.Y-pt.Y) < near*(m.out.Y.Hi-m.out.Y.Lo)
		}
		if !known {
			m.out.Points = append(m.out.Points, pt)
		}
	}
}
