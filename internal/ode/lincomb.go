package ode

// lincomb stores base + Σ_j c[j] u[j] in dst, which may be base. There is one loop
// for each number of terms, so that dst is written once: with a cheap f this is the
// largest part of a step.
func lincomb(dst, base, c []float64, u [][]float64) {
	n := len(dst)
	for len(u) > 7 {
		lincomb(dst, base[:n], c[:7], u[:7])
		base, c, u = dst, c[7:], u[7:]
	}
	base = base[:n]
	switch len(u) {
	case 0:
		copy(dst, base)
	case 1:
		u0 := u[0][:n]
		c0 := c[0]
		for i := range dst {
			dst[i] = base[i] + c0*u0[i]
		}
	case 2:
		u0, u1 := u[0][:n], u[1][:n]
		c0, c1 := c[0], c[1]
		for i := range dst {
			dst[i] = base[i] + (c0*u0[i] + c1*u1[i])
		}
	case 3:
		u0, u1, u2 := u[0][:n], u[1][:n], u[2][:n]
		c0, c1, c2 := c[0], c[1], c[2]
		for i := range dst {
			dst[i] = base[i] + (c0*u0[i] + c1*u1[i] + c2*u2[i])
		}
	case 4:
		u0, u1, u2, u3 := u[0][:n], u[1][:n], u[2][:n], u[3][:n]
		c0, c1, c2, c3 := c[0], c[1], c[2], c[3]
		for i := range dst {
			dst[i] = base[i] + (c0*u0[i] + c1*u1[i]) + (c2*u2[i] + c3*u3[i])
		}
	case 5:
		u0, u1, u2, u3, u4 := u[0][:n], u[1][:n], u[2][:n], u[3][:n], u[4][:n]
		c0, c1, c2, c3, c4 := c[0], c[1], c[2], c[3], c[4]
		for i := range dst {
			dst[i] = base[i] + (c0*u0[i] + c1*u1[i]) + (c2*u2[i] + c3*u3[i] + c4*u4[i])
		}
	case 6:
		u0, u1, u2, u3, u4, u5 := u[0][:n], u[1][:n], u[2][:n], u[3][:n], u[4][:n], u[5][:n]
		c0, c1, c2, c3, c4, c5 := c[0], c[1], c[2], c[3], c[4], c[5]
		for i := range dst {
			dst[i] = base[i] + (c0*u0[i] + c1*u1[i] + c2*u2[i]) + (c3*u3[i] + c4*u4[i] + c5*u5[i])
		}
	case 7:
		u0, u1, u2, u3, u4, u5, u6 := u[0][:n], u[1][:n], u[2][:n], u[3][:n], u[4][:n], u[5][:n], u[6][:n]
		c0, c1, c2, c3, c4, c5, c6 := c[0], c[1], c[2], c[3], c[4], c[5], c[6]
		for i := range dst {
			dst[i] = base[i] + (c0*u0[i] + c1*u1[i] + c2*u2[i]) + (c3*u3[i] + c4*u4[i] + (c5*u5[i] + c6*u6[i]))
		}
	}
}

// finite reports whether no element of v is infinite or not a number. Four sums
// hide the latency of an addition.
func finite(v []float64) bool {
	var s0, s1, s2, s3 float64
	for len(v) >= 4 {
		s0 += v[0] - v[0]
		s1 += v[1] - v[1]
		s2 += v[2] - v[2]
		s3 += v[3] - v[3]
		v = v[4:]
	}
	for _, x := range v {
		s0 += x - x
	}
	return s0+s1+s2+s3 == 0
}
