package telemetry_test

import (
	"fmt"
	"strings"

	"github.com/metastable/metastable/telemetry"
)

// An export whose cells carry units, with a value missing and one that is no number.
func ExampleRead() {
	const export = `"Time","latency","hit_rate"
2022-02-22T06:00:00Z,950 ms,97%
2022-02-22T06:01:00Z,1.02 s,none yet
2022-02-22T06:02:00Z,,0%
`
	d, err := telemetry.Read(strings.NewReader(export), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Format)
	for _, s := range d.Series {
		fmt.Printf("%s in %s: %v\n", s.Name, s.Unit, s.V)
	}
	for _, w := range d.Warnings {
		fmt.Println(w)
	}
	// Output:
	// csv (wide, commas)
	// latency in s: [0.95 1.02]
	// hit_rate in 1: [0.97 0]
	// hit_rate: 1 × not a number, refused: "none yet" (line 3)
	// latency: 1 × no value (line 4)
}

// Node a is replaced by node b, whose first 30 reads count.
func ExampleRate() {
	const scrapes = `{"status":"success","data":{"resultType":"matrix","result":[
{"metric":{"__name__":"reads_total","node":"a"},"values":[[1645509600,"100"],[1645509615,"130"]]},
{"metric":{"__name__":"reads_total","node":"b"},"values":[[1645509630,"30"],[1645509645,"75"]]}]}}`
	d, err := telemetry.Read(strings.NewReader(scrapes), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	s, did, err := telemetry.Rate("reads_total", d.Series, 15)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.V, s.Unit)
	fmt.Println(did)
	// Output:
	// [2 2 3] 1/s
	// rate of 2 counters over 15 s: 0 resets, 1 started later from 0; 0 gaps leave 0 bins empty and 0 uncounted
}
