package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// An interrupt keeps the replications that are over, in a file that says it is not whole; before
// the second of them there is nothing to keep.
func TestReferee_interrupted_exact(t *testing.T) {
	file := filepath.Join(t.TempDir(), "small.yaml")
	if err := os.WriteFile(file, []byte(`
name: small
duration: 60s
traffic: {boots: 6/s, session_length: 1s}
classes: {call: {per_boot: 1, cached: false}}
pools: {main: {capacity: 10/s, timeout: 2s}}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(ctx context.Context, dir string) (string, int) {
		var stdout, stderr bytes.Buffer
		args := []string{"referee", file, "--method", "des", "--every", "30s", "--jobs", "1", "--replications", "1000000", "-o", dir + "/"}
		status := Do(ctx, args, nil, &stdout, &stderr)
		return stderr.String(), status
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	dir := t.TempDir()
	if text, status := run(ctx, dir); status != statusFailed || !strings.Contains(text, "stopped before a run was over") {
		t.Errorf("status %d, stderr %s", status, text)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("files %v (%v), want none", entries, err)
	}

	ctx, cancel = context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	text, status := run(ctx, dir)
	if strings.Contains(text, "stopped") {
		t.Skip("too slow a machine for two replications")
	}
	if status != statusFailed || !strings.Contains(text, "small: interrupted; what is done is in ") {
		t.Errorf("status %d, stderr %s", status, text)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != "small.referee.csv.partial" {
		t.Fatalf("files %v (%v), want small.referee.csv.partial alone", entries, err)
	}
	table, err := os.ReadFile(filepath.Join(dir, entries[0].Name()))
	if err != nil || !strings.HasPrefix(string(table), "# incomplete: interrupted after ") {
		t.Errorf("%v, %.200s", err, table)
	}
}
