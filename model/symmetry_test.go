package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
)

const halves = `
name: halves
duration: 1h
traffic: {boots: 100/s, session_length: 10m}
classes:
%s
pools:
%s
cache: {nodes: 10, outage: 60s, hold_down: 20s%s}
clients: {backoff: {base: 1s, factor: 3, cap: 20s}, give_up: 0.1}
timeline: [{at: 0s, rollout: 50%%, over: 10m}, {at: 0s, validate: 20%%}]
`

// twin states have the same content, clients and queues in classes and pools that are
// alike.
func twin(s *System, r *rand.Rand, y []float64) {
	l := &s.lay
	first := l.class[0]
	for i := range first.bins * first.k {
		x := r.Float64() / float64(first.k)
		for _, b := range l.class {
			y[b.at+i] = x
			y[l.base+b.at+i] = x * 0.7
		}
	}
	for j := range l.nz {
		y[l.z+j] = 300 * r.Float64()
	}
	n := math.Exp(5 * r.Float64())
	v := n * (0.2 + n*r.Float64())
	for _, p := range l.pool {
		y[p.n], y[p.v], y[p.b], y[p.share] = n, v, 1, 0.5
	}
	y[l.s] = 1e4 * r.Float64()
	if l.lru >= 0 {
		y[l.lru] = 5
	}
}

// replacing is a time (s) at which the step of halves empties nodes.
const replacing = 30

func rates(t *testing.T, s *System, seed uint64) (y, f []float64) {
	t.Helper()
	y = s.NewState()
	for k := range s.breaks {
		if s.breaks[k] <= replacing {
			y = s.Enter(k, replacing, y)
		}
	}
	twin(s, rand.New(rand.NewPCG(seed, 8)), y)
	if err := s.Consistent(replacing, y); err != nil {
		t.Fatal(err)
	}
	f = make([]float64, len(y))
	s.Eval(f, replacing, y)
	return y, f
}

var symmetricOptions = []string{
	"route: scatter", "route: keyed", "route: scatter, fetch: missing", "route: keyed, fetch: missing, coalesce: true",
	"route: scatter, on_error: delete", "route: keyed, late_fill: true, attempts: 2", "route: scatter, ttl_law: {stages: 2}",
}

// A class cut into two halves, of the requests and of the keys each, is one class.
func TestHalvesInvariant(t *testing.T) {
	const class = "  %s: {per_boot: %g, per_session: %g/s, keys_per_request: 5, keys: %g, popularity: {weights: [[0.1, 0.5], [0.2, 0.3], [0.7, 0.2]]}, ttl: 1h, visit_cost: 1, key_cost: 0.2, %s}\n"
	const pools = "  p: {shards: 8, capacity: 900/s, queue_limit: 300, timeout: 0.5s, background: 50/s, arrival_scv: 2, service_scv: 0.5%s}"
	for _, option := range symmetricOptions {
		for _, pool := range []string{"", ", discipline: ps", ", drop_expired: true"} {
			for _, cache := range []string{"", ", size: 9k"} {
				one := compiled(t, fmt.Sprintf(halves, fmt.Sprintf(class, "a", 2.0, 0.02, 20000.0, option), fmt.Sprintf(pools, pool), cache), nil)
				half := func(name string) string { return fmt.Sprintf(class, name, 1.0, 0.01, 10000.0, option) }
				two := compiled(t, fmt.Sprintf(halves, half("a")+half("b"), fmt.Sprintf(pools, pool), cache), nil)
				for seed := range uint64(2) {
					y1, f1 := rates(t, one, seed)
					y2, f2 := rates(t, two, seed)
					name := option + pool + cache
					same := func(what string, i1, i2, n int) {
						t.Helper()
						numtest.CheckSlice(t, name+": "+what, y2[i2:i2+n], y1[i1:i1+n], 1e-12, 1e-300)
						numtest.CheckSlice(t, name+": rate of "+what, f2[i2:i2+n], f1[i1:i1+n], 1e-12, 1e-10)
					}
					l1, l2 := &one.lay, &two.lay
					n := l1.class[0].bins * l1.class[0].k
					for _, b := range l2.class {
						same("content", 0, b.at, n)
						same("content to come", l1.base, l2.base+b.at, n)
					}
					same("clients, queue, sessions and closure", l1.z, l2.z, l1.base-l1.z)
				}
			}
		}
	}
}

// Two pools that are alike, each with a class of its own, stay alike; and the order in
// which the file names the classes does not matter.
func TestTwinPoolsInvariant(t *testing.T) {
	const class = "  %s: {per_boot: 1, per_session: 0.01/s, keys_per_request: 5, keys: 10k, popularity: {zipf: 0.8, bins: 5}, ttl: 1h, visit_cost: 1, key_cost: 0.2, pool: %s, %s}\n"
	const pool = "  %s: {shards: 8, capacity: 600/s, queue_limit: 300, timeout: 0.5s, background: 50/s%s}\n"
	for _, option := range symmetricOptions {
		for _, law := range []string{"", ", discipline: ps", ", drop_expired: true", ", shard_correlation: 0.4"} {
			file := fmt.Sprintf(halves, fmt.Sprintf(class, "a", "p", option)+fmt.Sprintf(class, "b", "r", option),
				fmt.Sprintf(pool, "p", law)+fmt.Sprintf(pool, "r", law), ", size: 9k")
			s := compiled(t, file, nil)
			_, f := rates(t, s, 1)
			l := &s.lay
			a, b, p, r := l.class[0], l.class[1], l.pool[0], l.pool[1]
			n := a.bins * a.k
			name := option + law
			numtest.CheckSlice(t, name+": content", f[b.at:b.at+n], f[a.at:a.at+n], 1e-12, 1e-12)
			numtest.CheckSlice(t, name+": queue", f[r.n:r.n+2], f[p.n:p.n+2], 1e-12, 1e-12)

			// The classes in the other order, on pools that differ.
			unlike := strings.NewReplacer("r: {shards: 8, capacity: 600/s", "r: {shards: 4, capacity: 350/s").Replace(file)
			lines := strings.Split(unlike, "\n")
			for i, line := range lines {
				if strings.HasPrefix(line, "  a:") {
					lines[i], lines[i+1] = lines[i+1], lines[i]
					break
				}
			}
			swapped := compiled(t, strings.Join(lines, "\n"), nil)
			y1, f1 := rates(t, compiled(t, unlike, nil), 2)
			y2, f2 := rates(t, swapped, 2)
			numtest.CheckSlice(t, name+": swapped, content of a", f2[b.at:b.at+n], f1[a.at:a.at+n], 1e-12, 1e-12)
			numtest.CheckSlice(t, name+": swapped, content of b", f2[a.at:a.at+n], f1[b.at:b.at+n], 1e-12, 1e-12)
			numtest.CheckSlice(t, name+": swapped, the rest", f2[l.z:l.base], f1[l.z:l.base], 1e-12, 1e-9)
			numtest.CheckSlice(t, name+": swapped, closure", y2[l.nState:l.base], y1[l.nState:l.base], 1e-12, 0)
		}
	}
}
