package telemetry

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// rows is a CSV of n rows without holding it: t_s,goodput,hit_rate, one a second, of which
// every tenth goodput is missing and every other one of the rest 0.
type rows struct {
	n, at int
	buf   []byte
}

func (r *rows) Read(p []byte) (int, error) {
	if r.at == 0 && len(r.buf) == 0 {
		r.buf = append(r.buf, "t_s,goodput,hit_rate\n"...)
	}
	for len(r.buf) < len(p) && r.at < r.n {
		switch {
		case r.at%10 == 0:
			r.buf = fmt.Appendf(r.buf, "%d,,97%%\n", r.at)
		default:
			r.buf = fmt.Appendf(r.buf, "%d,%d,97%%\n", r.at, r.at%2*1000)
		}
		r.at++
	}
	n := copy(p, r.buf)
	r.buf = append(r.buf[:0], r.buf[n:]...)
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// A million rows take the memory of one, and every cell is accounted for.
func TestScan_millionRows_invariant(t *testing.T) {
	const n = 1_000_000
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	samples, zeros, most := 0, 0, uint64(0)
	rep, err := Scan(&rows{n: n}, nil, func(s Sample) error {
		samples++
		if s.Series == 0 && s.V == 0 {
			zeros++
		}
		if samples%200_000 == 0 {
			most = max(most, heap())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if most > before+1<<20 { // the buffers of the reader are 64 kB
		t.Errorf("the heap grew from %d to %d bytes", before, most)
	}
	goodput, hit := rep.Series[0], rep.Series[1]
	if goodput.Cells != n || goodput.Missing != n/10 || goodput.Samples != n-n/10 || hit.Samples != n || samples != goodput.Samples+hit.Samples {
		t.Errorf("%+v, %+v, %d samples", goodput, hit, samples)
	}
	if want := n/2 - n/10; zeros != want { // even rows but the missing
		t.Errorf("%d zeros, want %d", zeros, want)
	}
	if len(rep.Warnings) != 1 || rep.Warnings[0].Count != n/10 || len(rep.Warnings[0].Lines) != shownLines {
		t.Errorf("warnings %v", rep.Warnings)
	}
}

func BenchmarkScan(b *testing.B) {
	const n = 10_000
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Scan(&rows{n: n}, nil, func(Sample) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds(), "rows/s")
}

// What the first rows do not tell is learnt from the first that does: the decimal comma,
// the unit of a column that began with zeros, and words that describe rows.
func TestScan_lateRows_exact(t *testing.T) {
	var b strings.Builder
	b.WriteString("t_s;load;latency;note\n")
	for i := range 2 * sampleRows {
		fmt.Fprintf(&b, "%d;0;0;note %d\n", i/2, i)
	}
	b.WriteString("1000;1,5;950 ms;last\n1001;2;1,02 s;\n")
	d, err := Read(strings.NewReader(b.String()), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Series) != 2 {
		t.Fatalf("%d series", len(d.Series))
	}
	load, latency := d.Find("load"), d.Find("latency")
	n := sampleRows
	if !slices.Equal(load.V[n:], []float64{1.5, 2}) || !slices.Equal(latency.V[n:], []float64{0.95, 1.02}) || latency.Unit != "s" {
		t.Errorf("load %v, latency %v in %q", load.V[n:], latency.V[n:], latency.Unit)
	}
	if slices.Max(load.V[:n]) != 0 || slices.Max(latency.V[:n]) != 0 || load.Refused+latency.Refused != 0 {
		t.Errorf("%+v, %+v", load.Info, latency.Info)
	}
}
