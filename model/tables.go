package model

import "github.com/metastable/metastable/internal/special"

// tables are the parts of compiled parameters that take long to make and depend on little. What
// was made for an older system is used again.
type tables struct {
	shards map[float64]*special.Shards
	bins   map[zipf]binShares

	older *tables // nil once all is made
}

// zipf is what the shares of popularity bins depend on.
type zipf struct {
	keys, alpha float64
	bins        int
}

// binShares are the shares of the keys and of the accesses.
type binShares struct{ keys, accesses []float64 }

func newTables(older *tables) *tables {
	return &tables{shards: map[float64]*special.Shards{}, bins: map[zipf]binShares{}, older: older}
}

// shardsOf returns the table of scatters to v shards.
func (t *tables) shardsOf(v float64) *special.Shards {
	if t.shards[v] == nil && t.older != nil {
		t.shards[v] = t.older.shards[v]
	}
	if t.shards[v] == nil {
		t.shards[v] = special.NewShards(v)
	}
	return t.shards[v]
}

// binsOf returns the shares of popularity bins.
func (t *tables) binsOf(z zipf) binShares {
	s, ok := t.bins[z]
	if !ok && t.older != nil {
		s, ok = t.older.bins[z]
	}
	if !ok {
		s.keys, s.accesses = special.ZipfBins(z.keys, z.alpha, z.bins)
	}
	t.bins[z] = s
	return s
}
