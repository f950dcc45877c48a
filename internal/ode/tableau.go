package ode

import "fmt"

// Method names a Rosenbrock–Wanner method. All of them are stiffly accurate,
// L-stable, hold their order on index-1 problems and carry an embedded error
// estimate and a dense output.
type Method int

const (
	// Rodas5P has order 5(4), 8 stages and a dense output of order 4
	// (Steinebach, BIT 63, 27, 2023, doi:10.1007/s10543-023-00967-x). It keeps
	// its order on problems of Prothero–Robinson type. It is the default.
	Rodas5P Method = iota

	// Rodas4 has order 4(3), 6 stages and a dense output of order 3 (Hairer &
	// Wanner, Solving Ordinary Differential Equations II, section VI.4).
	Rodas4
)

// String returns the name of the method.
func (m Method) String() string {
	if tb := m.tableau(); tb != nil {
		return tb.name
	}
	return fmt.Sprintf("Method(%d)", int(m))
}

func (m Method) tableau() *tableau {
	switch m {
	case Rodas5P:
		return &rodas5P
	case Rodas4:
		return &rodas4
	}
	return nil
}

// A tableau holds the coefficients of a method in the form that needs no
// product with the Jacobian (Hairer & Wanner II, equation IV.7.25),
//
//	(M/(hγ) − J) u_i = f(t + α_i h, y + Σ_j a_ij u_j) + M Σ_j (c_ij/h) u_j + γ_i h ∂f/∂t,
//
// for i = 1 … s and j < i. The solution at the end of the step is the last
// stage's argument plus u_s.
type tableau struct {
	name  string
	order int // of the solution; the error estimate has order − 1

	gamma  float64
	alpha  []float64   // s
	gammas []float64   // s
	a      [][]float64 // row i has i entries; nil: the row before, and 1 for u_{i−1}
	c      [][]float64 // row i has i entries

	// h gives the dense output for θ in [0, 1]: with k_l = Σ_j h_lj u_j,
	// y(t + θh) = (1−θ) y0 + θ (y1 + (1−θ)(k_1 + θ (k_2 + θ k_3))).
	h [][]float64

	// e weighs the stages in the error estimate; nil: it is u_s.
	e []float64
}

var rodas5P = tableau{
	name:   "Rodas5P",
	order:  5,
	gamma:  0.21193756319429014,
	alpha:  []float64{0, 0.6358126895828704, 0.4095798393397535, 0.9769306725060716, 0.4288403609558664, 1, 1, 1},
	gammas: []float64{0.21193756319429014, -0.42387512638858027, -0.3384627126235924, 1.8046452872882734, 2.325825639765069, 0, 0, 0},
	a: [][]float64{
		{},
		{3},
		{2.849394379747939, 0.45842242204463923},
		{-6.954028509809101, 2.489845061869568, -10.358996098473584},
		{2.8029986275628964, 0.5072464736228206, -0.3988312541770524, -0.04721187230404641},
		{-7.502846399306121, 2.561846144803919, -11.627539656261098, -0.18268767659942256, 0.030198172008377946},
		nil,
		nil,
	},
	c: [][]float64{
		{},
		{-14.155112264123755},
		{-17.97296035885952, -2.859693295451294},
		{147.12150275711716, -1.41221402718213, 71.68940251302358},
		{165.43517024871676, -0.4592823456491126, 42.90938336958603, -5.961986721573306},
		{24.854864614690072, -3.0009227002832186, 47.4931110020768, 5.5814197821558125, -0.6610691825249471},
		{30.91273214028599, -3.1208243349937974, 77.79954646070892, 34.28646028294783, -19.097331116725623, -28.087943162872662},
		{37.80277123390563, -3.2571969029072276, 112.26918849496327, 66.9347231244047, -40.06618937091002, -54.66780262877968, -9.48861652309627},
	},
	h: [][]float64{
		{25.948786856663858, -2.5579724845846235, 10.433815404888879, -2.3679251022685204, 0.524948541321073, 1.1241088310450404, 0.4272876194431874, -0.17202221070155493},
		{-9.91568850695171, -0.9689944594115154, 3.0438037242978453, -24.495224566215796, 20.176138334709044, 15.98066361424651, -6.789040303419874, -6.710236069923372},
		{11.419903575922262, 2.8879645146136994, 72.92137995996029, 80.12511834622643, -52.072871366152654, -59.78993625266729, -0.15582684282751913, 4.883087185713722},
	},
}

var rodas4 = tableau{
	name:   "Rodas4",
	order:  4,
	gamma:  0.25,
	alpha:  []float64{0, 0.386, 0.21, 0.63, 1, 1},
	gammas: []float64{0.25, -0.1043, 0.1035, -0.0362, 0, 0},
	a: [][]float64{
		{},
		{1.544},
		{0.9466785280815826, 0.2557011698983284},
		{3.314825187068521, 2.896124015972201, 0.9986419139977817},
		{1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950},
		nil,
	},
	c: [][]float64{
		{},
		{-5.6688},
		{-2.430093356833875, -0.2063599157091915},
		{-0.1073529058151375, -9.594562251023355, -20.47028614809616},
		{7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160},
		{8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054},
	},
	h: [][]float64{
		{10.12623508344586, -7.487995877610167, -34.80091861555747, -7.992771707568823, 1.025137723295662, 0},
		{-0.6762803392801253, 6.087714651680015, 16.43084320892478, 24.76722511418386, -6.594389125716872, 0},
	},
}
