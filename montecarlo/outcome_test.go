package montecarlo

import (
	"math"
	"testing"

	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/model"
)

// The stories of 22 February 2022, by what happens to them; see README. What the days
// share (rollout, times) is in the scenario's file.
func TestSimulateSlack_exact(t *testing.T) {
	const name = "slack-2022-02-22"
	day := func(set ...string) *model.Scenario { return scenariotest.Shipped(t, name, set...) }
	untreated := day()
	untreated.Timeline = untreated.Timeline[:4] // up to the pause
	for _, c := range []struct {
		what string
		sc   *model.Scenario
		want Class
	}{
		{"the day as it was, with a step too large", day(), Relapsed},
		{"without throttle", untreated, Collapsed},
		{"paused at 6:06", day("timeline.3.at", "6:06"), Absorbed},
		{"reading the missing alone", day("classes.gdm_members.fetch", "missing"), Absorbed},
		{"replicas from the start", day("classes.gdm_members.pool", "replicas"), Recovered},
	} {
		o := Simulate(c.sc, 0)
		if o.Err != nil || o.Class != c.want {
			t.Errorf("%s: %v, want %v (%v, %v)", c.what, o.Class, c.want, o.Measures, o.Err)
		}
		// 6:02 to 6:18 is the step that tips it.
		if tip := o.Measures[TimeToTip]; c.want != Absorbed && (tip < 6*3600+120 || tip > 6*3600+1080) {
			t.Errorf("%s: tips at %g s", c.what, tip)
		}
	}
}

// rowsOf returns rows of a run of 1,000 s under a demand of 100 boots/s, with what is
// admitted and the success given at breakpoints, straight lines between them.
func rowsOf(points ...[3]float64) (columns []string, rows [][]float64) {
	columns = []string{"t_s", "boots_per_s", "attempts_per_s", "admitted_per_s", "boot_success", "waiting_clients", "sessions", "hit_rate.q", "miss.q", "success.q", "load.main"}
	for _, p := range points {
		rows = append(rows, []float64{p[0], 100, 100, p[1], p[2], 0, 1000, p[2], 0, p[2], 2 - p[2]})
	}
	return columns, rows
}

// Rows by hand: jumps are two rows at one time.
func TestClassify_exact(t *testing.T) {
	throttled := func(at string) *model.Scenario {
		return scenariotest.Parse(t, flushed, "timeline.0.at", at, "classes.q.per_session", "0.01/s")
	}
	quiet := throttled("10m")
	quiet.Timeline = nil
	response := quiet.Clone()
	response.Timeline = []model.Entry{{At: 300, Action: model.ThrottleTo, Value: 50}, {At: 700, Action: model.ThrottleTo, Value: math.Inf(1)}}
	stays := quiet.Clone()
	stays.Timeline = []model.Entry{{At: 300, Action: model.ThrottleTo, Value: 50}}
	before := quiet.Clone()
	before.Throttle.Limit = 50

	up := func(t float64) [3]float64 { return [3]float64{t, 100, 1} }
	slow := func(t float64) [3]float64 { return [3]float64{t, 50, 1} } // throttled
	bad := func(t float64) [3]float64 { return [3]float64{t, 100, 0.2} }
	nan := math.NaN()
	for _, c := range []struct {
		what     string
		sc       *model.Scenario
		rows     [][3]float64
		want     Class
		tip      float64
		down     float64 // outages
		goodput  float64 // boots lost
		relapses float64
	}{
		{"nothing", quiet, [][3]float64{up(0), up(1000)}, Absorbed, nan, 0, 0, 0},
		{"59 s", quiet, [][3]float64{up(0), up(200), bad(200), bad(259), up(259), up(1000)}, Absorbed, nan, 0, 59 * 80, 0},
		{"a throttle alone", response, [][3]float64{up(0), up(300), slow(300), slow(700), up(700), up(1000)}, Absorbed, nan, 400, 400 * 50, 0},
		{"by itself", response, [][3]float64{up(0), up(100), bad(100), bad(200), up(200), up(1000)}, SelfRecovered, 100, 100, 8000, 0},
		{"by the response", response, [][3]float64{up(0), up(100), bad(100), bad(400), slow(400), slow(700), up(700), up(1000)}, Recovered, 100, 600, 300*80 + 300*50, 0},
		{"a relapse", response, [][3]float64{up(0), bad(0), bad(400), slow(400), slow(500), bad(500), bad(700), up(700), up(1000)}, Relapsed, 0, 700, 400*80 + 100*50 + 200*80, 1},
		{"for good", quiet, [][3]float64{up(0), up(500), bad(500), bad(1000)}, Collapsed, 500, 500, 500 * 80, 0},
		{"throttled to the end", stays, [][3]float64{up(0), up(200), bad(200), bad(400), slow(400), slow(1000)}, Collapsed, 200, 800, 200*80 + 600*50, 0},
		{"throttled from the start", before, [][3]float64{slow(0), slow(200), bad(200), bad(400), slow(400), slow(1000)}, SelfRecovered, 200, 1000, 200*80 + 800*50, 0},
	} {
		columns, rows := rowsOf(c.rows...)
		o := Classify(c.sc, columns, rows)
		if o.Class != c.want {
			t.Errorf("%s: %v, want %v", c.what, o.Class, c.want)
		}
		worst, failed := 1.0, 0.0
		for i, r := range rows {
			worst = min(worst, r[model.ColSuccess])
			if i > 0 {
				failed += 10 * (r[model.ColTime] - rows[i-1][model.ColTime]) * (1 - r[model.ColSuccess]) // 1,000 sessions, one request in 100 s
			}
		}
		for m, want := range map[Measure]float64{
			TimeToTip: c.tip, TimeDown: c.down, LostGoodput: c.goodput, Relapses: c.relapses,
			WorstHit: worst, PeakLoad: 2 - worst, ConnectedLoss: failed,
		} {
			got := o.Measures[m]
			if math.IsNaN(got) != math.IsNaN(want) || math.Abs(got-want) > 1e-9*want {
				t.Errorf("%s: %v is %g, want %g", c.what, m, got, want)
			}
		}
	}
}

func TestOutcomeNames_exact(t *testing.T) {
	if Collapsed.String() != "collapsed" || Class(9).String() != "Class(9)" ||
		WorstHit.String() != "worst_hit_rate" || Measure(-1).String() != "Measure(-1)" {
		t.Error(Collapsed, Class(9), WorstHit, Measure(-1))
	}
}
