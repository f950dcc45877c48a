package cli

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// uncertainFlush is the scenario of the script of sweep.
func uncertainFlush(t *testing.T) string {
	t.Helper()
	script, err := os.ReadFile(filepath.Join("testdata", "script", "sweep.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(script), "-- in/run.yaml --\n")
	yaml, _, more := strings.Cut(rest, "\n-- ")
	if !ok || !more {
		t.Fatal("no scenario in the script")
	}
	path := filepath.Join(t.TempDir(), "run.yaml")
	if err := os.WriteFile(path, []byte(yaml+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// metastable returns a command that runs in a folder.
func metastable(dir string, args ...string) (*exec.Cmd, *bytes.Buffer) {
	cmd := exec.Command("metastable", args...)
	var out bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &out
	return cmd, &out
}

func mustRun(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd, out := metastable(dir, args...)
	if err := cmd.Run(); err != nil {
		t.Fatalf("metastable %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A sweep that is killed three times and interrupted once, each at a random moment after
// another checkpoint, has the bytes of one that is not.
func TestSweep_killed_invariant(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	dir, r := t.TempDir(), rand.New(rand.NewPCG(9, 9))
	args := []string{"sweep", uncertainFlush(t), "--vary", "timeline.0.flush=20%..50%:4", "--draws", "130", "--checkpoint", "10ms"}
	mustRun(t, dir, append(args, "-o", "whole.csv", "-q")...)
	args = append(args, "-o", "killed.csv")
	checkpoint := filepath.Join(dir, "killed.csv.partial", "shard-0-of-1.json")
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGKILL, syscall.SIGKILL, syscall.SIGTERM} {
		before, _ := os.ReadFile(checkpoint)
		cmd, out := metastable(dir, args...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		moment := time.Duration(r.IntN(100)) * time.Millisecond
		for {
			if now, err := os.ReadFile(checkpoint); err == nil && !bytes.Equal(now, before) {
				break
			}
			select {
			case err := <-ended:
				t.Fatalf("it ended before %v: %v\n%s", sig, err, out)
			case <-time.After(time.Millisecond):
			}
		}
		time.Sleep(moment)
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err == nil {
			t.Fatalf("%v: it ended well\n%s", sig, out)
		}
		if before != nil && !strings.Contains(out.String(), "going on after ") {
			t.Errorf("it began again:\n%s", out)
		}
		if sig == syscall.SIGTERM && !strings.Contains(out.String(), "of 520 runs; the same command goes on from killed.csv.partial\n") {
			t.Errorf("interrupted: %s", out)
		}
	}
	mustRun(t, dir, args...)
	if !bytes.Equal(mustRead(t, filepath.Join(dir, "killed.csv")), mustRead(t, filepath.Join(dir, "whole.csv"))) {
		t.Error("other bytes")
	}
	if _, err := os.Stat(filepath.Dir(checkpoint)); err == nil {
		t.Error("the checkpoint is left")
	}
}
