package numtest

import "math"

// An IVP is an initial-value problem M y' = f(t, y) whose solution at T1 is known.
type IVP struct {
	Name string

	F        func(dst []float64, t float64, y []float64)
	Jacobian func(dst []float64, t float64, y []float64) // row-major; nil: unknown
	Dfdt     func(dst []float64, t float64, y []float64) // nil: f does not depend on t

	Mass []float64 // diagonal of M; nil: the identity

	Y0     []float64
	T0, T1 float64
	Want   []float64 // y(T1)

	// ATol is an absolute tolerance for each component that goes with a relative
	// one of 1, in the scale of the component.
	ATol []float64
}

// Robertson is the autocatalytic reaction of H. H. Robertson (1966) up to
// t1, which must be 40, 4e5 or 1e11.
//
// The values at 40 and 4e5 agree with the example programs of CVODE (2.3.0 and
// later) and with a solution at a relative tolerance of 1e-12; those at 1e11 are of
// Mazzia & Magherini, Test Set for IVP Solvers, release 2.4.
func Robertson(t1 float64) IVP {
	want := map[float64][]float64{
		40:   {0.715827068719, 9.18553476456e-6, 0.284163745746},
		4e5:  {0.00493827452098, 1.98499408796e-8, 0.995061705629},
		1e11: {0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050},
	}[t1]
	if want == nil {
		panic("numtest: no reference for Robertson's problem at this time")
	}
	return IVP{
		Name: "Robertson",
		F: func(dst []float64, _ float64, y []float64) {
			a, b, c := 0.04*y[0], 1e4*y[1]*y[2], 3e7*y[1]*y[1]
			dst[0], dst[1], dst[2] = b-a, a-b-c, c
		},
		Jacobian: func(dst []float64, _ float64, y []float64) {
			b, b2, c := 1e4*y[2], 1e4*y[1], 6e7*y[1]
			dst[0], dst[1], dst[2] = -0.04, b, b2
			dst[3], dst[4], dst[5] = 0.04, -b-c, -b2
			dst[6], dst[7], dst[8] = 0, c, 0
		},
		Y0: []float64{1, 0, 0}, T1: t1, Want: want,
		ATol: []float64{1e-4, 1e-8, 1e-4},
	}
}

// RobertsonDAE is [Robertson] with the conservation of mass in place of the last
// equation.
func RobertsonDAE(t1 float64) IVP {
	p := Robertson(t1)
	f, jacobian := p.F, p.Jacobian
	p.Name, p.Mass = "RobertsonDAE", []float64{1, 1, 0}
	p.F = func(dst []float64, t float64, y []float64) {
		f(dst, t, y)
		dst[2] = y[0] + y[1] + y[2] - 1
	}
	p.Jacobian = func(dst []float64, t float64, y []float64) {
		jacobian(dst, t, y)
		dst[6], dst[7], dst[8] = 1, 1, 1
	}
	return p
}

// VanDerPol is van der Pol's oscillator with μ = 1000 in time scaled by μ: problem
// VDPOL of Mazzia & Magherini, Test Set for IVP Solvers, release 2.4.
func VanDerPol() IVP {
	const eps = 1e-6
	return IVP{
		Name: "VanDerPol",
		F: func(dst []float64, _ float64, y []float64) {
			dst[0], dst[1] = y[1], ((1-y[0]*y[0])*y[1]-y[0])/eps
		},
		Jacobian: func(dst []float64, _ float64, y []float64) {
			dst[0], dst[1] = 0, 1
			dst[2], dst[3] = (-2*y[0]*y[1]-1)/eps, (1-y[0]*y[0])/eps
		},
		Y0: []float64{2, 0}, T1: 2,
		Want: []float64{0.1706167732170483e1, -0.8928097010247975e0},
		ATol: []float64{1, 1},
	}
}

// HIRES is the plant-physiology problem of Schäfer (1975) in eight components:
// problem HIRES of Mazzia & Magherini, Test Set for IVP Solvers, release 2.4.
func HIRES() IVP {
	return IVP{
		Name: "HIRES",
		F: func(dst []float64, _ float64, y []float64) {
			dst[0] = -1.71*y[0] + 0.43*y[1] + 8.32*y[2] + 0.0007
			dst[1] = 1.71*y[0] - 8.75*y[1]
			dst[2] = -10.03*y[2] + 0.43*y[3] + 0.035*y[4]
			dst[3] = 8.32*y[1] + 1.71*y[2] - 1.12*y[3]
			dst[4] = -1.745*y[4] + 0.43*y[5] + 0.43*y[6]
			dst[5] = -280*y[5]*y[7] + 0.69*y[3] + 1.71*y[4] - 0.43*y[5] + 0.69*y[6]
			dst[6] = 280*y[5]*y[7] - 1.81*y[6]
			dst[7] = -dst[6]
		},
		Jacobian: func(dst []float64, _ float64, y []float64) {
			clear(dst)
			dst[0], dst[1], dst[2] = -1.71, 0.43, 8.32
			dst[8], dst[9] = 1.71, -8.75
			dst[18], dst[19], dst[20] = -10.03, 0.43, 0.035
			dst[25], dst[26], dst[27] = 8.32, 1.71, -1.12
			dst[36], dst[37], dst[38] = -1.745, 0.43, 0.43
			a, b := 280*y[7], 280*y[5]
			dst[43], dst[44], dst[45], dst[46], dst[47] = 0.69, 1.71, -a-0.43, 0.69, -b
			dst[53], dst[54], dst[55] = a, -1.81, b
			dst[61], dst[62], dst[63] = -a, 1.81, -b
		},
		Y0: []float64{1, 0, 0, 0, 0, 0, 0, 0.0057}, T1: 321.8122,
		Want: []float64{
			0.7371312573325668e-3, 0.1442485726316185e-3, 0.5888729740967575e-4, 0.1175651343283149e-2,
			0.2386356198831331e-2, 0.6238968252742796e-2, 0.2849998395185769e-2, 0.2850001604814231e-2,
		},
		ATol: []float64{1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3},
	}
}

// Oregonator is the Belousov–Zhabotinskii reaction of Field & Noyes (1974): problem
// OREGO of Mazzia & Magherini, Test Set for IVP Solvers, release 2.4.
func Oregonator() IVP {
	return IVP{
		Name: "Oregonator",
		F: func(dst []float64, _ float64, y []float64) {
			dst[0] = 77.27 * (y[1] + y[0]*(1-8.375e-6*y[0]-y[1]))
			dst[1] = (y[2] - (1+y[0])*y[1]) / 77.27
			dst[2] = 0.161 * (y[0] - y[2])
		},
		Jacobian: func(dst []float64, _ float64, y []float64) {
			dst[0], dst[1], dst[2] = 77.27*(1-2*8.375e-6*y[0]-y[1]), 77.27*(1-y[0]), 0
			dst[3], dst[4], dst[5] = -y[1]/77.27, -(1+y[0])/77.27, 1/77.27
			dst[6], dst[7], dst[8] = 0.161, 0, -0.161
		},
		Y0: []float64{1, 2, 3}, T1: 360,
		Want: []float64{0.1000814870318523e1, 0.1228178521549917e4, 0.1320554942846706e3},
		ATol: []float64{1, 1, 1},
	}
}

// Error returns the largest error of y at T1 relative to the reference, in the
// scale |want| + ATol of each component.
func (p IVP) Error(y []float64) float64 {
	var e float64
	for i, w := range p.Want {
		e = max(e, math.Abs(y[i]-w)/(math.Abs(w)+p.ATol[i]))
	}
	return e
}
