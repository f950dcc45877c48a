package trajectory

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
	"github.com/metastable/metastable/internal/ode"
	"github.com/metastable/metastable/internal/scenariotest"
)

// index returns the index of a column.
func (r *Result) index(t testing.TB, column string) int {
	t.Helper()
	i := slices.Index(r.Columns, column)
	if i < 0 {
		t.Fatalf("no column %s among %s", column, r.Columns)
	}
	return i
}

// At an instant of the timeline a row shows the state just before and the forcing
// just after: a full flush at 20 s is not yet seen, a throttle of 40/s at 100 s is.
func TestRun_instants_exact(t *testing.T) {
	r := run(t, scenariotest.Compile(t, reference(t, "des-relapse")), &Settings{Times: []float64{19.99, 20, 20.001, 99.9, 100}})
	hit, admitted := r.index(t, "hit_rate.q"), r.index(t, "admitted_per_s")
	numtest.Check(t, "hit rate at the flush", r.Rows[1][hit], r.Rows[0][hit], 1e-6, 0)
	if h := r.Rows[2][hit]; h > 0.01 {
		t.Errorf("hit rate %g just after a full flush", h)
	}
	if a := r.Rows[3][admitted]; a < 100 {
		t.Errorf("%g/s admitted before the throttle", a)
	}
	numtest.Check(t, "admitted at the throttle", r.Rows[4][admitted], 40, 1e-3, 0) // its minimum is smooth
}

// The system is left as it was found: a second run is the same run.
func TestRun_again_invariant(t *testing.T) {
	sys := scenariotest.Compile(t, reference(t, "des-relapse"))
	set := &Settings{Detail: true}
	a, b := run(t, sys, set), run(t, sys, set)
	if !reflect.DeepEqual(a.Rows, b.Rows) || !reflect.DeepEqual(a.Detail, b.Detail) || a.Stats != b.Stats {
		t.Error("two runs of one System differ")
	}
}

// A run that stops early keeps the rows so far, and they are those of a whole run.
func TestRun_early_exact(t *testing.T) {
	sys := scenariotest.Compile(t, reference(t, "slack"))
	whole := run(t, sys, nil)
	done := make(chan struct{})
	closed := false
	stopAt := func(at float64) func(float64) {
		return func(t float64) {
			if t >= at && !closed {
				closed = true
				close(done)
			}
		}
	}
	for _, c := range []struct {
		name   string
		set    Settings
		status ode.Status
	}{
		{"steps", Settings{MaxSteps: 100}, ode.StepLimit},
		{"done", Settings{Done: done, Progress: stopAt(20000)}, ode.Interrupted},
		{"done at the start", Settings{Done: done}, ode.Interrupted},
	} {
		r, err := Run(sys, &c.set)
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != c.status || !r.Status.Early() || r.Status.Err() == nil {
			t.Errorf("%s: status %v, want %v", c.name, r.Status, c.status)
		}
		want := 0
		for want < len(whole.Rows) && whole.Rows[want][0] <= r.T {
			want++
		}
		if len(r.Rows) != want || want == len(whole.Rows) || !reflect.DeepEqual(r.Rows, whole.Rows[:want]) {
			t.Errorf("%s: %d rows up to %g s, want the first %d of %d", c.name, len(r.Rows), r.T, want, len(whole.Rows))
		}
	}
}

func TestRun_detail_invariant(t *testing.T) {
	sys := scenariotest.Compile(t, reference(t, "des-relapse"))
	r := run(t, sys, &Settings{Times: []float64{0}, Detail: true})
	rows, hit := r.Detail.Rows, r.index(t, "hit_rate.q")
	if rows[0][0] != 0 || rows[len(rows)-1][0] != sys.Span() || len(rows) > detailRows+2*len(sys.Breaks())+2 {
		t.Errorf("%d rows from %g s to %g s", len(rows), rows[0][0], rows[len(rows)-1][0])
	}
	if len(r.Detail.Throttle) != len(rows) {
		t.Errorf("%d limits for %d rows", len(r.Detail.Throttle), len(rows))
	}
	for i := 1; i < len(rows); i++ {
		if rows[i][0] < rows[i-1][0] {
			t.Errorf("row %d at %g s after %g s", i, rows[i][0], rows[i-1][0])
		}
	}
	for _, b := range sys.Breaks() { // both sides are there
		i := slices.IndexFunc(rows, func(row []float64) bool { return row[0] == b })
		if i < 0 || rows[i+1][0] != b || i+2 < len(rows) && rows[i+2][0] == b {
			t.Fatalf("not two rows at %g s", b)
		}
		before, after := r.Detail.Throttle[i], r.Detail.Throttle[i+1]
		switch b {
		case 20: // full flush
			if !(rows[i][hit] > 0.99 && rows[i+1][hit] == 0) {
				t.Errorf("hit rate %g before and %g after the flush", rows[i][hit], rows[i+1][hit])
			}
		case 100: // throttle 40/s
			if !math.IsInf(before, 1) || after != 40 {
				t.Errorf("throttle %g before and %g after it is set", before, after)
			}
		case 1500: // throttle none
			if before != 40 || !math.IsInf(after, 1) {
				t.Errorf("throttle %g before and %g after it is lifted", before, after)
			}
		default:
			t.Errorf("unexpected break at %g s", b)
		}
	}
}

func TestRun_settings_exact(t *testing.T) {
	sys := scenariotest.Compile(t, reference(t, "hotos25-queue35")) // 3000 s
	for _, c := range []struct {
		set  Settings
		want string
	}{
		{Settings{Every: -1}, "Every -1 s"},
		{Settings{Every: 1e-9}, "at most"},
		{Settings{Every: math.NaN()}, "Every NaN"},
		{Settings{Average: -1}, "Average -1"},
		{Settings{Average: math.Inf(1)}, "Average +Inf"},
		{Settings{RTol: 2}, "RTol 2"},
		{Settings{RTol: math.NaN()}, "RTol NaN"},
		{Settings{ATol: -1}, "ATol -1"},
		{Settings{MaxSteps: -1}, "MaxSteps -1"},
		{Settings{Times: []float64{-1}}, "Times[0] = -1"},
		{Settings{Times: []float64{1, 1}}, "Times[1] = 1"},
		{Settings{Times: []float64{1, 3001}, Average: 1}, "Times[1] = 3001"},
	} {
		if _, err := Run(sys, &c.set); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q", c.set, err, c.want)
		}
	}
	r := run(t, sys, nil)
	if s := r.Settings; s.RTol != 1e-6 || s.ATol != 1e-7 || s.Every != 15 || s.MaxSteps != 1_000_000 || len(s.Times) != 201 {
		t.Errorf("defaults used: %+v", s)
	}
}

func TestRun_pleasant_exact(t *testing.T) {
	for _, c := range []struct{ t, want float64 }{
		{0.0011, 0.002},
		{0.3, 0.5},
		{1, 1},
		{6, 10},
		{11, 15},
		{15, 15},
		{45, 60},
		{252, 300},
		{1000, 1200},
		{4000, 7200},
		{50000, 86400},
		{100_000, 2 * 86400},
		{6 * 86400, 10 * 86400},
	} {
		if got := pleasant(c.t); got != c.want {
			t.Errorf("pleasant(%g) = %g, want %g", c.t, got, c.want)
		}
	}
	if got := grid(1, 0.1); len(got) != 11 || got[10] != 1 {
		t.Errorf("grid(1, 0.1) = %v", got)
	}
	if got := grid(1, 0.4); !slices.Equal(got, []float64{0, 0.4, 0.8, 1}) {
		t.Errorf("grid(1, 0.4) = %v", got)
	}
}

func TestResult_suspects_exact(t *testing.T) {
	r := &Result{Columns: []string{"t_s", "load.main"}, Rows: [][]float64{{0, 1}, {5, math.NaN()}}}
	if w := r.suspects(); len(w) != 1 || !strings.Contains(w[0].Error(), "load.main is NaN at 5 s") {
		t.Errorf("warnings %v", w)
	}
}
