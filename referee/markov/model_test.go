package markov

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/model"
)

func scenario(t testing.TB, file string, set ...string) *model.Scenario {
	t.Helper()
	return scenariotest.Read(t, "testdata/"+file, set...)
}

func modelOf(t testing.TB, file string, set ...string) *Model {
	t.Helper()
	m, err := New(scenario(t, file, set...))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The retry example of HotOS 2025: 10/s server, clients 5/s, time-out 5 s, 5 retries, 15/s for
// ten minutes. A queue bound of 150 does not recover, 35 does.
func TestExactHotOS25(t *testing.T) {
	long, err := modelOf(t, "hotos25-queue150.yaml").Outcome(nil)
	if err != nil {
		t.Fatal(err)
	}
	if !long.Metastable || !(long.Failed > .999) || !(long.Recover.Mean > 1e9) {
		t.Errorf("bound 150: metastable %v, failed %g, recovery in %g s", long.Metastable, long.Failed, long.Recover.Mean)
	}
	if !(long.Truncation <= 1e-6) || !(long.Error <= 1e-5) || !(long.Residual < 1e-9) || len(long.Warnings) > 0 {
		t.Errorf("bound 150: truncation %g, error %g, residual %g, warnings %v", long.Truncation, long.Error, long.Residual, long.Warnings)
	}
	short, err := modelOf(t, "hotos25-queue35.yaml").Outcome(nil)
	if err != nil {
		t.Fatal(err)
	}
	if short.Metastable || short.Failed != 0 || !(short.Recover.Mean < 60) {
		t.Errorf("bound 35: metastable %v, failed %g, recovery in %g s", short.Metastable, short.Failed, short.Recover.Mean)
	}
	if len(short.Warnings) != 1 || !errors.Is(short.Warnings[0], ErrOneState) {
		t.Errorf("bound 35: warnings %v", short.Warnings)
	}
}

// Without retries the scenario is M/M/1/K: (1−ρ)ρ^K/(1−ρ^{K+1}) of the arrivals are refused.
func TestExactScenarioIsMM1K(t *testing.T) {
	s, err := modelOf(t, "queue.yaml").Solve(0, nil)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "refused", s.Stationary[s.Grid.Index(10, 0)], .0508137313274, 1e-10) // ρ = 0.9, K = 10
	if s.Truncation != 0 {
		t.Errorf("truncation error %g where nothing is cut off", s.Truncation)
	}
}

// Without a limit the queue is cut off where it does not matter: M/M/1, mean ρ/(1−ρ).
func TestExactScenarioIsMM1(t *testing.T) {
	s, err := modelOf(t, "queue.yaml", "pools.server.queue_limit", "none", "traffic.boots", "7/s").Solve(0, nil)
	if err != nil {
		t.Fatal(err)
	}
	mean := 0.0
	for i, p := range s.Stationary {
		n, _ := s.Grid.At(i)
		mean += p * float64(n)
	}
	near(t, "mean", mean, 7./3, 1e-6)
	_, err = modelOf(t, "queue.yaml", "pools.server.queue_limit", "none", "traffic.boots", "9.9/s").Solve(0, &SolveSettings{MaxStates: 200})
	var limit *LimitError
	if !errors.As(err, &limit) || limit.MaxStates != 200 {
		t.Errorf("a queue of more than 200: %v", err)
	}
}

// A retry comes back as often as the number of attempts allows, whatever the failure rate:
// (1−f^k)/(1−f) attempts per client.
func TestExactAttempts(t *testing.T) {
	r := rates{retries: true, attempts: 6}
	for _, f := range []float64{.01, .3, .9, .999} {
		near(t, "attempts", 1/(1-r.again(f)*f), (1-math.Pow(f, 6))/(1-f), 1e-12)
	}
	near(t, "attempts when all fail", 1/(1-r.again(1)), 6, 1e-9)
}

// Clients enter and leave: in the stationary law the flow of answers in time and of those
// that stop is the flow of new clients.
func TestInvariantClientsAreConserved(t *testing.T) {
	m := modelOf(t, "retry.yaml")
	s, err := m.Solve(0, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &m.pieces[0].rates
	in, gone := 0.0, 0.0
	for i, p := range s.Stationary {
		n, o := s.Grid.At(i)
		fail := r.late(n)
		if n == 10 {
			fail = 1
		}
		attempts := r.first + float64(o)/r.dwell()
		in += p * r.first
		gone += p * attempts * (1 - fail*r.again(fail))
	}
	near(t, "clients", gone, in, 1e-6) // the truncation
}

// One key that expires: with misses answered at once it is warm for T and cold for 1/λ.
func TestExactOneKeyCache(t *testing.T) {
	s, err := modelOf(t, "cache.yaml", "classes.get.keys", "1", "traffic.boots", "5/s", "classes.get.ttl", "10s", "pools.server.capacity", "1e9/s").Solve(0, nil)
	if err != nil {
		t.Fatal(err)
	}
	cold := 0.0
	for i, p := range s.Stationary {
		if _, o := s.Grid.At(i); o == 1 {
			cold += p
		}
	}
	near(t, "cold", cold, 1/(1+5*10.), 1e-6) // 5/s, time to live 10 s
}

// An empty cache asks for twice what the database serves, and answers that come late fill
// nothing: a small flush is absorbed, a full one is not, and more flushed is never better.
func TestInvariantLargerFlushesTip(t *testing.T) {
	var failed []float64
	for _, share := range []string{"1%", "50%", "70%", "100%"} {
		o, err := modelOf(t, "cache.yaml", "timeline.0.flush", share).Outcome(nil)
		if err != nil {
			t.Fatal(err)
		}
		if !o.Metastable {
			t.Fatalf("separation %g: fall in %g s, recovery in %g s", o.Separation, o.Fall.Mean, o.Recover.Mean)
		}
		failed = append(failed, o.Failed)
	}
	if !slices.IsSorted(failed) || !(failed[0] < .01) || !(failed[3] > .5) {
		t.Errorf("probabilities of failure %.3g", failed)
	}
}

func TestInvariantRefusals(t *testing.T) {
	for _, c := range []struct{ key, value, want string }{
		{"pools.server.discipline", "ps", "pools.server.discipline"},
		{"pools.server.shards", "2", "pools.server.shards"},
		{"pools.server.drop_expired", "true", "pools.server.drop_expired"},
		{"pools.server.service_scv", "0", "pools.server.service_scv"},
		{"classes.call.per_boot", "2", "classes.call.per_boot"},
		{"classes.call.attempts", "3", "classes.call.attempts"},
		{"classes.call.per_session", "1/s", "classes.call.per_session"},
		{"pools.server.queue_limit", "0.5", "pools.server.queue_limit"},
		{"clients.backoff.cap", "1s", "clients.backoff.cap"},
	} {
		sc := scenario(t, "hotos25-queue35.yaml", "clients.backoff.factor", "2")
		if err := sc.Set(c.key, c.value); err != nil {
			t.Fatal(err)
		}
		_, err := New(sc)
		var no *UnsupportedError
		if !errors.As(err, &no) || no.Key != c.want {
			t.Errorf("%s = %s: %v", c.key, c.value, err)
		}
	}
}
