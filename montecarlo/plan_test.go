package montecarlo

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// reread returns what a file of v would hold.
func reread[T any](t *testing.T, v *T) *T {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	out := new(T)
	if err := json.Unmarshal(b, out); err != nil {
		t.Fatal(err)
	}
	return out
}

func planned(t *testing.T, draws int, half float64) (*Sweep, *Plan) {
	t.Helper()
	s := flushes(t, draws)
	p, err := NewPlan(s, "v0", half, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s, p
}

// A plan from a file is the same plan, and its sweep has the same draws.
func TestPlan_file_exact(t *testing.T) {
	s, p := planned(t, 2, 0)
	q := reread(t, p)
	again, err := q.Sweep()
	if err != nil {
		t.Fatal(err)
	}
	if p.ID() != q.ID() {
		t.Errorf("ID %s, from the file %s", p.ID(), q.ID())
	}
	for point := range s.Points {
		want, err := s.Draw(point, 1)
		if err != nil {
			t.Fatal(err)
		}
		got, err := again.Draw(point, 1)
		if err != nil || got.Hash() != want.Hash() {
			t.Errorf("point %d: another scenario (%v)", point, err)
		}
	}
	q.Seed++
	if p.ID() == q.ID() {
		t.Error("the same ID with another seed")
	}
	q.Scenario = strings.Replace(q.Scenario, "flushed", "flooded", 1)
	if _, err := q.Sweep(); err == nil || !strings.Contains(err.Error(), "hash") {
		t.Errorf("a scenario that was changed: %v", err)
	}
}

// Shards that are ended and resumed from their files at random give the bytes of one run,
// with a given number of draws and with one that is open.
func TestShard_resumed_invariant(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, half := range []float64{0, 0.12} { // ±0.12 takes 1 to 2 rounds of 64 draws
		draws, counts := 8, []int{1, 3, 10}
		if half > 0 {
			draws, counts = 100, []int{4}
		}
		s, p := planned(t, draws, half)
		var want []byte
		if half > 0 {
			results, err := s.Until(nil, half, 0)
			want = text(t, results, err)
		} else {
			results, err := s.Run(nil)
			want = text(t, results, err)
		}
		for _, n := range counts {
			var shards []*Shard
			ended := 0
			for i := range n {
				sh, err := p.Shard(s, i, n)
				if err != nil {
					t.Fatal(err)
				}
				_, left := sh.Left()
				for most := 1 + r.IntN(max(left, 1)); ; most = 1 + r.IntN(max(left, 1)) {
					done := make(chan struct{})
					pool := &Pool{Workers: 2, Done: done, Progress: func(d, _ int) {
						if d == most {
							close(done)
						}
					}}
					err := sh.Run(pool, time.Hour, func() error { return nil })
					if sh, _ = p.Resume(s, reread(t, sh)); err == nil {
						break
					}
					if !errors.Is(err, ErrInterrupted) {
						t.Fatal(err)
					}
					ended++
				}
				shards = append([]*Shard{sh}, shards...)
			}
			if ended == 0 {
				t.Errorf("half-width %g, %d shards: none was ended", half, n)
			}
			results, err := MergeShards(shards)
			if !bytes.Equal(text(t, results, err), want) {
				t.Errorf("half-width %g, %d shards: other bytes", half, n)
			}
		}
	}
}

func TestMergeShards_incomplete_exact(t *testing.T) {
	s, p := planned(t, 2, 0)
	var shards []*Shard
	for _, i := range []int{2, 0} {
		sh, err := p.Shard(s, i, 4)
		if err != nil {
			t.Fatal(err)
		}
		if i == 2 {
			if err := sh.Run(nil, time.Hour, nil); err != nil {
				t.Fatal(err)
			}
		}
		shards = append(shards, sh)
	}
	const want = "incomplete: shard 0/4 has done 0 of 3 runs; shard 1/4 is not there; shard 3/4 is not there"
	if _, err := MergeShards(shards); err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	if _, err := MergeShards(nil); err == nil {
		t.Error("no shards, no error")
	}
	_, other := planned(t, 3, 0)
	if _, err := other.Resume(s, shards[0]); err == nil {
		t.Error("a shard of another plan is taken")
	}
}
