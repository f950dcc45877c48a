package model

// weighted is Σ w·x, in four sums so that additions overlap.
func weighted(w, x []float64) float64 {
	x = x[:len(w)]
	var a, b, c, d float64
	i := 0
	for ; i+3 < len(w); i += 4 {
		a += w[i] * x[i]
		b += w[i+1] * x[i+1]
		c += w[i+2] * x[i+2]
		d += w[i+3] * x[i+3]
	}
	for ; i < len(w); i++ {
		a += w[i] * x[i]
	}
	return (a + b) + (c + d)
}

func sum(x []float64) float64 {
	t := 0.0
	for _, v := range x {
		t += v
	}
	return t
}

// axpy adds a·x to dst.
func axpy(dst []float64, a float64, x []float64) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] += a * x[i]
	}
}
