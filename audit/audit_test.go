package audit_test

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/metastable/metastable/audit"
	"github.com/metastable/metastable/data"
	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/stability"
)

func shipped(t testing.TB) ([]audit.Query, []audit.Pool) {
	t.Helper()
	q, p, ok := data.Inventory("slack")
	if !ok {
		t.Fatal("no inventory slack")
	}
	queries, _, err := audit.ReadQueries("slack.queries.csv", bytes.NewReader(q), nil)
	if err != nil {
		t.Fatal(err)
	}
	pools, _, err := audit.ReadPools("slack.pools.csv", bytes.NewReader(p), nil)
	if err != nil {
		t.Fatal(err)
	}
	return queries, pools
}

// The query that took Slack down on 22 February 2022 comes first, and no other is load-bearing.
func TestRun_slack(t *testing.T) {
	queries, pools := shipped(t)
	r, err := audit.Run(queries, pools)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range r.Queries {
		if first := i == 0; (f.Name == "gdm_members") != first || f.LoadBearing != first {
			t.Errorf("%d: %s, load-bearing %v", i, f.Name, f.LoadBearing)
		}
	}
	for _, part := range []string{"30 keys from all 256 shards", "150 % with an empty cache", "losing 1.6", "asking only the owning shards would carry the loss of all"} {
		if s := r.Queries[0].Sentence; !strings.Contains(s, part) {
			t.Errorf("%q lacks %q", s, part)
		}
	}
}

// The same query alone in its pool has the cold-load ratio of the scenario's return map.
func TestRun_coldLoad_exact(t *testing.T) {
	sys := scenariotest.Compile(t, scenariotest.Shipped(t, "slack-2022-02-22"))
	want, err := stability.ColdLoad(sys, model.Moment{Traffic: 1, Throttle: -1})
	if err != nil {
		t.Fatal(err)
	}
	queries, pools := shipped(t)
	r, err := audit.Run(queries[:1], pools[:1])
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Pools[0].Cold; math.Abs(got-want[0]) > 1e-9 {
		t.Errorf("cold load %g, by the return map %g", got, want[0])
	}
}

// Closed forms: m keys, hit rate h.
func TestRun_exact(t *testing.T) {
	pool := []audit.Pool{{Name: "p", Shards: 4, Capacity: 100, Background: 10}}
	base := audit.Query{Name: "q", Pool: "p", Rate: 20, HitRate: 0.5, Keys: 2, VisitCost: 3, KeyCost: 1}
	for _, c := range []struct {
		name       string
		edit       func(q *audit.Query)
		now, cold  float64
		elasticity float64
	}{
		// P = 1 − h² = 3/4 with m = 2, h = 1/2; d ln P / d ln(1 − h) = 2h(1 − h)/(1 − h²) = 2/3.
		{"keyed all", func(*audit.Query) {}, 20 * 4 * 1.5 / 4 / 100, 20 * 4 * 2. / 4 / 100, 2. / 3},
		{"keyed missing", func(q *audit.Query) { q.Missing = true }, 20 * 4 * 1. / 4 / 100, 20 * 4 * 2. / 4 / 100, 1},
		{"scatter all", func(q *audit.Query) { q.Scatter = true }, 20 * (3*0.75 + 1.5) / 100, 20 * (3 + 2.) / 100, 2. / 3},
		{"scatter missing", func(q *audit.Query) { q.Scatter, q.Missing = true, true }, 20 * (3*0.75 + 1) / 100, 20 * (3 + 2.) / 100, (3*0.75*2/3 + 1) / (3*0.75 + 1)},
	} {
		q := base
		c.edit(&q)
		r, err := audit.Run([]audit.Query{q}, pool)
		if err != nil {
			t.Fatal(err)
		}
		f := r.Queries[0]
		for _, v := range []struct {
			what      string
			got, want float64
			tol       float64
		}{
			{"now", f.Now, c.now, 1e-12},
			{"cold", f.Cold, c.cold, 1e-12},
			{"elasticity", f.Elasticity, c.elasticity, 1e-6}, // a difference of steps of 1e-6
			{"pool cold", r.Pools[0].Cold, c.cold + 0.1, 1e-12},
		} {
			if math.Abs(v.got-v.want) > v.tol {
				t.Errorf("%s: %s %.12g, want %.12g", c.name, v.what, v.got, v.want)
			}
		}
	}
}

// What hits always asks nothing of the pool: 0, not −0, which would be written as such.
func TestRun_noMisses_exact(t *testing.T) {
	r, err := audit.Run([]audit.Query{{Name: "a", Pool: "p", Rate: 5, HitRate: 1, Keys: 3, VisitCost: 1}},
		[]audit.Pool{{Name: "p", Shards: 1, Capacity: 10}})
	if err != nil {
		t.Fatal(err)
	}
	if now := r.Queries[0].Now; now != 0 || math.Signbit(now) {
		t.Errorf("load %v, want 0", now)
	}
}

// At the loss that a query bears the pool is at its capacity.
func TestRun_bears_invariant(t *testing.T) {
	queries, pools := shipped(t)
	r, err := audit.Run(queries, pools)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Queries {
		if !f.LoadBearing {
			continue
		}
		q := append([]audit.Query{}, queries...)
		for i := range q {
			if q[i].Name == f.Name {
				q[i].HitRate = f.Saturates
			}
		}
		again, err := audit.Run(q, pools)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range again.Pools {
			if p.Name == f.Pool && math.Abs(p.Now-1) > 1e-6 {
				t.Errorf("%s: load %g at the hit rate %g", f.Name, p.Now, f.Saturates)
			}
		}
	}
}

func TestRead_errors(t *testing.T) {
	const head = "query,rate_per_s,hit_rate\n"
	for _, c := range []struct{ text, want string }{
		{"", "q.csv: empty; want the columns query, rate_per_s, hit_rate"},
		{head, "q.csv: no rows below the header"},
		{"query,rate_per_s\na,1\n", "q.csv:1: no column hit_rate; want query, rate_per_s, hit_rate, and there are query, rate_per_s"},
		{head + "a,1,0.9\nb,fast,0.9\n", `q.csv:3: rate_per_s: found "fast", want a rate, such as 1200 or 1.2k/s`},
		{head + "a,1,\n", `q.csv:2: hit_rate: found "", want a share, such as 0.97 or 97%`},
		{head + "a,1\n", "q.csv: record on line 2: wrong number of fields"},
		{"query,rate_per_s,hit_rate,route\na,1,0.9,all\n", `q.csv:2: route: found "all", want keyed or scatter`},
		{"query,rate_per_s,hit_rate,hit_rate\na,1,0.9,1\n", "q.csv:1: two columns are hit_rate"},
	} {
		_, _, err := audit.ReadQueries("q.csv", strings.NewReader(c.text), nil)
		if err == nil || err.Error() != c.want {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
	for _, c := range []struct {
		columns map[string]string
		want    string
	}{
		{map[string]string{"qps": "rate_per_s"}, `q.csv:1: no column is called "qps"; there are query, rate_per_s, hit_rate`},
		{map[string]string{"rate_per_s": "rate"}, `q.csv: "rate" is not a column of an inventory; want one of query, pool, rate_per_s, hit_rate, keys_per_request, route, fetch, visit_cost, key_cost, ttl_s`},
	} {
		_, _, err := audit.ReadQueries("q.csv", strings.NewReader(head+"a,1,0.9\n"), c.columns)
		if err == nil || err.Error() != c.want {
			t.Errorf("%v: %v, want %s", c.columns, err, c.want)
		}
	}
	_, err := audit.Run([]audit.Query{{Name: "a", Pool: "nope", Keys: 1}}, []audit.Pool{{Name: "main", Shards: 1, Capacity: 1}})
	if err == nil || err.Error() != `audit: query "a": no pool is called "nope"; there are main` {
		t.Error(err)
	}
}

func FuzzReadQueries(f *testing.F) {
	q, _, _ := data.Inventory("slack")
	f.Add(q)
	f.Add([]byte("query,rate_per_s,hit_rate\na,1k/s,97%\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		queries, _, err := audit.ReadQueries("q.csv", bytes.NewReader(text), nil)
		if err != nil {
			return
		}
		r, err := audit.Run(queries, []audit.Pool{{Name: "main", Shards: 3, Capacity: 100}})
		if err != nil {
			return
		}
		for _, x := range r.Queries {
			if math.IsNaN(x.Cold+x.Now+x.Bears+x.Elasticity) || !(x.Bears >= 0 && x.Bears <= 1) {
				t.Errorf("%+v", x)
			}
		}
	})
}

// What a spreadsheet of another country saves is the same inventory; columns without a use
// are told.
func TestReadQueries_dialects_exact(t *testing.T) {
	want := []audit.Query{{Name: "a", Pool: "main", Rate: 1200.5, HitRate: 0.97, Keys: 1, VisitCost: 1, TTL: math.Inf(1)}}
	for _, text := range []string{
		"query,rate_per_s,hit_rate,team\na,1200.5,0.97,x\n",
		"\ufeffquery;rate_per_s;hit_rate;team\r\na;1200,5;0,97;x\r\n",
		"sep=;\nquery;rate_per_s;hit_rate;team\na;1200,5;97%;x\n",
		"query\trate_per_s\thit_rate\tteam\na\t1200.5\t97%\tx\n",
	} {
		got, unknown, err := audit.ReadQueries("q.csv", strings.NewReader(text), nil)
		if err != nil || !slices.Equal(got, want) || !slices.Equal(unknown, []string{"team"}) {
			t.Errorf("%q: %+v, %q, %v", text, got, unknown, err)
		}
	}
}

func TestReadQueries_control_exact(t *testing.T) {
	_, _, err := audit.ReadQueries("q.csv", strings.NewReader("a,\x1b[2J\n1,2\n"), nil)
	if err == nil || strings.Contains(err.Error(), "\x1b") || !strings.Contains(err.Error(), `a, "\x1b[2J"`) {
		t.Errorf("a header of control characters: %q", err)
	}
}
