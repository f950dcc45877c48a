package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

const twoPools = `
name: t
duration: 1h
traffic: {boots: 100/s, profile: [[0h, 0.5], [1h, 1.5]], session_length: 10m}
classes:
  a: {per_boot: 2, per_session: 0.01/s, keys_per_request: 5, keys: 20k, popularity: {zipf: 0.9, bins: 6}, ttl: 1h, route: scatter, pool: p, visit_cost: 1, key_cost: 0.2%s}
  b: {per_boot: 0.5, keys_per_request: 3, keys: 5k, popularity: {zipf: 1.1, bins: 4}, ttl: 20m, fetch: missing, route: keyed, pool: r, visit_cost: 0.5, key_cost: 0.5, attempts: 3%s}
  c: {per_session: 0.1/s, cached: false, essential: false, route: keyed, pool: p, visit_cost: 1, key_cost: 0}
pools:
  p: {shards: 8, capacity: 900/s, queue_limit: 300, timeout: 0.5s, background: {rate: 50/s, follows: traffic}%s}
  r: {shards: 4, capacity: 150/s, queue_limit: 2k, timeout: 1s, background: 20/s, arrival_scv: 2, service_scv: 0.5%s}
cache: {nodes: 10, outage: 60s, hold_down: 20s%s}
clients: {backoff: {base: 1s, factor: 3, cap: 20s}, give_up: 0.1%s}
timeline:
  - {at: 0s, throttle: %s}
  - {at: 0s, rollout: 50%%, over: 10m}
  - {at: 0s, validate: 30%%, over: 10m}
`

// variants are the options that change the equations, one by one and together.
var variants = map[string][7]any{
	"plain":           {"", "", "", "", "", "", "none"},
	"throttled":       {"", "", "", "", "", "", "120/s"},
	"shed all":        {"", "", "", "", "", "", "{limit: 120/s, priority: all}"},
	"missing":         {", fetch: missing", "", "", "", "", "", "none"},
	"late fill":       {", late_fill: true", "", "", "", "", "", "none"},
	"delete":          {", on_error: delete", "", "", "", "", "", "none"},
	"late, delete":    {", on_error: delete, late_fill: true", "", "", "", "", "", "none"},
	"coalesce":        {", coalesce: true", ", coalesce: true", "", "", "", "", "none"},
	"attempts":        {", attempts: 2", "", "", "", "", "", "none"},
	"stages":          {", ttl_law: {stages: 3}", ", on_error: delete, ttl_law: {stages: 2}", "", "", "", "", "none"},
	"LRU":             {"", "", "", "", ", size: 9k", "", "none"},
	"LRU, stages":     {", ttl_law: {stages: 3}, coalesce: true", "", "", "", ", size: 9k", "", "200/s"},
	"ps":              {"", "", ", discipline: ps", ", discipline: ps", "", "", "none"},
	"diffusion":       {"", "", ", queue_law: diffusion", ", queue_law: diffusion, drop_expired: true", "", "", "none"},
	"drop":            {"", "", ", drop_expired: true", ", drop_expired: true", "", "", "none"},
	"correlation":     {"", "", ", shard_correlation: 0.3", ", shard_correlation: 0.95", "", "", "none"},
	"budget":          {"", "", "", "", "", ", retry_budget: 0.2", "none"},
	"attempts at 4":   {"", "", "", "", "", ", max_attempts: 4", "none"},
	"everything":      {", fetch: missing, on_error: delete, late_fill: true, coalesce: true, attempts: 2", ", coalesce: true, ttl_law: {stages: 2}", ", drop_expired: true", "", ", size: 9k, pace: 0.001/s", ", retry_budget: 0.5, max_attempts: 3", "150/s"},
	"short queue":     {"", "", "", "", "", "", "none"},
	"short queue, ps": {"", "", ", discipline: ps", ", discipline: ps", "", "", "none"},
	"no retries":      {"", "", "", "", "", ", max_attempts: 1", "90/s"},
}

// shortQueues are queue limits (work units) for which the soft limit's exponent is
// neither at its floor nor at its ceiling.
var shortQueues = map[string]float64{"short queue": 60, "short queue, ps": 30}

func parseVariant(t testing.TB, name string) *Scenario {
	t.Helper()
	v := variants[name]
	sc := mustParse(t, "t.yaml", fmt.Appendf(nil, twoPools, v[:]...))
	if limit := shortQueues[name]; limit > 0 {
		for i := range sc.Pools {
			sc.Pools[i].Value.QueueLimit = limit
		}
	}
	return sc
}

func compileVariant(t testing.TB, name string) *System {
	t.Helper()
	s, err := parseVariant(t, name).Compile()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// randomState is a state in the rollout piece, with closure variables that hold.
func randomState(t testing.TB, s *System, r *rand.Rand, at float64) []float64 {
	t.Helper()
	y := s.NewState()
	if s.lay.lru >= 0 {
		y[s.lay.lru] = 5
	}
	for _, b := range s.lay.class {
		for i := range b.bins * b.k {
			y[b.at+i] = r.Float64() / float64(b.k)
		}
	}
	for j := range s.lay.nz {
		y[s.lay.z+j] = 500 * r.Float64()
	}
	for i, p := range s.lay.pool {
		y[p.b], y[p.share] = 1, 0.5
		y[p.n] = math.Exp(6.5 * r.Float64())
		y[p.v] = y[p.n] * (0.2 + y[p.n]*r.Float64())
		if s.now.par.pool[i].drops() {
			y[p.v] += 5 * y[p.n] // more than b n
		}
	}
	y[s.lay.s] = 1e4 * r.Float64()
	for k := range s.breaks {
		if s.breaks[k] <= at {
			y = s.Enter(k, at, y)
		}
	}
	for i := s.lay.base; i < len(y); i++ {
		y[i] *= r.Float64()
	}
	if err := s.Consistent(at, y); err != nil {
		t.Fatal(err)
	}
	return y
}

// The arrow solver inverts shift·M − J with J from central differences of Eval, and
// ∂f/∂t is that of central differences too. The tolerance is that of differences.
func TestJacobianExact(t *testing.T) {
	for name := range variants {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			s := compileVariant(t, name)
			for i := range 30 {
				at := 100.0
				if i%3 == 0 {
					at = 10 // no node is replaced yet
				}
				y := randomState(t, s, r, at)
				checkJacobian(t, s, at, y)
			}
		})
	}
}

func checkJacobian(t *testing.T, s *System, at float64, y []float64) {
	t.Helper()
	const tol = 2e-6
	n := len(y)
	up, down, dfdt := make([]float64, n), make([]float64, n), make([]float64, n)
	shift := 0.37
	s.Linearize(dfdt, at, y)
	if err := s.Factor(shift); err != nil {
		t.Fatal(err)
	}
	b, x := make([]float64, n), make([]float64, n)
	for i := range b {
		b[i] = math.Sin(float64(i)+1) * max(1e-3, math.Abs(y[i]))
		x[i] = b[i]
	}
	s.Solve(x)

	res, scale := make([]float64, n), make([]float64, n)
	for i, m := range s.Mass() {
		res[i] = shift*m*x[i] - b[i]
		scale[i] = math.Abs(b[i]) + math.Abs(shift*m*x[i])
	}
	z := append([]float64(nil), y...)
	for j := range y {
		h := 1e-5 * max(math.Abs(y[j]), 1e-3)
		z[j] = y[j] + h
		s.Eval(up, at, z)
		z[j] = y[j] - h
		s.Eval(down, at, z)
		z[j] = y[j]
		for i := range up {
			d := (up[i] - down[i]) / (2 * h) * x[j]
			res[i] -= d
			scale[i] += math.Abs(d) + 1e-9*math.Abs(up[i]/h*x[j])
		}
	}
	for i := range res {
		if e := math.Abs(res[i]) / scale[i]; !(e <= tol) {
			t.Fatalf("component %d of %d (z from %d, pools from %d, closure from %d, rest from %d): residual %g of %g, relative %g",
				i, n, s.lay.z, s.lay.z+s.lay.nz, s.lay.nState, s.lay.base, res[i], scale[i], e)
		}
	}
	const h = 1e-2
	s.Eval(up, at+h, y)
	s.Eval(down, at-h, y)
	for i := range up {
		d := (up[i] - down[i]) / (2 * h)
		if e := math.Abs(d - dfdt[i]); e > tol*(math.Abs(d)+1e-9*math.Abs(up[i])/h)+1e-9*math.Abs(up[i])/h+1e-12 {
			t.Fatalf("∂f/∂t of component %d: %g, by differences %g", i, dfdt[i], d)
		}
	}
}

// The solver inverts shift·M − J for the J that Jacobian returns: the same matrix by
// two routes, so to rounding.
func TestJacobianSolveExact(t *testing.T) {
	const at, shift, tol = 100.0, 0.37, 1e-9
	for name := range variants {
		r := rand.New(rand.NewPCG(5, 6))
		s := compileVariant(t, name)
		for range 10 {
			y := randomState(t, s, r, at)
			n := len(y)
			jac, x := make([]float64, n*n), make([]float64, n)
			s.Linearize(make([]float64, n), at, y)
			if err := s.Factor(shift); err != nil {
				t.Fatal(err)
			}
			for i := range x {
				x[i] = math.Cos(float64(i)) * max(1e-3, math.Abs(y[i]))
			}
			b := append([]float64(nil), x...)
			s.Solve(x)
			s.Jacobian(jac)
			for i, m := range s.Mass() {
				got, scale := shift*m*x[i], math.Abs(b[i])+math.Abs(shift*m*x[i])
				for j, v := range x {
					got -= jac[i*n+j] * v
					scale += math.Abs(jac[i*n+j] * v)
				}
				if math.Abs(got-b[i]) > tol*scale {
					t.Errorf("%s: row %d gives %g, want %g", name, i, got, b[i])
				}
			}
		}
	}
}
