package cli

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// On a disk that is full a sweep says so and keeps what it has; with room it goes on.
func TestSweep_fullDisk_exact(t *testing.T) {
	dir, disk := t.TempDir(), t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=48k"); err != nil {
		t.Skipf("no small disk: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(disk, syscall.MNT_DETACH) })
	args := []string{"sweep", "hotos21-cache", "--vary", "timeline.0.flush=10%..40%:60", "-q", "-o"} // about 60 kB of rows
	mustRun(t, dir, append(args, filepath.Join(dir, "whole.csv"))...)
	path := filepath.Join(disk, "rows.csv")
	cmd, out := metastable(dir, append(args, path)...)
	if err := cmd.Run(); err == nil || !strings.Contains(out.String(), "metastable: cannot write "+path) || !strings.Contains(out.String(), "no space left on device") {
		t.Errorf("error %v\n%s", err, out)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file is there: %v", err)
	}
	if err := syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT, "size=4m"); err != nil {
		t.Fatal(err)
	}
	mustRun(t, dir, append(args, path)...)
	if !bytes.Equal(mustRead(t, path), mustRead(t, filepath.Join(dir, "whole.csv"))) {
		t.Error("other bytes")
	}
}
