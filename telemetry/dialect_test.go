package telemetry

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
)

// A writer of a random dialect; what it writes must read as what it was given.
type scribe struct {
	rng       *rand.Rand
	delimiter string
	comma     bool // decimal
	time      func(t time.Time) string
	absent    string
	crlf      bool
	encode    func(string) []byte
}

func newScribe(rng *rand.Rand) *scribe {
	pick := func(words ...string) string { return words[rng.IntN(len(words))] }
	s := &scribe{rng: rng, delimiter: pick(",", ";", "\t", "|"), absent: pick("", "NaN", "null", "None", "N/A", "-"), crlf: rng.IntN(2) == 0}
	s.comma = s.delimiter != "," && rng.IntN(2) == 0
	s.time = []func(time.Time) string{
		func(t time.Time) string { return t.Format(time.RFC3339) },
		func(t time.Time) string { return t.In(time.FixedZone("", 19800)).Format(time.RFC3339) },
		func(t time.Time) string { return t.Format("2006-01-02 15:04:05") },
		func(t time.Time) string { return t.Format("02/01/2006 15:04:05") },
		func(t time.Time) string { return t.String() },
		func(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) },
		func(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) },
		func(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) },
	}[rng.IntN(8)]
	wide := func(order func(uint16) []byte) func(string) []byte {
		return func(text string) []byte {
			var b []byte
			for _, u := range utf16.Encode([]rune("\ufeff" + text)) {
				b = append(b, order(u)...)
			}
			return b
		}
	}
	s.encode = []func(string) []byte{
		func(text string) []byte { return []byte(text) },
		func(text string) []byte { return []byte("\ufeff" + text) },
		wide(func(u uint16) []byte { return []byte{byte(u), byte(u >> 8)} }),
		wide(func(u uint16) []byte { return []byte{byte(u >> 8), byte(u)} }),
	}[rng.IntN(4)]
	return s
}

// number writes v with a unit of its own choice from those that a column may mix: a
// factor that v is divided by, and its name.
func (s *scribe) number(v float64, units []string, factors []float64) string {
	k := s.rng.IntN(len(units))
	text := strconv.FormatFloat(v/factors[k], 'f', -1, 64)
	if s.comma {
		text = strings.Replace(text, ".", ",", 1)
	}
	return text + units[k]
}

func (s *scribe) write(at []time.Time, columns [][]float64) []byte {
	var b strings.Builder
	end := "\n"
	if s.crlf {
		end = "\r\n"
	}
	b.WriteString(strings.Join([]string{`"Time"`, `"goodput"`, `"latency"`, `"hit_rate"`}, s.delimiter) + end)
	rows := make([]int, len(at))
	down := s.rng.IntN(3) == 0
	for i := range rows {
		rows[i] = i
		if down {
			rows[i] = len(at) - 1 - i
		}
	}
	for _, i := range rows {
		cells := []string{s.time(at[i])}
		for c, column := range columns {
			if column[i] < 0 {
				cells = append(cells, s.absent)
				continue
			}
			switch c {
			case 0:
				cells = append(cells, s.number(column[i], []string{"", " K", " M"}, []float64{1, 1e3, 1e6}))
			case 1:
				cells = append(cells, s.number(column[i], []string{" s", " ms", "µs"}, []float64{1, 1e-3, 1e-6}))
			case 2:
				cells = append(cells, s.number(column[i], []string{"%"}, []float64{0.01}))
			}
		}
		b.WriteString(strings.Join(cells, s.delimiter) + end)
	}
	return s.encode(b.String())
}

// Whatever the dialect, the numbers come back; zeros as zeros, missing ones as gaps.
func TestDialects_invariant(t *testing.T) {
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 5))
		n := 2 + rng.IntN(30)
		var at []time.Time
		columns := make([][]float64, 3) // below 0: missing
		for i := range n {
			at = append(at, time.Unix(1645509600+int64(i)*15, 0).UTC())
			for c := range columns {
				v := 0.0
				switch k := rng.IntN(6); {
				case k == 0 && i > 0: // the first row shows what the columns are
					v = -1
				case k > 1 || i == 0:
					v = []float64{1234.5, 0.512, 0.875}[c] * float64(1+rng.IntN(8)) / 8
				}
				columns[c] = append(columns[c], v)
			}
		}
		text := newScribe(rng).write(at, columns)
		d, err := Read(bytes.NewReader(text), nil)
		if err != nil || len(d.Series) != 3 {
			t.Fatalf("seed %d: %v, %v\n%q", seed, err, d, text)
		}
		checkData(t, d)
		for c, want := range columns {
			s := &d.Series[c]
			k := 0
			for i, v := range want {
				if v < 0 {
					continue
				}
				// Writing in another unit and reading it rounds twice.
				if k >= len(s.T) || s.T[k] != float64(at[i].Unix()) || s.V[k] < v*(1-1e-15) || s.V[k] > v*(1+1e-15) {
					t.Fatalf("seed %d: %s, row %d: want %v at %d\n%s\n%q", seed, s.Name, i, v, at[i].Unix(), told(d, nil), text)
				}
				k++
			}
			if k != len(s.T) || s.Refused != 0 || s.Unit != []string{"", "s", "1"}[c] {
				t.Fatalf("seed %d: %s\n%q", seed, fmt.Sprintf("%+v", s.Info), text)
			}
		}
	}
}
