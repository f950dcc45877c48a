package stability

import (
	"errors"
	"math"
	"testing"

	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/model"
)

var now = model.Moment{Traffic: -1, Throttle: -1}

const (
	lookAside = "../data/scenarios/hotos21-cache.yaml"
	retries   = "../data/scenarios/hotos21-retry.yaml"
	wikimedia = "../data/scenarios/wikimedia-2020-02-04.yaml"
)

// Both states of the plane stand still at each equilibrium of the whole system, which
// Newton's method found without the plane, and everything else is as it is there.
func TestPlane_equilibria_exact(t *testing.T) {
	for _, tc := range []struct {
		path string
		at   model.Moment
		want int
	}{
		{lookAside, now, 3},
		{retries, now, 3},
		{"../data/scenarios/osdi22-cache.yaml", now, 1},
		{wikimedia, model.Moment{Traffic: 0.8, Throttle: -1}, 3},
	} {
		sys := compile(t, tc.path)
		res, err := Equilibria(sys, tc.at, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Equilibria) != tc.want {
			t.Errorf("%s: %d equilibria, want %d for the test to be of use", tc.path, len(res.Equilibria), tc.want)
		}
		p, err := NewPlane(sys, tc.at, "", "")
		if err != nil {
			t.Fatal(err)
		}
		y := make([]float64, sys.Freeze(tc.at).Dim())
		for i := range res.Equilibria {
			e := &res.Equilibria[i]
			q := [2]float64{res.Value(e, p.X), res.Value(e, p.Y)}
			if err := p.Lift(y, q); err != nil {
				t.Errorf("%s: state %d: %v", tc.path, i+1, err)
				continue
			}
			// The equilibrium is known to 1e-10, and its position along the family to
			// rounding of the hit rate, which near 1 says little about the misses.
			if d := distance(scales(sys.Freeze(tc.at)), y, e.State); d > 1e-6 {
				t.Errorf("%s: state %d is lifted to another state: distance %.2g", tc.path, i+1, d)
			}
			for k, r := range p.Rate(q) {
				if !(math.Abs(r) <= 1e-9*(p.Hi[k]-p.Lo[k])) { // of the range per second
					t.Errorf("%s: state %d: coordinate %d changes at %.2g", tc.path, i+1, k, r)
				}
			}
		}
	}
}

// The nullclines cross at the saddle and near no point that is not an equilibrium, and
// the separatrix separates.
func TestPortrait_exact(t *testing.T) {
	for _, path := range []string{lookAside, retries} {
		p, err := NewPortrait(compile(t, path), now, "", "", nil)
		if err != nil {
			t.Fatal(err)
		}
		// In fractions of the axes as laid out; a cell is 1/60.
		const near = 1.0 / 60
		met := make([]bool, len(p.States))
		for _, q := range crossings(p) {
			found := false
			for i, s := range p.States {
				at := [2]float64{p.fraction(0, s.At[0]), p.fraction(1, s.At[1])}
				if math.Abs(at[0]-q[0]) <= near && math.Abs(at[1]-q[1]) <= near {
					found, met[i] = true, true
				}
			}
			if !found {
				t.Errorf("%s: the nullclines cross at %v of the axes, where no equilibrium is", path, q)
			}
		}
		for i, s := range p.States {
			if s.Saddle && !met[i] {
				t.Errorf("%s: the nullclines do not cross at the saddle %v", path, s.At)
			}
		}
		testSeparatrix(t, path, p)
	}
}

// fraction is the inverse of way.
func (p *Portrait) fraction(axis int, v float64) float64 {
	lo, hi := 0.0, 1.0
	for range 60 {
		if mid := (lo + hi) / 2; p.way(axis, mid) < v {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// crossings are the points in which the two nullclines cross, in fractions of the axes.
func crossings(p *Portrait) (found [][2]float64) {
	type segment [2][2]float64
	var parts [2][]segment
	for k, tracks := range p.Nullclines {
		for _, t := range tracks {
			for i := 1; i < len(t.X); i++ {
				parts[k] = append(parts[k], segment{
					{p.fraction(0, t.X[i-1]), p.fraction(1, t.Y[i-1])},
					{p.fraction(0, t.X[i]), p.fraction(1, t.Y[i])},
				})
			}
		}
	}
	for _, a := range parts[0] {
		for _, b := range parts[1] {
			ux, uy := a[1][0]-a[0][0], a[1][1]-a[0][1]
			vx, vy := b[1][0]-b[0][0], b[1][1]-b[0][1]
			wx, wy := b[0][0]-a[0][0], b[0][1]-a[0][1]
			det := ux*vy - uy*vx
			s, r := (wx*vy-wy*vx)/det, (wx*uy-wy*ux)/det
			if det != 0 && s >= 0 && s <= 1 && r >= 0 && r <= 1 {
				found = append(found, [2]float64{a[0][0] + s*ux, a[0][1] + s*uy})
			}
		}
	}
	return found
}

// testSeparatrix: trajectories of the plane that start a hundredth of the range to
// either side of the separatrix end in different states.
func testSeparatrix(t *testing.T, path string, p *Portrait) {
	if len(p.Separatrix) != 2 {
		t.Fatalf("%s: %d branches of the separatrix, want 2", path, len(p.Separatrix))
	}
	for k, branch := range p.Separatrix {
		i := len(branch.X) / 2
		var ends [2]int
		for side, shift := range []float64{-0.01, 0.01} {
			f := p.fraction(0, branch.X[i]) + shift
			ends[side] = ending(t, p, [2]float64{p.way(0, f), branch.Y[i]})
		}
		if ends[0] == ends[1] || ends[0] < 0 || ends[1] < 0 {
			t.Errorf("%s: branch %d at (%g, %g): the sides end in the states %v", path, k, branch.X[i], branch.Y[i], ends)
		}
	}
}

// ending returns the state in which a trajectory of the plane ends.
func ending(t *testing.T, p *Portrait, q [2]float64) int {
	t.Helper()
	track, err := p.follow(q, 1, p.States, nil)
	if err != nil {
		t.Fatal(err)
	}
	n := len(track.X) - 1
	for i, s := range p.States {
		if s.Stable && p.apart(s.At, []float64{track.X[n], track.Y[n]}) < 1e-3 {
			return i
		}
	}
	return -1
}

func TestPlaneErrors(t *testing.T) {
	for _, tc := range []struct{ path, x, y string }{
		{lookAside, "hit_rate.nobody", ""},
		{lookAside, "load.database", ""},
		{lookAside, "hit_rate.item", "hit_rate.item"},
		{lookAside, "hit_rate.item", "waiting_clients"},   // nobody waits there
		{"../data/scenarios/cold-start.yaml", "", ""},     // two classes
		{"../data/scenarios/osdi22-mongodb.yaml", "", ""}, // waiting clients stand for several loads
	} {
		if _, err := NewPlane(compile(t, tc.path), now, tc.x, tc.y); !errors.Is(err, ErrNoPlane) {
			t.Errorf("%s %q %q: %v, want ErrNoPlane", tc.path, tc.x, tc.y, err)
		}
	}
}

// The picture of the return map meets the diagonal at the equilibria, and its walks end
// at the stable ones on their side of the tipping point.
func TestPicture_exact(t *testing.T) {
	sc := scenariotest.Read(t, slack)
	sys := compile(t, slack)
	at := model.Moment{Traffic: 0.8, Throttle: -1}
	res, err := Equilibria(sys, at, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPicture(sc, sys, at, res)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range p.Equilibria {
		if want := res.Value(&res.Equilibria[i], "load.main"); math.Abs(e.Load-want) > 1e-7*want { // boxTol
			t.Errorf("equilibrium %d at the load %.12g, want %.12g", i, e.Load, want)
		}
	}
	crossed := 0
	for i := 1; i < len(p.Load); i++ {
		if (p.Back[i] > p.Load[i]) != (p.Back[i-1] > p.Load[i-1]) {
			crossed++
		}
	}
	if crossed != len(p.Equilibria) {
		t.Errorf("the map crosses the diagonal %d times, there are %d equilibria", crossed, len(p.Equilibria))
	}
	for _, w := range p.Cobwebs {
		want := p.Equilibria[2].Load
		if w.Loads[0] < p.Equilibria[1].Load {
			want = p.Equilibria[0].Load
		}
		if last := w.Loads[len(w.Loads)-1]; math.Abs(last-want) > 1e-3*want {
			t.Errorf("%s: ends at %g, want %g", w.Name, last, want)
		}
	}
}
