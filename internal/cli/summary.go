package cli

import (
	"fmt"
	"io"

	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/trajectory"
)

func summarize(w io.Writer, sc *model.Scenario, res *trajectory.Result) error {
	_, err := fmt.Fprintln(w, trajectory.Outages(res.Detail.Rows))
	return err
}
