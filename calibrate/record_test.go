package calibrate

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/metastable/metastable/internal/numtest"
	"github.com/metastable/metastable/internal/scenariotest"
)

func recordText(t *testing.T, r *Record) []byte {
	t.Helper()
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// What is written is read, to the last digit.
func TestRecordExact(t *testing.T) {
	f, err := New(line(12, 3), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, _ := f.Sample(&SampleSettings{Steps: 60, Seed: 7}) // too short, and draws all the same
	r := p.Record(50)
	if len(r.Draws) != 50 || !slices.Equal(r.Draws[0], p.Draws[0]) {
		t.Fatalf("%d draws, the first %v", len(r.Draws), r.Draws[0])
	}
	r.Scenario, r.Hash = "a line", "none"
	again, err := ReadRecord(bytes.NewReader(recordText(t, r)))
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Draws {
		numtest.CheckSlice(t, "draw", again.Draws[i], r.Draws[i], 0, 0)
	}
	numtest.Check(t, "best", again.Parameters[1].Best, f.Values[1], 0, 0)
	if again.Scenario != "a line" || again.RHat != p.RHat || again.ESS != p.ESS {
		t.Errorf("read %+v", again)
	}
}

func record() *Record {
	return &Record{
		Kind: RecordKind, Format: RecordFormat,
		Parameters: []RecordParam{
			{"pools.db.capacity", 50, 200, 100},
			{Offset, -1, 1, 0},
			{"pools.db.shards", 1, 4, 2},
			{"a:clients.give_up", 0, 1, 0.4},
		},
		Draws: [][]float64{{90, 0.5, 1.6, 0.3}, {110, -0.5, 2.2, 0.4}},
	}
}

// What holds for one recording alone stays out, and shards are whole.
func TestRecordForAScenarioExact(t *testing.T) {
	paths, draws, err := record().For(scenariotest.Parse(t, shop))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(paths, []string{"pools.db.capacity", "pools.db.shards"}) {
		t.Errorf("paths %v", paths)
	}
	for i, want := range [][]float64{{90, 2}, {110, 2}} {
		numtest.CheckSlice(t, "draw", draws[i], want, 0, 0)
	}
	r := record()
	r.Parameters[0].Name = "pools.main.capacity"
	if _, _, err := r.For(scenariotest.Parse(t, shop)); err == nil || !strings.Contains(err.Error(), "draw 1 of the posterior: ") {
		t.Errorf("a pool that the scenario does not have: %v", err)
	}
	r = record()
	r.Parameters, r.Draws = r.Parameters[1:2], [][]float64{{0.5}}
	if _, _, err := r.For(scenariotest.Parse(t, shop)); err == nil || !strings.Contains(err.Error(), "no parameter") {
		t.Errorf("an offset alone: %v", err)
	}
}

func TestRecordThatIsNone(t *testing.T) {
	good := string(recordText(t, record()))
	for _, c := range []struct{ text, says string }{
		{"", "not a posterior: line 1: "},
		{"t_s,hit_rate\n0,1\n", "not a posterior: line 1: "},
		{`{"meta": {}, "rows": []}`, `its kind is ""`},
		{strings.Replace(good, `"format": 1`, `"format": 2`, 1), "format 2: this program reads format 1"},
		{strings.Replace(good, `"rhat"`, `"r_hat"`, 1), `unknown field "r_hat"`},
		{strings.Replace(good, "110", `"110"`, 1), "found a JSON string"},
		{strings.Replace(good, "110", "null", 1), "draw 2 has pools.db.capacity = 0, outside its bounds 50 to 200"},
		{strings.Replace(good, "110,", "", 1), "draw 2 has 3 values: want 4"},
		{strings.Replace(good, "offset", "pools.db.capacity", 1), "want each name once"},
		{good[:len(good)-20], "line "},
		{`{"kind": "metastable posterior", "format": 1}`, "0 draws of 0 parameters"},
	} {
		if _, err := ReadRecord(strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%.40q: error %v, want %q", c.text, err, c.says)
		}
	}
}

// Whatever is in a file: an error, or draws within bounds.
func FuzzReadRecord(f *testing.F) {
	text, err := json.Marshal(record())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	f.Add(`{"kind": "metastable posterior", "format": 1, "draws": [[]], "parameters": [{}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ReadRecord(strings.NewReader(text))
		if err == nil && (len(r.Draws) == 0 || len(r.Draws[0]) != len(r.Parameters)) {
			t.Errorf("%d draws of %d parameters are taken", len(r.Draws), len(r.Parameters))
		}
	})
}
