package cli

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// What a reader of the file finds is the CSV: columns in order, rows to the last bit, facts.
func TestParquet_exact(t *testing.T) {
	dir := t.TempDir()
	args := []string{"sweep", uncertainFlush(t), "--vary", "classes.q.fetch=all,missing", "--vary", "timeline.0.flush=10%..50%:3", "--draws", "3", "-q", "-o"}
	for _, name := range []string{"x.csv", "x.parquet", "x.parquet"} { // the last replaces its own
		mustRun(t, dir, append(args, name)...)
	}
	text := mustRead(t, dir+"/x.csv")
	in := csv.NewReader(bytes.NewReader(text))
	in.Comment = '#'
	want, err := in.ReadAll()
	if err != nil {
		t.Fatal(err)
	}

	whole := mustRead(t, dir+"/x.parquet")
	file, err := parquet.OpenFile(bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range file.Schema().Fields() {
		names = append(names, f.Name())
	}
	got := [][]string{names}
	rows := parquet.NewReader(file)
	defer rows.Close()
	for range file.NumRows() {
		one := make([]parquet.Row, 1)
		if n, err := rows.ReadRows(one); n != 1 {
			t.Fatal(err)
		}
		var fields []string
		for _, v := range one[0] {
			switch {
			case v.IsNull():
				fields = append(fields, "")
			case v.Kind() == parquet.Double:
				fields = append(fields, exact(v.Double()))
			default:
				fields = append(fields, string(v.ByteArray()))
			}
		}
		got = append(got, fields)
	}
	if !slices.EqualFunc(got, want, slices.Equal[[]string]) {
		t.Errorf("rows\n%v\nwant\n%v", got, want)
	}

	facts := 0
	for line := range strings.Lines(string(text)) {
		key, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "# "), ": ")
		if !strings.HasPrefix(line, "#") || !ok {
			continue
		}
		facts++
		if there, _ := file.Lookup(key); !slices.Contains(strings.Split(there, "\n"), value) {
			t.Errorf("fact %s: %q, want %q in it", key, there, value)
		}
	}
	if facts < 5 {
		t.Errorf("%d facts in the CSV", facts)
	}
}
