package telemetry

import (
	"encoding/csv"
	"io"
	"strconv"
)

// tidyColumns are the header of a tidy CSV: one sample a row.
var tidyColumns = []string{"t_s", "series", "unit", "value"}

// WriteCSV writes the series as tidy CSV, one sample a row, with the header t_s, series,
// unit, value. Numbers have full precision; [Read] of it gives the same series.
func WriteCSV(w io.Writer, series []Series) error {
	out := csv.NewWriter(w)
	out.Write(tidyColumns) // errors stay with out until Flush
	exact := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for i := range series {
		s := &series[i]
		for k, t := range s.T {
			out.Write([]string{strconv.FormatFloat(t, 'f', -1, 64), s.Name, s.Unit, exact(s.V[k])})
		}
	}
	out.Flush()
	return out.Error()
}
