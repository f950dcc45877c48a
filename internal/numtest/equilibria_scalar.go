package numtest

import (
	"fmt"
	"math"
)

// CuspProblem is x' = μ + λx − x³, the normal form of the cusp. Folds lie on
// 27μ² = 4λ³: Kuznetsov, Elements of Applied Bifurcation Theory, section 8.2.
func CuspProblem() Equilibrium {
	mu := 2 / (3 * math.Sqrt(3)) // at λ = 1
	x := 1 / math.Sqrt(3)
	return Equilibrium{
		Name: "cusp", Dim: 1, Params: []string{"μ", "λ"},
		F:    func(dst, x, p []float64) { dst[0] = p[0] + p[1]*x[0] - x[0]*x[0]*x[0] },
		JacX: func(dst, x, p []float64) { dst[0] = p[1] - 3*x[0]*x[0] },
		JacP: func(dst, x, _ []float64) { dst[0], dst[1] = 1, x[0] },
		P:    []float64{-1, 1}, X0: []float64{-1.3247179572447460},
		Lo: []float64{-2}, Hi: []float64{2},
		Sets: []EquilibriumSet{
			{P: []float64{0, 1}, X: [][]float64{{-1}, {0}, {1}}},
			{P: []float64{-1, 1}, X: [][]float64{{-1.3247179572447460}}, Tol: 1e-15}, // minus the plastic number
		},
		Points: []SpecialPoint{
			{Kind: Fold, P: []float64{mu, 1}, X: []float64{-x}, Tol: 1e-15},
			{Kind: Fold, P: []float64{-mu, 1}, X: []float64{x}, Tol: 1e-15},
			{Kind: Cusp, P: []float64{0, 0}, X: []float64{0}},
		},
	}
}

// Budworm is the spruce budworm of Ludwig, Jones & Holling, J. Anim. Ecol. 47 (1978)
// 315, without the root at 0: F = r(1 − x/k) − x/(1 + x²). Double roots solved for in
// 30 digits from F = F_x = 0; the cusp is k = 3√3, r = 3√3/8, x = √3.
func Budworm() Equilibrium {
	return Equilibrium{
		Name: "budworm", Dim: 1, Params: []string{"r", "k"},
		F: func(dst, x, p []float64) { dst[0] = p[0]*(1-x[0]/p[1]) - x[0]/(1+x[0]*x[0]) },
		JacX: func(dst, x, p []float64) {
			q := 1 + x[0]*x[0]
			dst[0] = -p[0]/p[1] - (1-x[0]*x[0])/(q*q)
		},
		JacP: func(dst, x, p []float64) { dst[0], dst[1] = 1-x[0]/p[1], p[0]*x[0]/(p[1]*p[1]) },
		P:    []float64{0.5, 10}, X0: []float64{0.683375209644600151},
		Lo: []float64{0}, Hi: []float64{10},
		Sets: []EquilibriumSet{{ // −0.05x³ + 0.5x² − 1.05x + 0.5 = 0
			P: []float64{0.5, 10}, X: [][]float64{{0.683375209644600151}, {2}, {7.31662479035539985}}, Tol: 1e-15,
		}},
		Points: []SpecialPoint{
			{Kind: Fold, P: []float64{0.559525012445635719, 10}, X: []float64{1.13780520161390433}, Tol: 1e-15},
			{Kind: Fold, P: []float64{0.383970731627460817, 10}, X: []float64{4.78128379597835593}, Tol: 1e-15},
			{Kind: Cusp, P: []float64{3 * math.Sqrt(3) / 8, 3 * math.Sqrt(3)}, X: []float64{math.Sqrt(3)}, Tol: 1e-15},
		},
	}
}

// Cessi is the box model of the ocean's overturning of Cessi, J. Phys. Oceanogr. 24
// (1994) 1911: y' = F − y(1 + μ²(y − 1)²). Double roots and roots of the cubic in 30
// digits; a triple root at μ² = 3, y = 2/3, F = 8/9.
func Cessi() Equilibrium {
	const m2 = 6.2
	return Equilibrium{
		Name: "Cessi", Dim: 1, Params: []string{"F", "μ²"},
		F: func(dst, y, p []float64) { dst[0] = p[0] - y[0]*(1+p[1]*(y[0]-1)*(y[0]-1)) },
		JacX: func(dst, y, p []float64) {
			d := y[0] - 1
			dst[0] = -1 - p[1]*d*(d+2*y[0])
		},
		JacP: func(dst, y, _ []float64) { dst[0], dst[1] = 1, -y[0]*(y[0]-1)*(y[0]-1) },
		P:    []float64{1.1, m2}, X0: []float64{0.240229208426042171},
		Lo: []float64{0}, Hi: []float64{2},
		Sets: []EquilibriumSet{{
			P:   []float64{1.1, m2},
			X:   [][]float64{{0.240229208426042171}, {0.6910565542143926}, {1.06871423735956523}},
			Tol: 1e-15,
		}},
		Points: []SpecialPoint{
			{Kind: Fold, P: []float64{1.29621836044020139, m2}, X: []float64{0.427192930630966799}, Tol: 1e-15},
			{Kind: Fold, P: []float64{0.955633491411650465, m2}, X: []float64{0.906140402702366534}, Tol: 1e-15},
			{Kind: Cusp, P: []float64{8. / 9, 3}, X: []float64{2. / 3}, Tol: 1e-15},
		},
	}
}

// FIFORetries is the load L that comes back to a first-in-first-out M/M/1 queue that
// still serves requests whose client has gone, with r retries after a time-out τ:
//
//	L = λ(1 + p + … + p^r),  p = e^{−(μ − L)τ} for L < μ, else 1.
//
// The time-out probability p is exact for the sojourn time of that queue. A collapsed
// equilibrium L = (r + 1)λ exists iff (r + 1)λ >= μ; F is not smooth at L = μ. The folds where
// the healthy branch ends, and the roots, solved for in 30 digits; they are known for
// (μ, τ, r) = (10, 5, 5), (10, 3, 4), (10, 1, 3) and (300, 1, 1).
func FIFORetries(mu, tau float64, r int) Equilibrium {
	// load returns L/λ with its derivative in L.
	load := func(l, mu, tau float64) (sum, slope, p float64) {
		p = 1
		if l < mu {
			p = math.Exp(-(mu - l) * tau)
		}
		var inP float64 // d sum/dp
		for range r + 1 {
			inP = inP*p + sum
			sum = sum*p + 1
		}
		if l < mu {
			slope = inP * p * tau
		}
		return sum, slope, p
	}
	e := Equilibrium{
		Name: fmt.Sprintf("FIFO retries (%g, %g, %d)", mu, tau, r), Dim: 1, Params: []string{"λ", "μ", "τ"},
		F: func(dst, x, p []float64) {
			sum, _, _ := load(x[0], p[1], p[2])
			dst[0] = p[0]*sum - x[0]
		},
		JacX: func(dst, x, p []float64) {
			_, slope, _ := load(x[0], p[1], p[2])
			dst[0] = p[0]*slope - 1
		},
		JacP: func(dst, x, p []float64) {
			sum, slope, _ := load(x[0], p[1], p[2])
			dst[0] = sum
			dst[1] = -p[0] * slope
			dst[2] = -p[0] * slope * (p[1] - x[0]) / p[2]
		},
		P: []float64{mu / float64(r+2), mu, tau}, X0: []float64{mu / float64(r+2)},
		Lo: []float64{0}, Hi: []float64{float64(r+1) * mu},
		Points: []SpecialPoint{
			{Kind: BoundaryCollision, P: []float64{mu / float64(r+1), mu, tau}, X: []float64{mu}, Tol: 1e-15},
		},
	}
	fold := map[[3]float64][2]float64{ // λ and L
		{10, 5, 5}:  {9.03358912318271814, 9.22934705191444234},
		{10, 3, 4}:  {8.57181475833648527, 8.89310742273125549},
		{10, 1, 3}:  {6.93717370913826406, 7.82684803629669918},
		{300, 1, 1}: {293.318740131983464, 294.318740131983464},
	}
	if f, ok := fold[[3]float64{mu, tau, float64(r)}]; ok {
		e.Points = append(e.Points, SpecialPoint{Kind: Fold, P: []float64{f[0], mu, tau}, X: []float64{f[1]}, Tol: 1e-14})
	}
	if mu == 10 && tau == 1 && r == 3 {
		const lambda = 4.7185869
		e.Sets = []EquilibriumSet{{
			// p = 0.0052125379 and 0.5398546; and the collapsed one
			P:   []float64{lambda, mu, tau},
			X:   [][]float64{{4.74331158816553094}, {9.38354459674249404}, {4 * lambda}},
			Tol: 1e-14,
		}}
	}
	return e
}
