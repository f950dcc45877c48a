package telemetry

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// checkData holds whatever was read to what every reading promises: strictly increasing
// finite times, finite values, every cell accounted for, and a tidy file that reads as
// the same samples.
func checkData(t *testing.T, d *Data) {
	t.Helper()
	names := map[string]bool{}
	for i := range d.Series {
		s := &d.Series[i]
		if names[s.Name] {
			t.Errorf("two series are called %q", s.Name)
		}
		names[s.Name] = true
		if s.Cells != s.Samples+s.Missing+s.Refused {
			t.Errorf("%q: %d cells, %d samples + %d missing + %d refused", s.Name, s.Cells, s.Samples, s.Missing, s.Refused)
		}
		if len(s.T) != len(s.V) || len(s.T) > s.Samples || s.Samples > 0 && len(s.T) == 0 {
			t.Errorf("%q: %d times, %d values of %d samples", s.Name, len(s.T), len(s.V), s.Samples)
		}
		for k := range s.T {
			if k > 0 && !(s.T[k] > s.T[k-1]) || math.IsInf(s.T[k], 0) || math.IsNaN(s.V[k]) || math.IsInf(s.V[k], 0) {
				t.Fatalf("%q: sample %d is (%v, %v) after %v", s.Name, k, s.T[k], s.V[k], s.T[max(k-1, 0)])
			}
		}
	}
	for _, w := range d.Warnings {
		if w.Count < 1 || len(w.Lines) > min(w.Count, shownLines) || w.String() == "" {
			t.Errorf("warning %+v", w)
		}
	}
	var tidy bytes.Buffer
	if err := WriteCSV(&tidy, d.Series); err != nil {
		t.Error(err)
	}
}

// checkText reads a text and checks what comes of it.
func checkText(t *testing.T, text []byte, set *Settings) {
	t.Helper()
	d, err := Read(bytes.NewReader(text), set)
	if err != nil {
		var parse *ParseError
		if !errors.As(err, &parse) || parse.Why == "" || d != nil {
			t.Errorf("error %v of type %T with data %v", err, err, d)
		}
		return
	}
	checkData(t, d)
}

func TestHostileFiles_invariant(t *testing.T) {
	for _, file := range hostile(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			checkText(t, text, settingsOf(t, file))
			for n := range text { // cut short anywhere
				if n%23 == 0 || n > len(text)-40 {
					checkText(t, text[:n], settingsOf(t, file))
				}
			}
		})
	}
}

// Tidy files of all hostile files read as the same series.
func TestWriteCSV_invariant(t *testing.T) {
	same := 0
	for _, file := range hostile(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		d, err := Read(bytes.NewReader(text), settingsOf(t, file))
		if err != nil {
			continue
		}
		var first, second bytes.Buffer
		if err := WriteCSV(&first, d.Series); err != nil {
			t.Fatal(err)
		}
		again, err := Read(bytes.NewReader(first.Bytes()), nil)
		if err != nil {
			if strings.Count(first.String(), "\n") > 1 {
				t.Errorf("%s: %v", file, err)
			}
			continue
		}
		if err := WriteCSV(&second, again.Series); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%s: tidy\n%s\nread and written again\n%s", file, &first, &second)
		}
		for _, w := range again.Warnings {
			if w.Kind != OutOfRange { // which is said again, as the value was kept
				t.Errorf("%s: the tidy file warns: %v", file, w)
			}
		}
		same++
	}
	if same < 50 {
		t.Errorf("%d files were compared", same)
	}
}

// fuzz seeds a target with the hostile files whose names start with one of the words. What
// comes is read as it is, and inside a text that is sound around it, where there is one.
func fuzz(f *testing.F, around string, words ...string) {
	seeds := 0
	for _, file := range hostile(f) {
		for _, word := range words {
			if !strings.HasPrefix(filepath.Base(file), word) {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text)
			seeds++
		}
	}
	if seeds == 0 {
		f.Fatalf("no file starts with any of %q", words)
	}
	if around != "" {
		f.Add([]byte(`[1645509600,"NaN"],[1645509615,-1e999],[null,null]`))
		f.Add([]byte(`"2022-02-22T06:00:00Z",1,true,{},[]`))
	}
	before, after, _ := strings.Cut(around, "HERE")
	f.Fuzz(func(t *testing.T, text []byte) {
		checkText(t, text, nil)
		if around != "" {
			checkText(t, []byte(before+string(text)+after), nil)
		}
	})
}

func FuzzCSV(f *testing.F)     { fuzz(f, "Time,load,hit_rate\n2022-02-22T06:00:00Z,1,97%\nHERE", "") }
func FuzzGrafana(f *testing.F) { fuzz(f, "sep=;\nTime;p99;ratio\nHERE", "grafana", "utf16") }
func FuzzPrometheus(f *testing.F) {
	fuzz(f, `{"data":{"result":[{"metric":{"__name__":"x"},"values":[HERE]}]}}`, "prometheus")
}

func FuzzCloudWatch(f *testing.F) {
	fuzz(f, `{"MetricDataResults":[{"Label":"x","Timestamps":["2022-02-22T06:00:00Z",1645509600],"Values":[HERE]}]}`, "cloudwatch")
}

func FuzzDatadog(f *testing.F) {
	fuzz(f, `{"series":[{"metric":"x","pointlist":[[1645509600000.0,1],HERE],"unit":[{"short_name":"ms"},null]}]}`, "datadog")
}

func FuzzGraphite(f *testing.F) {
	fuzz(f, `[{"target":"x","datapoints":[[0.5,1645509600],HERE]}]`, "graphite.json", "graphite-headless")
}
func FuzzGraphiteRaw(f *testing.F) { fuzz(f, "x,1645509600,1645509840,60|HERE", "graphite.raw") }

// A number reads as the same with spaces around it, and never as something that is none.
func FuzzNumber(f *testing.F) {
	for _, cell := range []string{"1.5", "-1,234.5", "1e-3", "12,5 ms", "1 234", "97%", "+Inf", "0x1p4", "1_0", "1.2 K req/s", "−3", "."} {
		f.Add(cell, false)
		f.Add(cell, true)
	}
	f.Fuzz(func(t *testing.T, cell string, comma bool) {
		cell = trim(cell)
		v, rest, grouped, ok := number(cell, comma)
		if !ok {
			return
		}
		if math.IsNaN(v) {
			t.Errorf("%q is NaN", cell)
		}
		if !math.IsInf(v, 0) && !strings.ContainsAny(cell, "0123456789") {
			t.Errorf("%q has no digit and is %v", cell, v)
		}
		if rest != trim(rest) {
			t.Errorf("%q leaves %q", cell, rest)
		}
		v2, rest2, grouped2, ok2 := number(cell, comma)
		if !reflect.DeepEqual([]any{v, rest, grouped, ok}, []any{v2, rest2, grouped2, ok2}) {
			t.Errorf("%q reads in two ways", cell)
		}
		lookupUnit(rest)
	})
}

func FuzzTime(f *testing.F) {
	for _, cell := range []string{"2022-02-22T06:00:00Z", "1645509600", "1645509600000", "22/02/2022 06:00", "0.5", "2022-02-22 06:00:00 +0000 UTC m=+0.1", "-1e300"} {
		f.Add(cell)
	}
	f.Fuzz(func(t *testing.T, cell string) {
		c := clock{unit: 1}
		r, ok := c.read(cell)
		if ok && (math.IsNaN(r.t) || math.IsInf(r.t, 0) || r.kind == noTime) {
			t.Errorf("%q is %+v", cell, r)
		}
		if again, ok2 := (&clock{unit: 1}).read(cell); ok2 != ok || again.t != r.t {
			t.Errorf("%q reads in two ways", cell)
		}
	})
}
