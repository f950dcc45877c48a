package trajectory

import (
	"fmt"
	"math"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
	"github.com/metastable/metastable/internal/special"
)

// Success o of a read that asks all shards, given the probability p that one of them
// times out or refuses: shards at 400/s with queries of 4 work units and a background
// of 160/s, in the steady state. share is the common share of the work variance at a
// shard, r the correlation of a Gaussian copula that makes o exact.
var scatters = []struct {
	name      string
	p, shards float64
	o, se     float64 // simulation; se: at least a unit of the last digit
	share, r  float64
	refused   bool    // the failures are refusals, else time-outs
	off       float64 // how far the model's correlation leaves o off
}{
	// The constants of the model are fitted over all cases; where p is large or the
	// shards are many the correlation of time-outs is nearer to 0.8 share.
	{"load 0.9, 0.1 s", 0.241, 16, 0.156, 0.001, 0.417, 0.337, false, 0.021},
	{"load 0.9, 0.2 s", 0.058, 16, 0.593, 0.002, 0.417, 0.360, false, 0.006},
	{"load 0.9, 0.4 s", 0.0034, 16, 0.958, 0.001, 0.417, 0.377, false, 0},
	{"load 0.95, 0.3 s, 4 shards", 0.113, 4, 0.689, 0.001, 0.423, 0.377, false, 0},
	{"load 0.95, 0.3 s, 64 shards", 0.123, 64, 0.159, 0.006, 0.423, 0.368, false, 0.009},
	{"load 0.95, 0.3 s, 256 shards", 0.119, 256, 0.055, 0.004, 0.423, 0.366, false, 0.008},
	// Work that does not vary about its mean: shards that are alike fail together, and
	// 0.9 share falls short of that.
	{"load 0.95, scv 0, no background", 0.141, 16, 0.859, 0.001, 1, 1, false, 0.155},
	{"load 0.95, scv 0", 0.061, 16, 0.813, 0.001, 0.846, 0.837, false, 0.040},
	{"load 0.95, background 300", 0.097, 16, 0.363, 0.001, 0.258, 0.232, false, 0.002},
	{"load 1.1", 1 - 1/1.1, 16, 0.433, 0.001, 0.438, 0.310, true, 0.002},
	{"load 1.3", 1 - 1/1.3, 16, 0.142, 0.001, 0.450, 0.291, true, 0.001},
	{"load 1.9", 1 - 1/1.9, 16, 0.0141, 0.0001, 0.469, 0.256, true, 0.0007},
	{"load 3", 1 - 1/3.0, 16, 0.00076, 0.00001, 0.481, 0.219, true, 0.00004},
}

// The model's correlations: 0.9 share for time-outs, (0.75 − 0.45 r_K) share for
// refusals, both fitted to these and other simulations.
func correlation(f, share float64, refused bool) float64 {
	if refused {
		return (0.75 - 0.45*f) * share
	}
	return 0.9 * share
}

func TestSimulation_scatter_golden(t *testing.T) {
	for _, c := range scatters {
		o, _, df, dr, _ := special.ScatterGrad(c.p, 1-c.p, c.r, c.shards)
		if !c.refused { // p is rounded too
			df = math.Abs(df) * lastDigit(c.p) / 2
		} else {
			df = 0
		}
		numtest.Check(t, c.name+": copula", o, c.o, 0, 2*c.se+df+math.Abs(dr)*0.0005)
		o, _ = special.Scatter(c.p, 1-c.p, correlation(c.p, c.share, c.refused), c.shards)
		numtest.Check(t, c.name+": model", o, c.o, 0, 3*c.se+df+c.off)
		independent := math.Pow(1-c.p, c.shards)
		if c.off > 0.02*c.o && math.Abs(o-c.o) > math.Abs(independent-c.o)/3 {
			t.Errorf("%s: %g, hardly better than %g without correlation", c.name, o, independent)
		}
	}
}

// lastDigit is a unit of the last of the two or three digits that p is printed with.
func lastDigit(p float64) float64 {
	if p < 0.01 {
		return 0.0001
	}
	return 0.001
}

// keyed reads of m keys ask V = S (1 − (1 − 1/S)^m) shards on average; two of them
// share E[w_i w_j] ∝ m(m − 1)/S² of E[w²] ∝ (m/S + m(m − 1)/S²)(1 + c_s²). The
// probability p of one failure follows from what independent failures would give.
// Where a read asks nearly all shards the model is 23 % high.
func TestSimulation_keyed_golden(t *testing.T) {
	for _, c := range []struct{ m, shards, independent, o, off float64 }{
		{30, 256, 0.325, 0.364, 0},
		{30, 16, 0.014, 0.103, 0.024},
	} {
		asked := c.shards * (1 - math.Pow(1-1/c.shards, c.m))
		pairs := c.m * (c.m - 1) / (c.shards * c.shards)
		share := pairs / (2 * (c.m/c.shards + pairs))
		success := func(independent float64) float64 {
			one := math.Pow(independent, 1/asked)
			o, _ := special.Scatter(1-one, one, 0.9*share, asked)
			return o
		}
		rounding := success(c.independent+0.0005) - success(c.independent)
		numtest.Check(t, fmt.Sprintf("%g keys on %g shards", c.m, c.shards), success(c.independent), c.o, 0, 0.003+rounding+c.off)
	}
}
