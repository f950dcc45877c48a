package fixedpoint

import (
	"fmt"
	"math/cmplx"
)

// checkEquilibrium verifies that e is an equilibrium of p: its scaled residual is at most 1e-10, it
// lies in its Box, and the eigenvalues, computed again, are those of its Spectrum.
// It returns the first of these that does not hold.
func checkEquilibrium(p *Problem, par []float64, e *Equilibrium) error {
	if err := p.check(e.X, par); err != nil {
		return err
	}
	it := newIteration(p, par)
	it.res = &Result{}
	copy(it.x, e.X)
	if !it.evaluate() || !it.linearize() {
		return fmt.Errorf("fixedpoint: F or its Jacobian is not finite at %v", e.X)
	}
	if r := it.residual(); !(r <= residualLimit) {
		return fmt.Errorf("fixedpoint: scaled residual %g at %v", r, e.X)
	}
	if e.Box != nil && !e.Box.Contains(e.X) {
		return fmt.Errorf("fixedpoint: %v is outside its box %v", e.X, *e.Box)
	}
	if e.Spectrum == nil {
		return nil
	}
	s, err := p.spectrumAt(it.jac)
	if err != nil {
		return err
	}
	if len(s.Eigenvalues) != len(e.Spectrum.Eigenvalues) {
		return fmt.Errorf("fixedpoint: %d eigenvalues stored, there are %d", len(e.Spectrum.Eigenvalues), len(s.Eigenvalues))
	}
	for i, v := range e.Spectrum.Eigenvalues {
		if off := cmplx.Abs(v - s.Eigenvalues[i]); off > e.Spectrum.Errors[i]+s.Errors[i] {
			return fmt.Errorf("fixedpoint: eigenvalue %v stored at %v, it is %v", v, e.X, s.Eigenvalues[i])
		}
	}
	return nil
}

// checkSet verifies every equilibrium of the set with checkEquilibrium, that they lie in
// the box and none is listed twice, that isolating boxes do not meet, and that a proved set
// leaves nothing undecided. It returns the first of these that does not hold.
func checkSet(p *Problem, par []float64, box Box, s *Set) error {
	if err := box.check(p.Dim); err != nil {
		return err
	}
	if s.Certainty == Proved && len(s.Undecided) > 0 {
		return fmt.Errorf("fixedpoint: proved with %d undecided boxes", len(s.Undecided))
	}
	for k := range s.Equilibria {
		e := &s.Equilibria[k]
		if err := checkEquilibrium(p, par, e); err != nil {
			return err
		}
		for i, v := range e.X {
			slack := (e.Error + 1e-12) * max(p.scale(i), -v, v)
			if v < box.Lo[i]-slack || v > box.Hi[i]+slack {
				return fmt.Errorf("fixedpoint: equilibrium %v is outside the region", e.X)
			}
		}
		if s.Certainty == Proved && e.Box == nil {
			return fmt.Errorf("fixedpoint: equilibrium %v of a proved set has no box", e.X)
		}
		for _, f := range s.Equilibria[:k] {
			if p.distance(e.X, f.X) == 0 {
				return fmt.Errorf("fixedpoint: equilibrium %v is listed twice", e.X)
			}
			if e.Box != nil && f.Box != nil && e.Box.meets(*f.Box) {
				return fmt.Errorf("fixedpoint: the boxes %v and %v overlap", *e.Box, *f.Box)
			}
		}
	}
	return nil
}
