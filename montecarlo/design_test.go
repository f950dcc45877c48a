package montecarlo

import (
	"math"
	"math/bits"
	"slices"
	"testing"
)

// The first dimensions as the file of Joe and Kuo lists them: degree s, inner
// coefficients a of the polynomial, and m (https://web.maths.unsw.edu.au/~fkuo/sobol/,
// new-joe-kuo-6.21201, lines d = 2 to 10 and 20).
func TestSobolDirections_exact(t *testing.T) {
	for _, c := range []struct {
		d, s, a int
		m       []uint32
	}{
		{2, 1, 0, []uint32{1}},
		{3, 2, 1, []uint32{1, 3}},
		{4, 3, 1, []uint32{1, 3, 1}},
		{5, 3, 2, []uint32{1, 1, 1}},
		{6, 4, 1, []uint32{1, 1, 3, 3}},
		{7, 4, 4, []uint32{1, 3, 5, 13}},
		{8, 5, 2, []uint32{1, 1, 5, 5, 17}},
		{9, 5, 4, []uint32{1, 1, 5, 5, 5}},
		{10, 5, 7, []uint32{1, 1, 7, 11, 19}},
		{20, 7, 1, []uint32{1, 3, 7, 11, 23, 15, 103}},
	} {
		got := directions[c.d-2]
		if poly := uint32(1<<c.s | c.a<<1 | 1); got.poly != poly || !slices.Equal(got.m, c.m) {
			t.Errorf("dimension %d: polynomial %b and m %v, want %b and %v", c.d, got.poly, got.m, poly, c.m)
		}
	}
}

// Each m is odd and below 2^(k+1), and each polynomial is primitive of the degree that
// m has: x is of order 2^s − 1 in GF(2)[x] modulo it.
func TestSobolPolynomials_invariant(t *testing.T) {
	seen := map[uint32]bool{}
	for j, d := range directions {
		s := bits.Len32(d.poly) - 1
		if s != len(d.m) || seen[d.poly] {
			t.Errorf("dimension %d: degree %d with %d numbers, seen before: %v", j+2, s, len(d.m), seen[d.poly])
		}
		seen[d.poly] = true
		for k, m := range d.m {
			if m%2 == 0 || m >= 2<<k {
				t.Errorf("dimension %d: m[%d] = %d", j+2, k, m)
			}
		}
		order, x := 0, uint32(1)
		for ok := true; ok; ok = x != 1 && order < 1<<s {
			x <<= 1
			if x>>s&1 == 1 {
				x ^= d.poly
			}
			order++
		}
		if order != 1<<s-1 {
			t.Errorf("dimension %d: x has order %d modulo %b", j+2, order, d.poly)
		}
	}
}

// The first points in the order of Gray codes, as those of
// scipy.stats.qmc.Sobol(8, scramble=False) in SciPy 1.10.1.
func TestSobolPoints_golden(t *testing.T) {
	want := [][]float64{
		{0, 0, 0, 0, 0, 0, 0, 0},
		{.5, .5, .5, .5, .5, .5, .5, .5},
		{.75, .25, .25, .25, .75, .75, .25, .75},
		{.25, .75, .75, .75, .25, .25, .75, .25},
		{.375, .375, .625, .875, .375, .125, .375, .875},
		{.875, .875, .125, .375, .875, .625, .875, .375},
		{.625, .125, .875, .625, .625, .875, .125, .125},
		{.125, .625, .375, .125, .125, .375, .625, .625},
	}
	s, err := NewSobol(8)
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float64, 8)
	for i, w := range want {
		if s.At(x, uint32(i)); !slices.Equal(x, w) {
			t.Errorf("point %d is %v, want %v", i, x, w)
		}
	}
}

// Plain or scrambled, 2^k points put one into each of the 2^k slices of each axis, and,
// in the first two dimensions, one into each of the elementary rectangles (a (0,k,2)-net).
func TestSobolNet_invariant(t *testing.T) {
	const k, n = 10, 1 << 10
	plain, err := NewSobol(MaxSobolDim)
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*Sobol{"plain": plain, "scrambled": plain.Scramble(7)} {
		x := make([]float64, MaxSobolDim)
		slices1 := make([]map[int]bool, MaxSobolDim)
		for j := range slices1 {
			slices1[j] = map[int]bool{}
		}
		rects := make([]map[[2]int]bool, k+1)
		for q := range rects {
			rects[q] = map[[2]int]bool{}
		}
		for i := range n {
			s.At(x, uint32(i))
			for j, v := range x {
				slices1[j][int(v*n)] = true
			}
			for q := range rects {
				rects[q][[2]int{int(x[0] * float64(int(1)<<q)), int(x[1] * float64(int(1)<<(k-q)))}] = true
			}
		}
		for j, m := range slices1 {
			if len(m) != n {
				t.Errorf("%s: dimension %d: %d of %d slices", name, j+1, len(m), n)
			}
		}
		for q, m := range rects {
			if len(m) != n {
				t.Errorf("%s: %d of %d rectangles 2^-%d by 2^-%d", name, len(m), n, q, k-q)
			}
		}
	}
}

// rms returns the root mean square, over seeds, of the error of the mean of
// f = Π (1 + (x − 1/2)) − 1 over n points in 5 dimensions: its mean is 0.
func rms(t *testing.T, d Design, n int) float64 {
	const seeds, dim = 60, 5
	total := 0.0
	for seed := range uint64(seeds) {
		x, err := Sample(d, n, dim, seed)
		if err != nil {
			t.Fatal(err)
		}
		mean := 0.0
		for i := range n {
			f := 1.0
			for _, v := range x.RawRowView(i) {
				f *= v + 0.5
			}
			mean += (f - 1) / float64(n)
		}
		total += mean * mean / seeds
	}
	return math.Sqrt(total)
}

// slope returns that of log error over log n.
func slope(t *testing.T, d Design) float64 {
	var sx, sy, sxx, sxy, m float64
	for k := 6; k <= 11; k++ {
		x, y := float64(k), math.Log2(rms(t, d, 1<<k))
		sx, sy, sxx, sxy, m = sx+x, sy+y, sxx+x*x, sxy+x*y, m+1
	}
	return (m*sxy - sx*sy) / (m*sxx - sx*sx)
}

// The error of a smooth integrand falls as n^−1/2 for random points and as n^−3/2, up to
// logarithms, for scrambled nets (Owen 1997, doi:10.1214/aos/1031594731). With 60 seeds
// a root mean square has a relative standard error of 9 %, so the slope over 5 octaves
// one of about 0.03; logarithms cost the net up to 0.3 at these n.
func TestDesigns_convergence(t *testing.T) {
	for _, c := range []struct {
		d      Design
		lo, hi float64
	}{
		{Random, -0.6, -0.4},
		{ScrambledSobol, -1.7, -1.15},
		{Halton, -1.5, -0.8}, // randomised Halton points: n^−1 up to logarithms
	} {
		s := slope(t, c.d)
		t.Logf("%v: error falls as n^%.3f", c.d, s)
		if s < c.lo || s > c.hi {
			t.Errorf("%v: slope %.3f outside [%g, %g]", c.d, s, c.lo, c.hi)
		}
	}
}

// A Latin hypercube has one point in each slice, and designs repeat with the seed.
func TestDesigns_invariant(t *testing.T) {
	const n, dim = 100, 3
	for d := Random; d <= Halton; d++ {
		a, err := Sample(d, n, dim, 3)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := Sample(d, n, dim, 3)
		c, _ := Sample(d, n, dim, 4)
		if !slices.Equal(a.RawMatrix().Data, b.RawMatrix().Data) || slices.Equal(a.RawMatrix().Data, c.RawMatrix().Data) {
			t.Errorf("%v: the seed does not decide", d)
		}
		if lo, hi := slices.Min(a.RawMatrix().Data), slices.Max(a.RawMatrix().Data); lo < 0 || hi >= 1 {
			t.Errorf("%v: coordinates from %g to %g", d, lo, hi)
		}
		if back, err := ParseDesign(d.String()); err != nil || back != d {
			t.Errorf("%v reads back as %v, %v", d, back, err)
		}
	}
	x, _ := Sample(LatinHypercube, n, dim, 5)
	for j := range dim {
		hit := map[int]bool{}
		for i := range n {
			hit[int(x.At(i, j)*n)] = true
		}
		if len(hit) != n {
			t.Errorf("axis %d: %d of %d slices", j, len(hit), n)
		}
	}
	if _, err := ParseDesign("grid"); err == nil {
		t.Error("an unknown design is accepted")
	}
	for _, c := range []struct{ n, dim int }{{0, 1}, {1, 0}, {1, MaxSobolDim + 1}} {
		if _, err := Sample(ScrambledSobol, c.n, c.dim, 0); err == nil {
			t.Errorf("%v is accepted", c)
		}
	}
}
