package model

import (
	"math"
	"math/rand/v2"
	"testing"
)

// newTextbook reads the forcing of twoPools at time t, within its rollout step of 50 %
// over 10 min.
func newTextbook(sc *Scenario, t float64) *textbook {
	d := &textbook{sc: sc, mult: 0.5 + t/3600, limit: sc.Timeline[0].Value, shedAll: sc.Timeline[0].Priority == "all", validate: 0.3}
	cache := sc.Cache
	nodes := 0.5 / 600 * float64(cache.Nodes) // restarts/s
	long := math.Exp(-cache.HoldDown / cache.Outage)
	replaced := math.Min(nodes*long, cache.Pace)
	out := func(from, to float64) float64 { // mean time in an outage between two ages of it
		return cache.Outage * (math.Exp(-from/cache.Outage) - math.Exp(-to/cache.Outage))
	}
	d.absent = nodes * out(0, math.Min(t, cache.HoldDown)) / float64(cache.Nodes)
	if t >= cache.HoldDown {
		d.loss = cache.FlushesPerRestart * replaced / float64(cache.Nodes)
		d.absent += (nodes - replaced/long) * out(cache.HoldDown, t) / float64(cache.Nodes)
	}
	for i := range sc.Classes {
		c := &sc.Classes[i].Value
		var keys, pi []float64
		if c.Cached {
			keys, pi = zipfSums(c)
		}
		d.keys, d.pi = append(d.keys, keys), append(d.pi, pi)
	}
	return d
}

// drops reports whether a pool's state is its spread v + b n.
func (d *textbook) drops(i int) bool {
	p := &d.sc.Pools[i].Value
	return p.DropExpired && p.Discipline == "fifo" && !math.IsInf(p.Timeout, 1)
}

// load takes the differential part of a state and solves for the closure variables
// by going round until nothing moves.
func (d *textbook) load(t *testing.T, l *layout, y []float64) {
	t.Helper()
	d.x, d.y, d.dx, d.dy = nil, nil, nil, nil
	for _, b := range l.class {
		var x, rest [][]float64
		var dx, dy [][]rate
		for i := range b.bins {
			at := b.at + i*b.k
			x, rest = append(x, y[at:at+b.k]), append(rest, y[l.base+at:l.base+at+b.k])
			dx, dy = append(dx, make([]rate, b.k)), append(dy, make([]rate, b.k))
		}
		d.x, d.y, d.dx, d.dy = append(d.x, x), append(d.y, rest), append(d.dx, dx), append(d.dy, dy)
	}
	d.z, d.sessions, d.theta = y[l.z:l.z+l.nz], y[l.s], 0
	d.n, d.v, d.b, d.share = nil, nil, nil, nil
	for _, p := range l.pool {
		d.n, d.v = append(d.n, y[p.n]), append(d.v, y[p.v])
		d.b, d.share = append(d.b, 2), append(d.share, 0.1) // anything
	}
	const rounds = 200
	for range rounds {
		before := append(append([]float64{d.theta}, d.b...), d.share...)
		for i, p := range l.pool {
			if d.drops(i) {
				d.v[i] = y[p.v] - d.b[i]*d.n[i]
			}
		}
		d.pass()
		moved := 0.0
		for i, v := range append(append([]float64{d.theta}, d.b...), d.share...) {
			moved = math.Max(moved, math.Abs(v-before[i]))
		}
		if moved <= 1e-14 {
			return
		}
	}
	t.Fatalf("the textbook's closure did not converge in %d rounds", rounds)
}

// Every right-hand side and every closure variable is that of the textbook, for every
// option. The tolerance is relative to the largest terms of each sum: the library's
// functions are good to 1e-11 or so.
func TestEquationsExact(t *testing.T) {
	const (
		at  = 100.0
		tol = 1e-9
	)
	for name := range variants {
		if name == "diffusion" {
			continue // the textbook closes on the Panjer family
		}
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, 4))
			s := compileVariant(t, name)
			d := newTextbook(parseVariant(t, name), at)
			for range 5 {
				y := randomState(t, s, r, at)
				got := make([]float64, len(y))
				s.Eval(got, at, y)
				d.load(t, &s.lay, y)
				d.compare(t, s, got, y, tol)
				if t.Failed() {
					return
				}
			}
		})
	}
}

func (d *textbook) compare(t *testing.T, s *System, got, y []float64, tol float64) {
	t.Helper()
	l := &s.lay
	check := func(what string, i int, got float64, want rate) {
		t.Helper()
		if !(math.Abs(got-want.net) <= tol*want.gross) {
			t.Errorf("%s %d: %.15g, textbook %.15g of terms %.3g", what, i, got, want.net, want.gross)
		}
	}
	for q, b := range l.class {
		for i := range b.bins * b.k {
			check("x of class", q, got[b.at+i], d.dx[q][i/b.k][i%b.k])
			check("y of class", q, got[l.base+b.at+i], d.dy[q][i/b.k][i%b.k])
		}
	}
	for j := range l.nz {
		check("z", j, got[l.z+j], d.dz[j])
	}
	check("sessions", 0, got[l.s], d.ds)
	for i, p := range l.pool {
		check("n of pool", i, got[p.n], d.dn[i])
		dv := d.dv[i]
		if d.drops(i) {
			dv = terms(dv.net, d.b[i]*d.dn[i].net)
			dv.gross += d.dv[i].gross + d.b[i]*d.dn[i].gross
		}
		check("v of pool", i, got[p.v], dv)
		check("b of pool", i, y[p.b], terms(d.b[i]))
		check("share of pool", i, y[p.share], terms(d.share[i]))
	}
	if l.theta >= 0 {
		check("θ", 0, y[l.theta], rate{d.theta, d.theta + 1e-6}) // a difference of numbers near 1 s
	}
}
