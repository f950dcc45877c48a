package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"metastable": func() { os.Exit(Do(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// The scripts may say "status N metastable ARGS": the command exits with status N.
func TestScripts_golden(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": func(ts *testscript.TestScript, neg bool, args []string) {
				want, err := strconv.Atoi(args[0])
				ts.Check(err)
				got := 0
				var exit *exec.ExitError
				if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
					got = exit.ExitCode()
				} else if err != nil {
					ts.Fatalf("%v", err)
				}
				if neg || got != want {
					ts.Fatalf("exit status %d, want %d", got, want)
				}
			},
		},
	})
}

// Every line of every example runs, in a shell.
func TestExamples_golden(t *testing.T) {
	if testing.Short() {
		t.Skip("draws many figures")
	}
	ran := 0
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		for line := range strings.Lines(cmd.Example) {
			line = strings.TrimSpace(line)
			ran++
			t.Run(line, func(t *testing.T) {
				sh := exec.Command("sh", "-c", line)
				sh.Dir = t.TempDir()
				if out, err := sh.CombinedOutput(); err != nil {
					t.Errorf("%v\n%s", err, out)
				}
			})
		}
		for _, c := range cmd.Commands() {
			visit(c)
		}
		if cmd.Runnable() && cmd.Parent() == cmd.Root() && !cmd.HasExample() && !cmd.HasSubCommands() && cmd.Name() != "help" {
			t.Errorf("%s has no example", cmd.CommandPath())
		}
	}
	visit(newRoot())
	if ran == 0 {
		t.Error("no example was run")
	}
}

// The end of the context stops a run: the rows so far are kept under a name that says
// so, and nothing that is there is replaced.
func TestDo_interrupted_exact(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	dir := t.TempDir()
	var stdout, stderr bytes.Buffer
	if got := Do(ctx, []string{"simulate", "cold-start", "-o", dir}, nil, &stdout, &stderr); got != statusFailed {
		t.Errorf("status %d, want %d", got, statusFailed)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != "cold-start.csv.partial" {
		t.Fatalf("files %v (%v), want cold-start.csv.partial alone", entries, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "cold-start.csv.partial"))
	if err != nil || !strings.HasPrefix(string(text), "# incomplete: cold-start: stopped at 0 s of") || !strings.Contains(string(text), "\nt_s,") {
		t.Errorf("error %v, file\n%s", err, text)
	}
	if !strings.Contains(stderr.String(), "interrupted; the rows so far are in "+dir) {
		t.Errorf("stderr: %s", &stderr)
	}

	if got := Do(ctx, []string{"simulate", "cold-start", "-q", "--format", "json"}, nil, &stdout, io.Discard); got != statusFailed {
		t.Errorf("status %d, want %d", got, statusFailed)
	}
	if !strings.Contains(stdout.String(), `"incomplete": "cold-start: stopped at 0 s of`) {
		t.Errorf("stdout: %s", &stdout)
	}
}

type panicking struct{}

func (panicking) Read([]byte) (int, error) { panic("index out of range") }

func TestDo_panic_exact(t *testing.T) {
	for _, c := range []struct {
		debug string
		stack bool
	}{{"", false}, {"1", true}} {
		t.Setenv("METASTABLE_DEBUG", c.debug)
		var stderr bytes.Buffer
		status := Do(context.Background(), []string{"simulate", "-"}, panicking{}, io.Discard, &stderr)
		const want = "metastable: this is a bug in metastable: index out of range\n"
		if status != statusFailed || !strings.HasPrefix(stderr.String(), want) || strings.Contains(stderr.String(), "goroutine") != c.stack {
			t.Errorf("debug %q: status %d, stderr %s", c.debug, status, &stderr)
		}
	}
}

// A result that cannot be written is an error, not silence.
func TestDo_fullDisk_exact(t *testing.T) {
	for _, args := range []string{"simulate cold-start -q", "simulate cold-start -q --format json", "simulate cold-start -q --format table", "scenarios", "scenarios show cold-start", "schema", "version"} {
		var stderr bytes.Buffer
		if got := Do(context.Background(), strings.Fields(args), nil, full{}, &stderr); got != statusFailed || !strings.Contains(stderr.String(), "no space") {
			t.Errorf("%s: status %d, stderr %s", args, got, &stderr)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, fmt.Errorf("no space left") }
