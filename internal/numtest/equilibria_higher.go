package numtest

import (
	"fmt"
	"math"
)

// Bratu is u” + λe^u = 0, u(0) = u(1) = 0, in n inner nodes by second differences;
// n odd, so that the node n/2 is the middle. The special points and equilibria are those of the
// continuous problem, u = −2 ln(cosh(θ(x − ½)/2)/cosh(θ/4)) with λ = 2θ²/cosh²(θ/4):
// the values at the nodes differ from them by O(h²).
func Bratu(n int) Equilibrium {
	h2 := 1 / (float64(n+1) * float64(n+1)) // h²
	profile := func(theta float64) []float64 {
		u := make([]float64, n)
		for i := range u {
			x := float64(i+1) / float64(n+1)
			u[i] = -2 * math.Log(math.Cosh((x-0.5)*theta/2)/math.Cosh(theta/4))
		}
		return u
	}
	theta := func(middle float64) float64 { return 4 * math.Acosh(math.Exp(middle/2)) }
	lo, hi := make([]float64, n), make([]float64, n)
	for i := range hi {
		hi[i] = 10
	}
	return Equilibrium{
		Name: fmt.Sprintf("Bratu (%d)", n), Dim: n, Params: []string{"λ"},
		F: func(dst, u, p []float64) {
			for i := range u {
				var left, right float64
				if i > 0 {
					left = u[i-1]
				}
				if i < n-1 {
					right = u[i+1]
				}
				dst[i] = (left-2*u[i]+right)/h2 + p[0]*math.Exp(u[i])
			}
		},
		JacX: func(dst, u, p []float64) {
			clear(dst)
			for i := range u {
				dst[i*n+i] = -2/h2 + p[0]*math.Exp(u[i])
				if i > 0 {
					dst[i*n+i-1] = 1 / h2
				}
				if i < n-1 {
					dst[i*n+i+1] = 1 / h2
				}
			}
		},
		JacP: func(dst, u, _ []float64) {
			for i := range u {
				dst[i] = math.Exp(u[i])
			}
		},
		P: []float64{0}, X0: make([]float64, n),
		Lo: lo, Hi: hi,
		Sets: []EquilibriumSet{{ // middle values solved for in 30 digits
			P: []float64{1}, X: [][]float64{profile(theta(0.140539214400471798)), profile(theta(4.09146724618926032))},
			Tol: 1.5 * h2, // measured at nodes: 1.3 h²
		}},
		Points: []SpecialPoint{{
			// θ/4 tanh(θ/4) = 1
			Kind: Fold, P: []float64{3.51383071912516121}, X: profile(theta(1.1868421686343891)), Tol: h2,
		}},
	}
}

// TsodyksMarkram is the mean field of a network with short-term plasticity of Tsodyks,
// Pawelzik & Markram, Neural Comput. 10 (1998) 821, with the constants of the tutorial
// of BifurcationKit.jl:
//
//	τE' = −E + a ln(1 + exp((JuxE + E0)/a)),
//	x' = (1 − x)/τD − uxE,  u' = (U0 − u)/τF + U0(1 − u)E.
//
// x, u and E0 are explicit in E along the branch; folds (det = 0) and Hopf points
// (tr·m2 = det, m2 > 0) solved for in 30 digits.
func TsodyksMarkram() Equilibrium {
	const a, tau, tauD, u0, tauF, j = 1.4, 0.013, 0.2, 0.3, 1.5, 3.07
	// rate returns E's target and its slope, the logistic function.
	rate := func(z float64) (value, slope float64) {
		return a * (max(z/a, 0) + math.Log1p(math.Exp(-math.Abs(z/a)))), 1 / (1 + math.Exp(-z/a))
	}
	point := func(kind string, e0, e, x, u, omega float64) SpecialPoint {
		return SpecialPoint{Kind: kind, P: []float64{e0, j}, X: []float64{e, x, u}, Omega: omega, Tol: 1e-15}
	}
	return Equilibrium{
		Name: "Tsodyks–Markram", Dim: 3, Params: []string{"E0", "J"},
		F: func(dst, y, p []float64) {
			e, x, u := y[0], y[1], y[2]
			target, _ := rate(p[1]*u*x*e + p[0])
			dst[0] = (target - e) / tau
			dst[1] = (1-x)/tauD - u*x*e
			dst[2] = (u0-u)/tauF + u0*(1-u)*e
		},
		JacX: func(dst, y, p []float64) {
			e, x, u := y[0], y[1], y[2]
			_, s := rate(p[1]*u*x*e + p[0])
			s *= p[1]
			dst[0], dst[1], dst[2] = (s*u*x-1)/tau, s*u*e/tau, s*x*e/tau
			dst[3], dst[4], dst[5] = -u*x, -1/tauD-u*e, -x*e
			dst[6], dst[7], dst[8] = u0*(1-u), 0, -1/tauF-u0*e
		},
		JacP: func(dst, y, p []float64) {
			e, x, u := y[0], y[1], y[2]
			_, s := rate(p[1]*u*x*e + p[0])
			clear(dst)
			dst[0], dst[1] = s/tau, s*u*x*e/tau
		},
		P: []float64{-2, j}, X0: []float64{0.4, 0.96, 0.4},
		Lo: []float64{0, 0, 0}, Hi: []float64{40, 1, 1},
		Sets: []EquilibriumSet{{
			P: []float64{-1.5, j}, X: [][]float64{
				{0.75821140822293989, 0.932403754791343292, 0.47807743824068466},
				{2.07807759658298389, 0.79034256115968171, 0.638268115922263625},
				{6.31359237985321189, 0.491980149865707931, 0.817761323544055047},
			},
			Tol: 1e-15,
		}},
		Points: []SpecialPoint{
			point(Fold, -1.34888177112011209, 1.25317457335533084, 0.878384936775011737, 0.552409222010274619, 0),
			point(Fold, -1.84196560031123271, 4.18674312651490474, 0.61195349854690338, 0.757284449062893673, 0),
			point(Hopf, -1.83150856825536956, 3.83321381671317763, 0.637063140680774803, 0.743114195979677754,
				math.Sqrt(3.38528727432904239)),
			point(Hopf, -1.13426683229633877, 7.3332831499987889, 0.448853720052664263, 0.837208447385970784,
				math.Sqrt(377.165800267241214)),
		},
	}
}

// Lorenz is the system of Lorenz, J. Atmos. Sci. 20 (1963) 130, with σ = 10, b = 8/3:
// pitchfork r = 1, Hopf points r = σ(σ + b + 3)/(σ − b − 1) = 470/19 with
// ω² = b(σ + r).
func Lorenz() Equilibrium {
	const sigma, b, r = 10, 8. / 3, 470. / 19
	at := func(r, sign float64) []float64 {
		x := sign * math.Sqrt(b*(r-1))
		return []float64{x, x, r - 1}
	}
	omega := math.Sqrt(b * (sigma + r))
	p := []float64{r, sigma, b}
	return Equilibrium{
		Name: "Lorenz", Dim: 3, Params: []string{"r", "σ", "b"},
		F: func(dst, x, p []float64) {
			dst[0] = p[1] * (x[1] - x[0])
			dst[1] = x[0]*(p[0]-x[2]) - x[1]
			dst[2] = x[0]*x[1] - p[2]*x[2]
		},
		JacX: func(dst, x, p []float64) {
			dst[0], dst[1], dst[2] = -p[1], p[1], 0
			dst[3], dst[4], dst[5] = p[0]-x[2], -1, -x[0]
			dst[6], dst[7], dst[8] = x[1], x[0], -p[2]
		},
		JacP: func(dst, x, _ []float64) {
			clear(dst)
			dst[1], dst[3], dst[8] = x[1]-x[0], x[0], -x[2]
		},
		P: []float64{0.5, sigma, b}, X0: []float64{0, 0, 0},
		Lo: []float64{-20, -20, -5}, Hi: []float64{20, 20, 40},
		Sets: []EquilibriumSet{{
			P: []float64{28, sigma, b}, X: [][]float64{at(28, -1), {0, 0, 0}, at(28, 1)}, Tol: 1e-15,
		}},
		Points: []SpecialPoint{
			{Kind: BranchPoint, P: []float64{1, sigma, b}, X: []float64{0, 0, 0}},
			{Kind: Hopf, P: p, X: at(r, 1), Omega: omega, Tol: 1e-15},
			{Kind: Hopf, P: p, X: at(r, -1), Omega: omega, Tol: 1e-15},
		},
	}
}

// Cubic is x_i' = x_i − x_i³ in n unknowns: every vector of −1, 0 and 1 is an
// equilibrium. It has no parameters.
func Cubic(n int) Equilibrium {
	roots := [][]float64{nil}
	for range n {
		var longer [][]float64
		for _, x := range roots {
			for _, v := range []float64{-1, 0, 1} {
				longer = append(longer, append(append([]float64(nil), x...), v))
			}
		}
		roots = longer
	}
	lo, hi := make([]float64, n), make([]float64, n)
	for i := range n {
		lo[i], hi[i] = -2, 2
	}
	return Equilibrium{
		Name: fmt.Sprintf("cubic (%d)", n), Dim: n,
		F: func(dst, x, _ []float64) {
			for i, v := range x {
				dst[i] = v - v*v*v
			}
		},
		JacX: func(dst, x, _ []float64) {
			clear(dst)
			for i, v := range x {
				dst[i*n+i] = 1 - 3*v*v
			}
		},
		JacP: func(_, _, _ []float64) {},
		X0:   make([]float64, n),
		Lo:   lo, Hi: hi,
		Sets: []EquilibriumSet{{X: roots}},
	}
}
