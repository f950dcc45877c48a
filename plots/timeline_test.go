package plots

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/plot/cmpimg"
)

var update = flag.Bool("update", false, "write the golden files")

// small is the least timeline with everything in it.
func small() Timeline {
	return Timeline{
		Title:       "Cold start",
		Start:       time.Date(2024, 5, 1, 6, 0, 0, 0, time.UTC),
		Times:       []float64{0, 30, 30, 60},
		Boots:       []float64{100, 100, 100, 100},
		Attempts:    []float64{100, 400, 400, 0.1},
		Admitted:    []float64{100, 400, 50, 0.1},
		Limit:       []float64{math.Inf(1), math.Inf(1), 50, 50},
		BootSuccess: []float64{1, 0.25, 0.5, 1},
		Waiting:     []float64{0, 3000, 3000, 1e6},
		Classes:     []ClassSeries{{Name: "users", HitRate: []float64{0.999, 0, 0, 1}}},
		Pools: []PoolSeries{{
			Name:    "main",
			Load:    []float64{0.5, 8, 8, 0},
			Timeout: []float64{0, 1, 1, 1e-300},
			Refused: []float64{0, 0.75, 0.75, 0},
		}},
		Actions: []Action{{30, "throttle\n50/s"}, {10, "flush, all"}},
		Outages: [][2]float64{{12.5, 1e9}},
	}
}

func TestWriteCSVGolden(t *testing.T) {
	tl, err := NewTimeline(small())
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	if err := tl.WriteCSV(&got); err != nil {
		t.Fatal(err)
	}
	const want = `# title: Cold start
# start: 2024-05-01T06:00:00Z
# action at 10 s: flush, all
# action at 30 s: throttle 50/s
# outage from 12.5 s to 1e+09 s
t_s,boots_per_s,attempts_per_s,admitted_per_s,boot_success,waiting_clients,throttle_per_s,hit_rate.users,load.main,timeout.main,refused.main,goodput_per_s
0,100,100,100,1,0,,0.999,0.5,0,0,100
30,100,400,400,0.25,3000,,0,8,1,0.75,100
30,100,400,50,0.5,3000,50,0,8,1,0.75,25
60,100,0.1,0.1,1,1e+06,50,1,0,1e-300,0,0.1
`
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

// Every number of the figure comes back from its table bit for bit.
func TestWriteCSVExact(t *testing.T) {
	day := slackDay(t)
	var buf bytes.Buffer
	if err := day.WriteCSV(&buf); err != nil {
		t.Fatal(err)
	}
	r := csv.NewReader(&buf)
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := append(day.columns(), column{name: "goodput_per_s", values: day.goodput()})
	if len(rows) != 1+len(day.Times) || len(rows[0]) != len(want) {
		t.Fatalf("table of %d rows and %d columns, want %d and %d", len(rows), len(rows[0]), 1+len(day.Times), len(want))
	}
	for j, c := range want {
		for i, v := range c.values {
			got, err := strconv.ParseFloat(rows[i+1][j], 64)
			if math.IsInf(v, 1) {
				got, err = math.Inf(1), nil
				if rows[i+1][j] != "" {
					t.Errorf("%s[%d] = %q, want nothing", c.name, i, rows[i+1][j])
				}
			}
			if err != nil || got != v {
				t.Errorf("%s[%d] = %v (%v), want %v", c.name, i, got, err, v)
			}
		}
	}
}

func TestNewTimelineCopies(t *testing.T) {
	in := small()
	tl, err := NewTimeline(in)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range in.columns() {
		for i := range c.values {
			c.values[i] = -77
		}
	}
	in.Actions[0].Name, in.Outages[0][0] = "changed", -77
	in.Classes[0].Name, in.Pools[0].Name = "changed", "changed"
	fresh := small()
	for j, c := range tl.columns() {
		if want := fresh.columns()[j]; c.name != want.name || !slices.Equal(c.values, want.values) {
			t.Errorf("%s = %v after its source changed", c.name, c.values)
		}
	}
	if tl.Actions[1] != fresh.Actions[0] || tl.Outages[0] != fresh.Outages[0] {
		t.Errorf("actions %v, outages %v after their source changed", tl.Actions, tl.Outages)
	}
}

func TestNewTimelineErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, tc := range []struct {
		spoil func(*Timeline)
		want  string
	}{
		{func(t *Timeline) { t.Times = nil }, "plots: t_s has 0 values: a figure needs 2"},
		{func(t *Timeline) { t.Times[2] = 29 }, "plots: t_s[2] is 29 after 30: times must not decrease"},
		{func(t *Timeline) { t.Times[1] = nan }, "plots: t_s[1] is NaN"},
		{func(t *Timeline) { t.Times = []float64{5, 5, 5, 5} }, "plots: all of t_s is 5: a figure needs a span"},
		{func(t *Timeline) { t.Boots = t.Boots[:3] }, "plots: boots_per_s has 3 values for 4 times"},
		{func(t *Timeline) { t.Waiting = nil }, "plots: waiting_clients has 0 values for 4 times"},
		{func(t *Timeline) { t.Attempts[3] = inf }, "plots: attempts_per_s[3] is +Inf"},
		{func(t *Timeline) { t.Limit[0] = nan }, "plots: throttle_per_s[0] is NaN"},
		{func(t *Timeline) { t.Limit[0] = -inf }, "plots: throttle_per_s[0] is -Inf"},
		{func(t *Timeline) { t.Limit = []float64{} }, "plots: throttle_per_s has 0 values for 4 times"},
		{func(t *Timeline) { t.Classes[0].HitRate[2] = nan }, "plots: hit_rate.users[2] is NaN"},
		{func(t *Timeline) { t.Classes[0].Name = "" }, `plots: series "hit_rate." has no name of a class or pool`},
		{func(t *Timeline) { t.Pools = append(t.Pools, t.Pools[0]) }, "plots: two series are called load.main"},
		{func(t *Timeline) { t.Pools[0].Refused = t.Pools[0].Refused[1:] }, "plots: refused.main has 3 values for 4 times"},
		{func(t *Timeline) { t.Actions[1].At = inf }, `plots: action 1 ("flush, all" at +Inf s) needs a name and a finite time`},
		{func(t *Timeline) { t.Actions[0].Name = "" }, `plots: action 0 ("" at 30 s) needs a name and a finite time`},
		{func(t *Timeline) { t.Outages[0] = [2]float64{9, 9} }, "plots: outage 0 lasts from 9 s to 9 s: want finite times, the first the earlier"},
		{func(t *Timeline) { t.Width = 5 }, "plots: a picture 5 inches wide: want 6 to 40, or 0 for the default"},
		{func(t *Timeline) { t.Height = nan }, "plots: a picture NaN inches high: want 7 to 40, or 0 for the default"},
	} {
		in := small()
		tc.spoil(&in)
		if _, err := NewTimeline(in); err == nil || err.Error() != tc.want {
			t.Errorf("NewTimeline: %v\nwant         %s", err, tc.want)
		}
		// Fields are public: what was spoilt later must not be written either.
		if err := in.WriteCSV(io.Discard); err == nil || err.Error() != tc.want {
			t.Errorf("WriteCSV: %v\nwant      %s", err, tc.want)
		}
		if err := in.Write(io.Discard, "svg"); err == nil || err.Error() != tc.want {
			t.Errorf("Write: %v\nwant   %s", err, tc.want)
		}
	}
}

func TestWriteErrors(t *testing.T) {
	tl := small()
	err := tl.Write(io.Discard, "pdf")
	if want := `plots: unknown picture format "pdf": want svg or png`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	broken := errors.New("disk full")
	for _, format := range []string{"svg", "png"} {
		if err := tl.Write(failing{broken}, format); !errors.Is(err, broken) {
			t.Errorf("%s: got %v, want %v", format, err, broken)
		}
	}
	if err := tl.WriteCSV(failing{broken}); !errors.Is(err, broken) {
		t.Errorf("csv: got %v, want %v", err, broken)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// The picture, loosely: a pixel may differ by a tenth of the distance from black to
// white, which letters and lines of another place or colour exceed and the rounding
// of another machine's anti-aliasing does not. Run with -update after a change of
// style, and look at what it writes.
func TestTimelinePictureGolden(t *testing.T) {
	const file = "testdata/slack.png"
	day := slackDay(t)
	day.Width, day.Height = 8, 9
	var got bytes.Buffer
	if err := day.Write(&got, "png"); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	same, err := cmpimg.EqualApprox("png", got.Bytes(), want, 0.1)
	if err != nil {
		t.Fatal(err)
	}
	if !same {
		t.Errorf("the picture is not %s", file)
	}
	// The comparison itself can tell: a line moved by one sample is seen.
	day.Waiting[100] *= 1.2
	var moved bytes.Buffer
	if err := day.Write(&moved, "png"); err != nil {
		t.Fatal(err)
	}
	if same, _ := cmpimg.EqualApprox("png", moved.Bytes(), want, 0.1); same {
		t.Error("the comparison does not see another line")
	}
}

func TestTimelineSameBytesInvariant(t *testing.T) {
	for _, format := range []string{"svg", "png"} {
		var a, b bytes.Buffer
		for _, buf := range []*bytes.Buffer{&a, &b} {
			day := slackDay(t)
			day.Width, day.Height = 6, 7
			if err := day.Write(buf, format); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%s: two runs differ", format)
		}
	}
}

// An SVG is well-formed whatever the names, says them, and needs no font that may be
// missing.
func TestTimelineSVGWellFormed(t *testing.T) {
	tl := small()
	tl.Title = `a < b & "c"`
	tl.Pools[0].Name = "<main>"
	var buf bytes.Buffer
	if err := tl.Write(&buf, "svg"); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(buf.Bytes(), []byte("Liberation Sans;")) || !bytes.Contains(buf.Bytes(), []byte(",sans-serif;")) {
		t.Error("no font to fall back on")
	}
	var texts []string
	for d := xml.NewDecoder(&buf); ; {
		tok, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if s, ok := tok.(xml.CharData); ok {
			texts = append(texts, string(s))
		}
	}
	for _, want := range []string{
		tl.Title, "refused: <main>", "users", "throttle limit", "outage", "capacity",
		"flush, all", "traffic (boots/s)", "local time, 1 May 2024 (UTC)", "06:00:30",
	} {
		if !slices.Contains(texts, want) {
			t.Errorf("the picture does not say %q", want)
		}
	}
}

// A run of 50,000 samples, all of them noise (the worst case: no stretch is straight),
// makes a picture for a web page.
func TestTimelineSVGSize(t *testing.T) {
	const n = 50_000
	rng := rand.New(rand.NewPCG(1, 2))
	noise := func() []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = rng.Float64()
		}
		return v
	}
	times := make([]float64, n)
	for i := range times {
		times[i] = float64(i)
	}
	tl := Timeline{
		Times: times, Boots: noise(), Attempts: noise(), Admitted: noise(), BootSuccess: noise(), Waiting: noise(),
		Classes: []ClassSeries{{"a", noise()}, {"b", noise()}},
		Pools:   []PoolSeries{{"p", noise(), noise(), noise()}, {"q", noise(), noise(), noise()}},
	}
	var buf bytes.Buffer
	if err := tl.Write(&buf, "svg"); err != nil {
		t.Fatal(err)
	}
	if buf.Len() > 300_000 {
		t.Errorf("%d bytes", buf.Len())
	}
}
