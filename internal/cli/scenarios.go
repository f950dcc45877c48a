package cli

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/metastable/metastable/data"
	"github.com/metastable/metastable/model"
)

func newScenarios() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "scenarios",
		Short: "List the shipped scenarios",
		Long: `Lists the scenarios that ship with metastable: outages that happened and
experiments that were published.`,
		Example: `  metastable scenarios
  metastable scenarios show cold-start > mine.yaml`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return listScenarios(cmd.OutOrStdout()) },
	}
	cmd.AddCommand(
		printCommand("show", "Print the file of a shipped scenario", data.Scenario),
		printCommand("facts", "Print what is known behind a shipped scenario, with the sources", data.Incident),
	)
	return cmd
}

func listScenarios(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, name := range data.Names() {
		text, err := data.Scenario(name)
		if err != nil {
			return err
		}
		sc, err := model.Parse(name+".yaml", text, nil)
		if err != nil {
			return err
		}
		fmt.Fprintf(table, "%s\t%s\n", name, sc.Title)
	}
	return table.Flush()
}

func printCommand(name, short string, text func(string) ([]byte, error)) *cobra.Command {
	return &cobra.Command{
		Use:               name + " NAME",
		Short:             short,
		Example:           "  metastable scenarios " + name + " slack-2022-02-22",
		Args:              oneArg("NAME"),
		ValidArgsFunction: completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := text(args[0])
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(b)
			return err
		},
	}
}
