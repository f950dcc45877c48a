package ode

// An Interpolant is the solution within one accepted step. It is valid during the
// call it is passed to.
type Interpolant struct {
	// T0 and T1 are the ends of the step. T1 is before the end of the step taken
	// if a terminal event ends the integration there.
	T0, T1 float64

	h      float64 // length of the step taken
	y0, y1 []float64
	tb     *tableau
	u      [][]float64
	k      [3][]float64
	ready  bool
}

// Dim returns the number of components.
func (p *Interpolant) Dim() int { return len(p.y0) }

// At stores the solution at time t in [T0, T1] in dst, whose length must be Dim,
// and returns it. If dst is nil, it is allocated. It is exact at the ends of the
// step taken and continuous across steps; its order is that of the method's dense
// output.
func (p *Interpolant) At(dst []float64, t float64) []float64 {
	if dst == nil {
		dst = make([]float64, len(p.y0))
	}
	p.prepare()
	return p.eval(dst, (t-p.T0)/p.h)
}

func (p *Interpolant) eval(dst []float64, theta float64) []float64 {
	return interpolate(dst, theta, p.y0, p.y1, &p.k, len(p.tb.h))
}

// prepare computes the coefficients, once per step and only if someone asks.
func (p *Interpolant) prepare() {
	if p.ready {
		return
	}
	p.ready = true
	for l, row := range p.tb.h {
		k := grow(p.k[l], len(p.y0))
		clear(k)
		lincomb(k, k, row, p.u)
		p.k[l] = k
	}
}

// interpolate evaluates the polynomial described in tableau with the first m of
// its coefficient vectors.
func interpolate(dst []float64, theta float64, y0, y1 []float64, k *[3][]float64, m int) []float64 {
	rest := 1 - theta
	w0, w1, w2, w3 := rest, theta, theta*rest, theta*theta*rest
	y0, y1 = y0[:len(dst)], y1[:len(dst)]
	k0, k1 := k[0][:len(dst)], k[1][:len(dst)]
	for i := range dst {
		dst[i] = w0*y0[i] + w1*y1[i] + w2*k0[i] + w3*k1[i]
	}
	if m < 3 {
		return dst
	}
	w4 := theta * w3
	k2 := k[2][:len(dst)]
	for i := range dst {
		dst[i] += w4 * k2[i]
	}
	return dst
}
