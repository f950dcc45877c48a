package cli

import (
	"github.com/spf13/cobra"

	"github.com/metastable/metastable/model"
)

func newSchema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of scenario files",
		Long: `Prints the JSON Schema (2020-12) of scenario files. Editors that know it complete
keys, explain them and mark mistakes while a scenario is written.`,
		Example: "  metastable schema > scenario.schema.json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			schema, err := model.Schema()
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(append(schema, '\n'))
			return err
		},
	}
}
