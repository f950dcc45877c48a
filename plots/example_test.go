package plots_test

import (
	"bytes"
	"fmt"
	"math"
	"os"

	"github.com/metastable/metastable/plots"
)

func ExampleTimeline() {
	tl, err := plots.NewTimeline(plots.Timeline{
		Title:       "A minute of trouble",
		Times:       []float64{0, 30, 60},
		Boots:       []float64{100, 100, 100},
		Attempts:    []float64{100, 900, 120},
		Admitted:    []float64{100, 900, 50},
		Limit:       []float64{math.Inf(1), math.Inf(1), 50},
		BootSuccess: []float64{1, 0.1, 1},
		Waiting:     []float64{0, 6000, 7000},
		Classes: []plots.ClassSeries{
			{Name: "users", HitRate: []float64{0.999, 0.9, 0.95}},
		},
		Pools: []plots.PoolSeries{{
			Name:    "main",
			Load:    []float64{0.4, 7.5, 0.6},
			Timeout: []float64{0, 0.9, 0},
			Refused: []float64{0, 0.4, 0},
		}},
		Actions: []plots.Action{{At: 10, Name: "flush 50 %"}, {At: 60, Name: "throttle 50/s"}},
		Outages: [][2]float64{{15, 60}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := tl.WriteCSV(os.Stdout); err != nil {
		fmt.Println(err)
	}
	var picture bytes.Buffer
	if err := tl.Write(&picture, "svg"); err != nil {
		fmt.Println(err)
	}
	// Output:
	// # title: A minute of trouble
	// # action at 10 s: flush 50 %
	// # action at 60 s: throttle 50/s
	// # outage from 15 s to 60 s
	// t_s,boots_per_s,attempts_per_s,admitted_per_s,boot_success,waiting_clients,throttle_per_s,hit_rate.users,load.main,timeout.main,refused.main,goodput_per_s
	// 0,100,100,100,1,0,,0.999,0.4,0,0,100
	// 30,100,900,900,0.1,6000,,0.9,7.5,0.9,0.4,90
	// 60,100,120,50,1,7000,50,0.95,0.6,0,0,50
}
