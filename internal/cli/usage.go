package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// noArgs is for commands that take no argument: a word there is a mistyped
// subcommand, if there are any.
func noArgs(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case cmd.HasAvailableSubCommands():
		var names []string
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				names = append(names, c.Name())
			}
		}
		return usage("unknown command %q for %q%s", args[0], cmd.CommandPath(), didYouMean(nearest(args[0], names), seeHelp(cmd)))
	}
	return usage("%q takes no argument, and got %q", cmd.CommandPath(), args[0])
}

// oneArg is for commands that take one argument; what says what it is.
func oneArg(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch len(args) {
		case 1:
			return nil
		case 0:
			return usage("%s is missing%s", what, seeHelp(cmd))
		}
		return usage("one %s is wanted, and %q is a second one", what, args[1])
	}
}

// showHelp is for commands that only hold others.
func showHelp(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// newHelp is the help command, with a usage error for a topic that is not there.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Explain a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			topic, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return usage("no help for %q%s", strings.Join(args, " "), seeHelp(cmd.Root()))
			}
			return topic.Help()
		},
	}
}

// flagError explains an error of the flags and suggests the nearest flag.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() != "" {
		return usageError{err}
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	var flags []string
	for _, name := range nearest(unknown.GetSpecifiedName(), names) {
		flags = append(flags, "--"+name)
	}
	return usage("%w%s", err, didYouMean(flags, seeHelp(cmd)))
}

func didYouMean(words []string, otherwise string) string {
	if len(words) == 0 {
		return otherwise
	}
	return "; did you mean " + strings.Join(words, " or ") + "?"
}

func seeHelp(cmd *cobra.Command) string { return fmt.Sprintf("; see %s --help", cmd.CommandPath()) }

// nearest returns the names close to word, by the measure that suggests commands.
func nearest(word string, names []string) []string {
	c := &cobra.Command{SuggestionsMinimumDistance: 2}
	for _, name := range names {
		c.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
	}
	return c.SuggestionsFor(word)
}
