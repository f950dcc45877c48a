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
	var v [7][]float64
	for j := range u {
		v[j] = u[j][:n]
	}
	var w [7]float64
	copy(w[:], c)
	u0, u1, u2, u3, u4, u5, u6 := v[0], v[1], v[2], v[3], v[4], v[5], v[6]
	c0, c1, c2, c3, c4, c5, c6 := w[0], w[1], w[2], w[3], w[4], w[5], w[6]
	switch len(u) {
	case 0:
		copy(dst, base)
	case 1:
		u0 = u0[:n]
		for i := range dst {
			dst[i] = base[i] + c0*u0[i]
		}
	case 2:
		u0, u1 = u0[:n], u1[:n]
		for i := range dst {
			dst[i] = base[i] + (c0*u0[i] + c1*u1[i])
		}
	case 3:
		u0, u1, u2 = u0[:n], u1[:n], u2[:n]
		for i := range dst {
			dst[i] = base[i] + (c0*u0[i] + c1*u1[i] + c2*u2[i])
		}
	case 4:
		u0, u1, u2, u3 = u0[:n], u1[:n], u2[:n], u3[:n]
		for i := range dst {
			dst[i] = base[i] + (c0*u0[i] + c1*u1[i]) + (c2*u2[i] + c3*u3[i])
		}
	case 5:
		u0, u1, u2, u3, u4 = u0[:n], u1[:n], u2[:n], u3[:n], u4[:n]
		for i := range dst {
			dst[i] = base[i] + (c0*u0[i] + c1*u1[i]) + (c2*u2[i] + c3*u3[i] + c4*u4[i])
		}
	case 6:
		u0, u1, u2, u3, u4, u5 = u0[:n], u1[:n], u2[:n], u3[:n], u4[:n], u5[:n]
		for i := range dst {
			dst[i] = base[i] + (c0*u0[i] + c1*u1[i] + c2*u2[i]) + (c3*u3[i] + c4*u4[i] + c5*u5[i])
		}
	case 7:
		u0, u1, u2, u3, u4, u5, u6 = u0[:n], u1[:n], u2[:n], u3[:n], u4[:n], u5[:n], u6[:n]
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
