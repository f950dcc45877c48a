package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// writeManual writes one Markdown page per command into a directory, and README.md, which
// lists them.
func writeManual(root *cobra.Command, dir string) error {
	index := "# Commands\n\n" + pageText(root.Long) + "\n\n| command | what it does |\n|---|---|\n"
	for _, c := range root.Commands() {
		if !c.IsAvailableCommand() || c.Name() == "completion" || c.Name() == "help" {
			continue
		}
		name := c.Name() + ".md"
		index += fmt.Sprintf("| [%s](%s) | %s |\n", c.Name(), name, c.Short)
		page := "<!-- Generated from the help by `metastable docs markdown docs/commands`. -->\n\n" + manualPage(c, "#")
		if err := writeText(filepath.Join(dir, name), page); err != nil {
			return err
		}
	}
	return writeText(filepath.Join(dir, "README.md"), index)
}

func writeText(path, text string) error {
	return writeFile(path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// manualPage is the help of a command and of those below it, with headings from a level on.
func manualPage(c *cobra.Command, level string) string {
	var b strings.Builder
	long := c.Long
	if long == "" {
		long = c.Short + "."
	}
	fmt.Fprintf(&b, "%s %s\n\n%s\n\n```\n%s\n```\n", level, c.CommandPath(), pageText(long), c.UseLine())
	if c.HasExample() {
		fmt.Fprintf(&b, "\n%s# Examples\n\n```\n%s\n```\n", level, strings.ReplaceAll(strings.TrimSpace(c.Example), "\n  ", "\n"))
	}
	flags := ""
	c.LocalFlags().VisitAll(func(f *pflag.Flag) { flags += flagRow(f) })
	if flags != "" {
		fmt.Fprintf(&b, "\n%s# Flags\n\n| flag | what it does |\n|---|---|\n%s", level, flags)
	}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			b.WriteString("\n" + manualPage(sub, level+"#"))
		}
	}
	return b.String()
}

// flagRow is a row of the table of flags; none for the flag of the help itself.
func flagRow(f *pflag.Flag) string {
	if f.Hidden || f.Name == "help" {
		return ""
	}
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	value, usage := pflag.UnquoteUsage(f)
	if value != "" {
		name += " " + value
	}
	switch f.DefValue {
	case "", "0", "0s", "false", "[]":
	default:
		if !strings.Contains(usage, "(default") {
			usage += " (default " + f.DefValue + ")"
		}
	}
	return fmt.Sprintf("| `%s` | %s |\n", name, strings.ReplaceAll(usage, "|", `\|`))
}

// pageText makes lists of a help text, which are indented, blocks that keep their lines.
func pageText(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, "  ") {
			lines[i] = "  " + l
		}
	}
	return strings.Join(lines, "\n")
}
