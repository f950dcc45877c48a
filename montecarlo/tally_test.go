package montecarlo

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
)

func samples(n int) []float64 {
	r := Stream(5, 0)
	x := make([]float64, n)
	for i := range x {
		switch i % 10 {
		case 0:
			x[i] = 0
		case 1:
			x[i] = -math.Exp(20 * r.NormFloat64())
		default:
			x[i] = math.Exp(5 * r.NormFloat64())
		}
	}
	return x
}

func encoded(t *testing.T, y *Tally) []byte {
	b, err := json.Marshal(y)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Any order, any split and a way through a file give the same bytes.
func TestTally_invariant(t *testing.T) {
	x := append(samples(3000), math.Inf(1), math.NaN(), math.SmallestNonzeroFloat64, math.MaxFloat64, -math.MaxFloat64)
	var all Tally
	for _, v := range x {
		all.Add(v)
	}
	parts := make([]Tally, 3)
	Stream(6, 0).Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
	for i, v := range x {
		parts[i%3].Add(v)
	}
	var merged Tally
	for i := range parts {
		var read Tally
		if err := json.Unmarshal(encoded(t, &parts[2-i]), &read); err != nil {
			t.Fatal(err)
		}
		merged.Merge(&read)
	}
	if !bytes.Equal(encoded(t, &all), encoded(t, &merged)) {
		t.Error("the order of values matters")
	}
	var zeros, none, both Tally
	zeros.Add(0)
	both.Add(0)
	none.Merge(&zeros)
	none.Merge(&Tally{})
	if !bytes.Equal(encoded(t, &none), encoded(t, &both)) {
		t.Errorf("merged zeros are %s, want %s", encoded(t, &none), encoded(t, &both))
	}
	if n := all.N(); n != 3004 {
		t.Errorf("%d values, want 3004 without NaN", n)
	}
	if m := all.Mean(0.95); !math.IsInf(m.Estimate, 1) || m.Confidence != 0 {
		t.Errorf("mean with an infinite value: %v", m)
	}
}

// Against gonum and against sorted values.
func TestTally_exact(t *testing.T) {
	x := samples(1000)
	var y, offset Tally
	for i, v := range x {
		y.Add(v)
		offset.Add(1e9 + float64(i%2)) // variance n/(4(n−1)), lost by Σx² in doubles
	}
	mean, variance := stat.MeanVariance(x, nil)
	if m := y.Mean(0.95); math.Abs(m.Estimate/mean-1) > 1e-12 || math.Abs(y.Variance()/variance-1) > 1e-12 {
		t.Errorf("mean %g, variance %g, want %g and %g", m.Estimate, y.Variance(), mean, variance)
	}
	if v := offset.Variance(); v != 1000.0/4/999 {
		t.Errorf("variance %.17g, want %.17g", v, 1000.0/4/999)
	}
	slices.Sort(x)
	if y.Min() != x[0] || y.Max() != x[999] {
		t.Errorf("from %g to %g, want %g to %g", y.Min(), y.Max(), x[0], x[999])
	}
	for _, p := range []float64{0.001, 0.05, 0.1, 0.15, 0.2, 0.5, 0.9, 0.999} {
		q := y.Quantile(p, 0.95)
		want := x[int(math.Ceil(p*1000))-1]
		if math.Abs(q.Estimate-want) > Accuracy*1.001*math.Abs(want) {
			t.Errorf("%g quantile %g, want %g", p, q.Estimate, want)
		}
		if !(q.Lo <= q.Estimate && q.Estimate <= q.Hi && q.Confidence >= 0.95) {
			t.Errorf("%g quantile: %v", p, q)
		}
	}
	var few Tally
	few.Add(1)
	if q := few.Quantile(0.5, 0.95); q.Estimate != 1 || !math.IsInf(q.Lo, -1) || !math.IsInf(q.Hi, 1) {
		t.Errorf("median of one value: %v", q)
	}
}
