package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// outputFlags say where results go and how they are written.
type outputFlags struct {
	format string
	out    string
	quiet  bool
}

func (f *outputFlags) add(cmd *cobra.Command) {
	var names []string
	for _, form := range formats {
		names = append(names, form.name)
	}
	cmd.Flags().StringVar(&f.format, "format", "", "how to write the result: "+strings.Join(names, ", ")+" (default: by the suffix of -o, else csv)")
	cmd.Flags().StringVarP(&f.out, "output", "o", "", "write to this `FILE (.csv, .json, .txt, .parquet) or DIR` in place of standard output")
	cmd.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "no summary and no progress on standard error")
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
}

// A sink is where the result goes: a file, a directory, or standard output.
type sink struct {
	format int    // index in formats
	file   string // path of one file
	dir    string // path of a directory for several
	stdout io.Writer
}

// sink makes sense of the flags.
func (f *outputFlags) sink(stdout io.Writer) (*sink, error) {
	s := &sink{format: -1, stdout: stdout}
	if f.format != "" {
		s.format = slices.IndexFunc(formats, func(form format) bool { return form.name == f.format })
	}
	if f.format != "" && s.format < 0 {
		return nil, usage("--format %s: want csv, json, table or parquet", f.format)
	}
	switch {
	case f.out == "" || f.out == "-":
	case isDir(f.out):
		s.dir = f.out
	default:
		s.file = f.out
		bySuffix := slices.IndexFunc(formats, func(form format) bool { return form.suffix == filepath.Ext(f.out) })
		if bySuffix < 0 {
			return nil, usage("-o %s: want a file in .csv, .json, .txt or .parquet, or a directory", f.out)
		}
		if s.format >= 0 && s.format != bySuffix {
			return nil, usage("-o %s is not the suffix of --format %s", f.out, f.format)
		}
		s.format = bySuffix
	}
	s.format = max(s.format, 0)
	return s, nil
}

// isDir reports whether a path means a directory: it is one, ends like one, or has
// no suffix.
func isDir(path string) bool {
	if info, err := os.Stat(path); err == nil {
		return info.IsDir()
	}
	return os.IsPathSeparator(path[len(path)-1]) || filepath.Ext(path) == ""
}

// prepare makes the directory, and fails where nothing can be written.
func (s *sink) prepare() error {
	if s.file != "" {
		return writable(s.file)
	}
	if s.dir == "" {
		return nil
	}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return fmt.Errorf("cannot write to %s: %w", s.dir, err)
	}
	return writable(filepath.Join(s.dir, "result"))
}

// write writes the table where the flags want it, under the name if that is a
// directory. A table that is not whole gets a name that ends in .partial. It returns
// the path, empty for standard output.
func (s *sink) write(t *table, name string, whole bool) (path string, err error) {
	form := formats[s.format]
	render := func(w io.Writer) error { return form.write(t, w) }
	switch {
	case s.file != "":
		path = s.file
	case s.dir != "":
		path = filepath.Join(s.dir, name+form.suffix)
	default:
		buf := bufio.NewWriter(s.stdout)
		if err := render(buf); err != nil {
			return "", err
		}
		return "", buf.Flush()
	}
	if !whole {
		path += ".partial"
	}
	return path, writeFile(path, render)
}
