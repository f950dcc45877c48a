package cli

import (
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func newDocs() *cobra.Command {
	docs := &cobra.Command{
		Use:    "docs",
		Short:  "Write the manual as man pages or Markdown",
		Hidden: true, // for those who package the program
		Args:   noArgs,
		RunE:   showHelp,
	}
	docs.AddCommand(
		docsCommand("man", "Write one man page per command", func(root *cobra.Command, dir string) error {
			epoch := time.Unix(0, 0).UTC() // the same pages whenever they are made
			return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Date: &epoch, Source: "metastable", Manual: "metastable"}, dir)
		}),
		docsCommand("markdown", "Write one Markdown page per command", writeManual),
	)
	return docs
}

func docsCommand(name, short string, write func(root *cobra.Command, dir string) error) *cobra.Command {
	return &cobra.Command{
		Use:     name + " DIR",
		Short:   short,
		Example: "  metastable docs " + name + " manual",
		Args:    oneArg("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			cmd.Root().DisableAutoGenTag = true
			return write(cmd.Root(), args[0])
		},
	}
}
