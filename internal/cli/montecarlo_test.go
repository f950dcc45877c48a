package cli

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
)

// An interrupt before the first draw leaves nothing behind.
func TestMonteCarlo_interrupted_exact(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	dir := t.TempDir()
	var stdout, stderr bytes.Buffer
	args := []string{"montecarlo", "osdi22-cache", "--draws", "1000", "-o", dir}
	if got := Do(ctx, args, nil, &stdout, &stderr); got != statusFailed || !strings.Contains(stderr.String(), "osdi22-cache: interrupted") {
		t.Errorf("status %d, stderr %s", got, &stderr)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("files %v (%v), want none", entries, err)
	}
}
