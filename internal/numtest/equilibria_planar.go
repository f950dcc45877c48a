package numtest

import "math"

// CSTR is the stirred reactor of Uppal, Ray & Poore, Chem. Eng. Sci. 29 (1974) 967,
// demo "ab" of AUTO-07p:
//
//	u1' = −u1 + D(1 − u1)e^{u2},  u2' = −u2 + BD(1 − u1)e^{u2} − βu2
//
// with B = 14, β = 2. Special points solved for in 30 digits from F = 0 and det = 0
// or trace = 0; at the neutral saddle the trace is 0 and the determinant −0.06226.
func CSTR() Equilibrium {
	point := func(kind string, d, u1, omega float64) SpecialPoint {
		return SpecialPoint{
			Kind: kind, P: []float64{d, 14, 2}, X: []float64{u1, 14 * u1 / 3}, Omega: omega, Tol: 1e-15,
		}
	}
	return Equilibrium{
		Name: "CSTR", Dim: 2, Params: []string{"D", "B", "β"},
		F: func(dst, x, p []float64) {
			rate := p[0] * (1 - x[0]) * math.Exp(x[1])
			dst[0] = -x[0] + rate
			dst[1] = -x[1] + p[1]*rate - p[2]*x[1]
		},
		JacX: func(dst, x, p []float64) {
			e := p[0] * math.Exp(x[1])
			rate := (1 - x[0]) * e
			dst[0], dst[1] = -1-e, rate
			dst[2], dst[3] = -p[1]*e, -1+p[1]*rate-p[2]
		},
		JacP: func(dst, x, p []float64) {
			r := (1 - x[0]) * math.Exp(x[1])
			dst[0], dst[1], dst[2] = r, 0, 0
			dst[3], dst[4], dst[5] = p[1]*r, p[0]*r, -x[1]
		},
		P: []float64{0, 14, 2}, X0: []float64{0, 0},
		Lo: []float64{0, 0}, Hi: []float64{1, 6},
		Sets: []EquilibriumSet{{
			P: []float64{0.095, 14, 2},
			X: [][]float64{
				{0.181180745683695204, 0.845510146523910953},
				{0.531057801039842575, 2.47826973818593202},
				{0.795535166544844282, 3.71249744387593998},
			},
			Tol: 1e-15,
		}},
		Points: []SpecialPoint{
			point(Fold, 0.105738978271650651, 0.311017763495386386, 0),
			point(Fold, 0.0889318461857728026, 0.688982236504613614, 0),
			point(Hopf, 0.130900044820043325, 0.895080633867805345, math.Sqrt(16.0622577482985497)),
			point(NeutralSaddle, 0.105710501206339145, 0.319205080417908941, 0),
		},
	}
}

// PredatorPrey is demo "pp2" of AUTO-07p,
//
//	u1' = 3u1(1 − u1) − u1u2 − p(1 − e^{−5u1}),  u2' = −u2 + 3u1u2.
//
// Special points follow in closed form from u2 = 0 or u1 = 1/3, in 30 digits.
func PredatorPrey() Equilibrium {
	point := func(kind string, p, u1, u2, omega float64) SpecialPoint {
		return SpecialPoint{Kind: kind, P: []float64{p}, X: []float64{u1, u2}, Omega: omega, Tol: 1e-15}
	}
	return Equilibrium{
		Name: "predator–prey", Dim: 2, Params: []string{"p"},
		F: func(dst, x, p []float64) {
			dst[0] = 3*x[0]*(1-x[0]) - x[0]*x[1] + p[0]*math.Expm1(-5*x[0])
			dst[1] = -x[1] + 3*x[0]*x[1]
		},
		JacX: func(dst, x, p []float64) {
			dst[0], dst[1] = 3-6*x[0]-x[1]-5*p[0]*math.Exp(-5*x[0]), -x[0]
			dst[2], dst[3] = 3*x[1], -1+3*x[0]
		},
		JacP: func(dst, x, _ []float64) { dst[0], dst[1] = math.Expm1(-5*x[0]), 0 },
		P:    []float64{0}, X0: []float64{1, 0},
		Lo: []float64{-0.1, -0.1}, Hi: []float64{1.1, 3},
		Sets: []EquilibriumSet{{
			P: []float64{0.7},
			X: [][]float64{
				{0, 0}, {0.117266463434724907, 0}, {1. / 3, 0.296638765958879861}, {0.659096523872597571, 0},
			},
			Tol: 1e-15,
		}},
		Points: []SpecialPoint{
			point(BranchPoint, 0.6, 0, 0, 0),
			point(BranchPoint, 0.821904345373990811, 1./3, 0, 0),
			point(Fold, 0.83292932223415686, 0.411161560751072491, 0, 0),
			point(Hopf, 0.671593847478831752, 1./3, 0.365761535977190465, 0.604782221942072686),
		},
	}
}

// Toggle is the genetic switch of Gardner, Cantor & Collins, Nature 403 (2000) 339,
// with both exponents 2: u' = a/(1 + v²) − u, v' = a/(1 + u²) − v. Asymmetric
// equilibria have uv = 1, u + v = a; the symmetric one solves u + u³ = a.
func Toggle() Equilibrium {
	const sym, x = 1.37879670012955086, 3.73205080756887729 // at a = 4; 2 + √3
	return Equilibrium{
		Name: "toggle", Dim: 2, Params: []string{"a"},
		F: func(dst, x, p []float64) {
			dst[0] = p[0]/(1+x[1]*x[1]) - x[0]
			dst[1] = p[0]/(1+x[0]*x[0]) - x[1]
		},
		JacX: func(dst, x, p []float64) {
			qu, qv := 1+x[0]*x[0], 1+x[1]*x[1]
			dst[0], dst[1] = -1, -2*p[0]*x[1]/(qv*qv)
			dst[2], dst[3] = -2*p[0]*x[0]/(qu*qu), -1
		},
		JacP: func(dst, x, _ []float64) { dst[0], dst[1] = 1/(1+x[1]*x[1]), 1/(1+x[0]*x[0]) },
		P:    []float64{0}, X0: []float64{0, 0},
		Lo: []float64{0, 0}, Hi: []float64{5, 5},
		Sets: []EquilibriumSet{
			{P: []float64{4}, X: [][]float64{{1 / x, x}, {sym, sym}, {x, 1 / x}}, Tol: 1e-15},
			{P: []float64{1}, X: [][]float64{{0.682327803828019327, 0.682327803828019327}}, Tol: 1e-15},
		},
		Points: []SpecialPoint{{Kind: BranchPoint, P: []float64{2}, X: []float64{1, 1}}},
	}
}

// TakensBogdanov is the normal form x' = y, y' = b1 + b2 x + x² − xy of Bogdanov
// and Takens: Kuznetsov, Elements of Applied Bifurcation Theory, section 8.4. Folds on
// 4b1 = b2², Hopf points on b1 = 0, b2 < 0 with ω² = −b2.
func TakensBogdanov() Equilibrium {
	return Equilibrium{
		Name: "Bogdanov–Takens", Dim: 2, Params: []string{"b1", "b2"},
		F: func(dst, x, p []float64) {
			dst[0], dst[1] = x[1], p[0]+p[1]*x[0]+x[0]*x[0]-x[0]*x[1]
		},
		JacX: func(dst, x, p []float64) {
			dst[0], dst[1] = 0, 1
			dst[2], dst[3] = p[1]+2*x[0]-x[1], -x[0]
		},
		JacP: func(dst, x, _ []float64) { dst[0], dst[1], dst[2], dst[3] = 0, 0, 1, x[0] },
		P:    []float64{-1, -1}, X0: []float64{(1 - math.Sqrt(5)) / 2, 0},
		Lo: []float64{-2, -1}, Hi: []float64{2, 1},
		Sets: []EquilibriumSet{{
			P: []float64{-1, -1}, X: [][]float64{{(1 - math.Sqrt(5)) / 2, 0}, {(1 + math.Sqrt(5)) / 2, 0}}, Tol: 1e-15,
		}},
		Points: []SpecialPoint{
			{Kind: Fold, P: []float64{0.25, -1}, X: []float64{0.5, 0}},
			{Kind: Hopf, P: []float64{0, -1}, X: []float64{0, 0}, Omega: 1},
			{Kind: BogdanovTakens, P: []float64{0, 0}, X: []float64{0, 0}},
		},
	}
}
