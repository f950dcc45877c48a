package plots

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"
	"time"
)

// readTable returns the columns of a CSV file of numbers by name.
func readTable(t testing.TB, file string) map[string][]float64 {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	table := map[string][]float64{}
	for j, name := range rows[0] {
		for _, row := range rows[1:] {
			v, err := strconv.ParseFloat(row[j], 64)
			if err != nil {
				t.Fatal(err)
			}
			table[name] = append(table[name], v)
		}
	}
	return table
}

// slackDay is the figure of an outage of Slack's size: a rollout that is absorbed,
// one that tips on the morning ramp, a throttle that drains the queues, and a relapse
// when it ends in one step. testdata/slack.csv, a row every 300 s, is the run of an
// independent implementation of the model (SciPy, BDF, rtol 1e-8).
func slackDay(t testing.TB) Timeline {
	table := readTable(t, "testdata/slack.csv")
	limit := make([]float64, len(table["t_s"]))
	for i, s := range table["t_s"] {
		limit[i] = math.Inf(1)
		if 7*3600 <= s && s < 9*3600 {
			limit[i] = 400
		}
	}
	return Timeline{
		Title:       "Slack, 22 February 2022",
		Subtitle:    "A cache rollout on the morning ramp tips the system; a throttle brings it back until it is lifted in one step.",
		Start:       time.Date(2022, 2, 22, 0, 0, 0, 0, time.FixedZone("", -8*3600)),
		Times:       table["t_s"],
		Boots:       table["boots"],
		Attempts:    table["attempts"],
		Admitted:    table["admitted"],
		Limit:       limit,
		BootSuccess: table["boot_success"],
		Waiting:     table["waiting"],
		Classes:     []ClassSeries{{Name: "gdm_members", HitRate: table["hit_rate.gdm_members"]}},
		Pools: []PoolSeries{{
			Name:    "main",
			Load:    table["load.main"],
			Timeout: table["timeout.main"],
			Refused: table["refused.main"],
		}},
		Actions: []Action{
			{3600, "rollout 25 %"},
			{5*3600 + 36*60, "rollout 25 %"},
			{7 * 3600, "throttle 400/s"},
			{9 * 3600, "throttle off"},
		},
		Outages: [][2]float64{{6 * 3600, 7 * 3600}, {9 * 3600, 14 * 3600}},
	}
}
