package cli

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/metastable/metastable/data"
	"github.com/metastable/metastable/model"
)

const scenarioArg = "SCENARIO (a shipped name, a file, or -)"

// inputFlags are those of every command that reads a scenario.
type inputFlags struct {
	set []string
}

func (f *inputFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.set, "set", nil, "set a parameter, as `path=value`: --set pools.main.capacity=9000/s; may be repeated")
	cmd.ValidArgsFunction = completeScenario
}

// load reads the scenario that the argument names and applies --set, in order.
func (f *inputFlags) load(cmd *cobra.Command, arg string) (*model.Scenario, error) {
	name, text, files, err := readScenario(arg, cmd.InOrStdin())
	if err != nil {
		return nil, err
	}
	sc, err := model.Parse(name, text, files)
	if err != nil {
		return nil, err
	}
	for _, s := range f.set {
		path, value, ok := strings.Cut(s, "=")
		if !ok {
			return nil, usage("--set %s: want path=value, such as pools.main.capacity=9000/s", s)
		}
		if err := sc.Set(path, value); err != nil {
			return nil, fmt.Errorf("--set %s: %w", s, err)
		}
	}
	return sc, nil
}

// readScenario returns the name for errors, the text, and the folder of the files
// the text refers to.
func readScenario(arg string, stdin io.Reader) (name string, text []byte, files fs.FS, err error) {
	switch {
	case arg == "-":
		text, err = readAll(stdin)
		return "standard input", text, os.DirFS("."), err
	case !isPath(arg) && slices.Contains(data.Names(), arg):
		text, err = data.Scenario(arg)
		return arg + ".yaml", text, nil, err
	}
	file, err := os.Open(arg)
	switch {
	case err != nil && !isPath(arg):
		_, err = data.Scenario(arg) // suggests the nearest name
		return "", nil, nil, fmt.Errorf("no file is called %q, and %w", arg, err)
	case err != nil:
		return "", nil, nil, err
	}
	defer file.Close()
	text, err = readAll(file)
	return arg, text, os.DirFS(filepath.Dir(arg)), err
}

func isPath(arg string) bool {
	return strings.ContainsAny(arg, `/\`) || strings.HasSuffix(arg, ".yaml") || strings.HasSuffix(arg, ".yml")
}

// readAll reads a scenario and no more than the parser takes.
func readAll(r io.Reader) ([]byte, error) {
	const most = 5 << 20
	return io.ReadAll(io.LimitReader(r, most))
}

// completeNames completes the names of shipped scenarios.
func completeNames(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return data.Names(), cobra.ShellCompDirectiveNoFileComp
}

// completeScenario completes the names of shipped scenarios, and files.
func completeScenario(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	names, directive := completeNames(cmd, args, word)
	if names != nil {
		directive = cobra.ShellCompDirectiveDefault
	}
	return names, directive
}
