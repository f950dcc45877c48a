package cli

import (
	"github.com/spf13/cobra"

	"github.com/metastable/metastable/model"
)

// scenarioFlags are those of a command that makes a result of one scenario.
type scenarioFlags struct {
	inputFlags
	outputFlags
}

func (f *scenarioFlags) add(cmd *cobra.Command) {
	f.inputFlags.add(cmd)
	f.outputFlags.add(cmd)
}

// open returns where the result goes, and the scenario that the argument names.
func (f *scenarioFlags) open(cmd *cobra.Command, arg string) (*sink, *model.Scenario, error) {
	out, err := f.sink(cmd.OutOrStdout())
	if err != nil {
		return nil, nil, err
	}
	sc, err := f.load(cmd, arg)
	return out, sc, err
}

// frozenFlags are those of a command that freezes a scenario at one moment.
type frozenFlags struct {
	scenarioFlags
	momentFlags
}

func (f *frozenFlags) add(cmd *cobra.Command) {
	f.scenarioFlags.add(cmd)
	f.momentFlags.add(cmd)
}

// open is scenarioFlags.open with the moment that the flags name.
func (f *frozenFlags) open(cmd *cobra.Command, arg string) (*sink, *model.Scenario, model.Moment, error) {
	out, sc, err := f.scenarioFlags.open(cmd, arg)
	if err != nil {
		return nil, nil, model.Moment{}, err
	}
	at, err := f.moment(sc)
	return out, sc, at, err
}
