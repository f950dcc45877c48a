package stability

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/metastable/metastable/model"
)

// A Portrait is what a [Plane] looks like.
type Portrait struct {
	*Plane
	Result       *Result
	Field        []Flow
	Nullclines   [2][]Track // where X stands still, and where Y does
	Separatrix   []Track    // between the basins: the stable manifold of each saddle, back in time
	Trajectories []Track
	States       []PlaneState

	// Log tells which axes are laid out logarithmically: hit rates by their misses where
	// a state has few, work at a pool where it spans more than two decades. View is what is
	// shown.
	Log  [2]bool
	View [2][2]float64
}

// A Flow is how fast the two states change at a point.
type Flow struct{ At, Rate [2]float64 }

// A PlaneState is an equilibrium of the whole system.
type PlaneState struct {
	At     [2]float64
	Stable bool // in the whole system
	Saddle bool // in the plane
	Index  int  // in Result.Equilibria
}

const (
	arrows      = 22   // across
	cellsAcross = 60   // cells across, for the nullclines
	fromSaddle  = 2e-4 // of the range: where the separatrix starts, from the saddle
)

// NewPortrait draws up the plane of two states at the moment: see [NewPlane], also for
// what it fails with. The equilibria are those of [Equilibria].
func NewPortrait(sys *model.System, at model.Moment, x, y string, set *Settings) (*Portrait, error) {
	p, err := NewPlane(sys, at, x, y)
	if err != nil {
		return nil, err
	}
	res, err := Equilibria(sys, at, set)
	if err != nil {
		return nil, err
	}
	out := &Portrait{Plane: p, Result: res}
	for i := range res.Equilibria {
		e := &res.Equilibria[i]
		s := PlaneState{At: [2]float64{res.Value(e, p.X), res.Value(e, p.Y)}, Stable: e.Stable, Index: i}
		if !e.Stable {
			jac := p.slopes(s.At)
			s.Saddle = jac[0]*jac[3]-jac[1]*jac[2] < 0
		}
		out.States = append(out.States, s)
	}
	out.look()
	if err := out.still(set); err != nil {
		return nil, err
	}
	for _, s := range out.States {
		if !s.Saddle {
			continue
		}
		tracks, err := p.manifold(s.At, set)
		if err != nil {
			return nil, err
		}
		out.Separatrix = append(out.Separatrix, tracks...)
	}
	return out, out.run(set)
}

// still fills in the field and the nullclines.
func (p *Portrait) still(set *Settings) error {
	p.Field = nil
	for i := range arrows {
		for j := range arrows {
			q := [2]float64{p.way(0, (float64(i)+0.5)/arrows), p.way(1, (float64(j)+0.5)/arrows)}
			if r := p.Rate(q); bounded(r[:]) {
				p.Field = append(p.Field, Flow{q, r})
			}
		}
	}
	var g [2]grid
	for k := range g {
		for i := range cellsAcross + 1 {
			g[k].x = append(g[k].x, p.way(0, float64(i)/cellsAcross))
			g[k].y = append(g[k].y, p.way(1, float64(i)/cellsAcross))
		}
	}
	for _, x := range g[0].x {
		if err := set.interrupted(); err != nil {
			return err
		}
		var columns [2][]float64
		for _, y := range g[0].y {
			r := p.Rate([2]float64{x, y})
			columns[0], columns[1] = append(columns[0], r[0]), append(columns[1], r[1])
		}
		g[0].values, g[1].values = append(g[0].values, columns[0]), append(g[1].values, columns[1])
	}
	for k := range g {
		p.Nullclines[k] = g[k].contour(func(q [2]float64) float64 { return p.Rate(q)[k] })
	}
	return nil
}

// look chooses what is shown and how it is laid out.
func (p *Portrait) look() {
	for k, name := range []string{p.X, p.Y} {
		least, most := math.Inf(1), math.Inf(-1)
		for _, s := range p.States {
			least, most = min(least, s.At[k]), max(most, s.At[k])
		}
		p.View[k] = [2]float64{p.Lo[k], p.Hi[k]}
		kind, _, _ := strings.Cut(name, ".")
		switch {
		case kind == "hit_rate" && most > 0.8:
			p.Log[k] = true
			p.View[k] = [2]float64{0, 1 - max(1-most, 1e-5)/2}
		case kind == "in_system" && most > 100*least:
			p.Log[k] = true
			p.View[k][0] = max(p.Lo[k], least/4)
		}
	}
}

// way returns the value a fraction of the way along an axis.
func (p *Portrait) way(axis int, f float64) float64 {
	v := p.View[axis]
	kind, _, _ := strings.Cut([]string{p.X, p.Y}[axis], ".")
	switch {
	case p.Log[axis] && kind == "hit_rate":
		return 1 - (1-v[0])*math.Pow((1-v[1])/(1-v[0]), f)
	case p.Log[axis]:
		return v[0] * math.Pow(v[1]/v[0], f)
	}
	return v[0] + f*(v[1]-v[0])
}

// manifold follows the stable manifold of a saddle back in time, to both sides.
func (p *Plane) manifold(at [2]float64, set *Settings) ([]Track, error) {
	// In units of the ranges, so that directions make sense.
	jac := p.slopes(at)
	ratio := (p.Hi[1] - p.Lo[1]) / (p.Hi[0] - p.Lo[0])
	a, b, c, d := jac[0], jac[1]*ratio, jac[2]/ratio, jac[3]
	root := (a+d)/2 - math.Sqrt((a-d)*(a-d)/4+b*c)
	vx, vy := b, root-a
	if math.Abs(root-d)+math.Abs(c) > math.Abs(root-a)+math.Abs(b) {
		vx, vy = root-d, c
	}
	size := math.Hypot(vx, vy)
	if !(size > 0) {
		return nil, fmt.Errorf("stability: no direction at the saddle %v", at)
	}
	var tracks []Track
	for _, side := range []float64{1, -1} {
		q := at
		q[0] += side * fromSaddle * vx / size * (p.Hi[0] - p.Lo[0])
		q[1] += side * fromSaddle * vy / size * (p.Hi[1] - p.Lo[1])
		t, err := p.follow(q, -1, nil, set)
		if err != nil {
			return nil, err
		}
		t.X, t.Y = slices.Insert(t.X, 0, at[0]), slices.Insert(t.Y, 0, at[1])
		tracks = append(tracks, *t)
	}
	return tracks, nil
}

// run adds trajectories from starts all over the plane.
func (p *Portrait) run(set *Settings) error {
	for _, f := range [][2]float64{{0.1, 0.35}, {0.3, 0.35}, {0.44, 0.35}, {0.58, 0.35}, {0.75, 0.85}, {0.97, 0.6}} {
		q := [2]float64{p.way(0, f[0]), p.way(1, f[1])}
		if r := p.Rate(q); !bounded(r[:]) {
			continue
		}
		t, err := p.follow(q, 1, p.States, set)
		if err != nil {
			return err
		}
		p.Trajectories = append(p.Trajectories, *t)
	}
	return nil
}
