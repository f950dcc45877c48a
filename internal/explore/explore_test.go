package explore_test

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/metastable/metastable/data"
	"github.com/metastable/metastable/internal/explore"
	"github.com/metastable/metastable/internal/numtest"
	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/stability"
	"github.com/metastable/metastable/trajectory"
)

const slack = "slack-2022-02-22"

func day(t *testing.T, g *explore.Game, actions []explore.Action) *explore.Day {
	t.Helper()
	d, err := g.Run(actions)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Who does what the operators did gets the run of the scenario, bit for bit.
func TestRun_incident_exact(t *testing.T) {
	for _, name := range data.Names() {
		sc := scenariotest.Shipped(t, name)
		g := explore.New(sc)
		sys, err := sc.Compile()
		if err != nil {
			t.Fatal(err)
		}
		want, err := trajectory.Run(sys, &trajectory.Settings{Detail: true})
		if err != nil {
			t.Fatal(err)
		}
		d := day(t, g, g.Incident)
		if !reflect.DeepEqual(d.Rows, want.Detail.Rows) || !reflect.DeepEqual(d.Table, want.Rows) || !reflect.DeepEqual(d.Throttle, want.Detail.Throttle) {
			t.Errorf("%s: the game's day differs from the scenario's", name)
		}
		if len(d.State) != len(d.Rows) || d.Needed != nil && len(d.Needed) != len(d.Rows) {
			t.Errorf("%s: %d rows, %d of the line and %d states", name, len(d.Rows), len(d.Needed), len(d.State))
		}
	}
}

// The hit rate is below the line where the load exceeds the capacity, and nowhere else.
func TestNeeded_load_invariant(t *testing.T) {
	g := explore.New(scenariotest.Shipped(t, slack))
	d := day(t, g, g.Incident)
	load := slices.Index(d.Columns, "load.main")
	above, below := 0, 0
	for i, row := range d.Rows {
		switch over := row[load] - 1; {
		case math.Abs(over) < 1e-4: // what the line is accurate to
		case (row[d.Class] < d.Needed[i]) != (over > 0):
			t.Errorf("at %g s: hit rate %g, line %g, load %g", row[0], row[d.Class], d.Needed[i], row[load])
		case over > 0:
			above++
		default:
			below++
		}
	}
	if above < 50 || below < 50 {
		t.Errorf("%d rows above the capacity and %d below: the test shows nothing", above, below)
	}
}

// The state from which a frozen system goes either way lies on the line: there reads and
// losses balance just below the capacity.
func TestNeeded_unstable_invariant(t *testing.T) {
	sc := scenariotest.Shipped(t, slack)
	for _, traffic := range []float64{0.5, 0.75, 1} {
		for _, throttle := range []float64{2500, math.Inf(1)} {
			at := model.Moment{Traffic: traffic, Throttle: throttle}
			sys, err := sc.Compile()
			if err != nil {
				t.Fatal(err)
			}
			r, err := stability.Equilibria(sys, at, nil)
			if err != nil {
				t.Fatal(err)
			}
			e := r.Tipping()
			if e == nil {
				t.Fatalf("no tipping point at %v", at)
			}
			got := explore.Needed(sys.Freeze(at), slices.Index(r.Columns, "hit_rate.gdm_members"), e.State)
			numtest.Check(t, "line at the unstable state", got, r.Value(e, "hit_rate.gdm_members"), 0, 1e-4)
		}
	}
}

// The day in words: what the README tells of the figure.
func TestStates_incident_exact(t *testing.T) {
	g := explore.New(scenariotest.Shipped(t, slack))
	d := day(t, g, g.Incident)
	var got []explore.State
	from, last := 0.0, explore.State(-1)
	for i, s := range d.State {
		if s != last { // what is said for less than two minutes is a passage
			from, last = d.Rows[i][0], s
		}
		if d.Rows[i][0]-from >= 120 && (len(got) == 0 || got[len(got)-1] != s) {
			got = append(got, s)
		}
	}
	want := []explore.State{
		explore.Well, explore.Hurting, explore.Refilling, explore.Hurting, explore.Refilling, explore.Well,
		explore.Hurting, explore.FeedingItself, explore.Waiting, explore.StillTooMuch, explore.Waiting, explore.CatchingUp,
		explore.Well, explore.Home,
	}
	if !slices.Equal(got, want) {
		for _, s := range got {
			t.Log(explore.States[s].Title)
		}
		t.Errorf("states %v, want %v", got, want)
	}
}

func TestScenario_errors_exact(t *testing.T) {
	g := explore.New(scenariotest.Shipped(t, slack))
	for _, actions := range [][]explore.Action{
		{{At: 60, Do: explore.Pause}},
		{{At: -1, Do: explore.Off}},
		{{At: math.NaN(), Do: explore.Off}},
		{{At: 1e9, Do: explore.Off}},
		{{At: 0, Do: "dance"}},
		{{At: 0, Do: explore.Throttle, Value: math.Inf(1)}},
		{{At: 0, Do: explore.Throttle, Value: -1}},
		{{At: 0, Do: explore.Apply, Value: 99}},
		{{At: 0, Do: explore.Apply, Value: 0.5}},
		{{At: 0, Do: explore.Rollout, Value: 0.25}},
		{{At: 0, Do: explore.Rollout, Value: 0.25, Over: 600}, {At: 60, Do: explore.Rollout, Value: 0.25, Over: 600}},
		{{At: 0, Do: explore.Ramp, Value: 100, Over: 60}},
	} {
		if _, err := g.Run(actions); err == nil {
			t.Errorf("%+v: no error", actions)
		}
	}
}

func BenchmarkRun(b *testing.B) {
	g := explore.New(scenariotest.Shipped(b, slack))
	for b.Loop() {
		if _, err := g.Run(g.Incident); err != nil {
			b.Fatal(err)
		}
	}
}
