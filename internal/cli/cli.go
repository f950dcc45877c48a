// Package cli is the command line: flags, formats, progress and exit statuses. It
// holds no mathematics.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/metastable/metastable/model"
)

// Exit statuses.
const (
	statusDone   = 0
	statusFailed = 1 // could not be done: bad input, no convergence, interrupted
	statusUsage  = 2
	statusUnsafe = 3 // done, and the answer is "not safe"
)

// A usageError is a mistake on the command line, not in its input.
type usageError struct{ error }

func usage(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// An unsafeError is the answer that something is not safe.
type unsafeError struct{ error }

// Do runs one command line without the program's name and returns its exit status.
// Results go to stdout, everything else to stderr. An interrupt, or the end of ctx,
// ends the command early and keeps what is finished.
func Do(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (status int) {
	defer func() {
		if p := recover(); p != nil {
			status = statusFailed
			fmt.Fprintf(stderr, "metastable: this is a bug in metastable: %v\n", p)
			if os.Getenv("METASTABLE_DEBUG") == "1" {
				fmt.Fprintf(stderr, "%s", debug.Stack())
			}
		}
	}()
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, func() { // a second interrupt, not a double one, ends the program at once
		time.AfterFunc(time.Second, stop)
	})

	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return statusDone
	}
	var parse *model.ParseError
	if errors.As(err, &parse) && parse.File != "" { // says where by itself
		fmt.Fprintln(stderr, err)
		return statusFailed
	}
	fmt.Fprintf(stderr, "metastable: %s\n", wording(err))
	if errors.As(err, new(usageError)) {
		return statusUsage
	}
	if errors.As(err, new(unsafeError)) {
		return statusUnsafe
	}
	return statusFailed
}

const about = `metastable models how a cache in front of a sharded database falls into an outage
that outlives its cause, and how it comes home.

A SCENARIO is a shipped name (metastable scenarios lists them), the path of a
YAML file, or - for standard input. A path has a slash in it or ends in .yaml or
.yml; any other word is a shipped name first and a file second.

Results go to standard output, everything else to standard error. Exit status:
0 done; 1 could not be done; 2 the command line is wrong; 3 done, and the answer is
"not safe".`

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "metastable",
		Short:         "Models outages that outlive their cause",
		Long:          about,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          noArgs,
		RunE:          showHelp,
	}
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(newHelp())
	root.AddCommand(newSimulate(), newEquilibria(), newTipping(), newCheck(), newBifurcate(), newPhase(), newSweep(), newMonteCarlo(), newRecover(), newRemedies(), newRolloutPlan(), newReferee(), newAudit(), newReview(), newExplore(), newTelemetry(), newCalibrate(), newScenarios(), newSchema(), newVersion(), newDocs())
	root.InitDefaultCompletionCmd()
	if c, _, err := root.Find([]string{"completion"}); err == nil {
		c.Args, c.RunE = noArgs, showHelp
		for _, shell := range c.Commands() {
			shell.Args = noArgs
		}
	}
	return root
}
