package cli

import (
	"io"
	"path/filepath"

	"github.com/metastable/metastable/model"
)

// writeScenario writes the scenario so that it runs from where it lies: a profile
// read from a file is written out, and a service curve becomes a file beside it.
func writeScenario(path string, sc *model.Scenario) error {
	sc = sc.Clone()
	sc.Traffic.Profile.CSV = nil
	for _, p := range sc.Pools {
		c := p.Value.ServiceCurve
		if c == nil {
			continue
		}
		c.CSV = sc.Name + "." + p.Name + ".csv"
		err := writeFile(filepath.Join(filepath.Dir(path), c.CSV), func(w io.Writer) error {
			t := table{columns: []string{"load", "latency_mean", "timeout_probability"}}
			for i := range c.Load {
				t.rows = append(t.rows, []float64{c.Load[i], c.Latency[i], c.Timeout[i]})
			}
			return t.writeCSV(w)
		})
		if err != nil {
			return err
		}
	}
	return writeFile(path, func(w io.Writer) error {
		_, err := w.Write(sc.YAML())
		return err
	})
}
