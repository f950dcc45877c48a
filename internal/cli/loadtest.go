package cli

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/metastable/metastable/calibrate"
	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/plots"
	"github.com/metastable/metastable/telemetry"
)

// loadTestColumns are what a column of a load test may be, with the unit of its cells.
var loadTestColumns = []struct{ name, unit string }{
	{"load", "1/s"},
	{"clients", "count"},
	{"throughput", "1/s"},
	{"latency", "s"},
	{"timeout_share", "share"},
	{"refused_share", "share"},
	{"goodput", "1/s"},
}

// measure fits a pool, or a curve, to a load test.
func (f *calibrateFlags) measure(cmd *cobra.Command, out *sink, sc *model.Scenario) error {
	pool, err := f.tested(sc)
	if err != nil {
		return err
	}
	got, noise, err := f.readLoadTest()
	if err != nil {
		return err
	}
	if err := out.prepare(); err != nil {
		return err
	}
	f.data = []string{f.loadTest}
	if got["clients"] != nil {
		return f.scalability(cmd, out, sc, pool, got, noise)
	}
	test := &calibrate.LoadTest{Load: got["load"], Latency: got["latency"], Timeout: got["timeout_share"], Refused: got["refused_share"], Goodput: got["goodput"]}
	if len(f.free) == 0 {
		return f.asMeasured(cmd, sc, pool, test)
	}
	params, err := f.params(sc)
	if err != nil {
		return err
	}
	if err := f.priors(sc, params); err != nil {
		return err
	}
	prefix := "pools." + pool.Name + "."
	bare := slices.Clone(params)
	for i := range bare {
		if bare[i].Name = strings.TrimPrefix(params[i].Name, prefix); bare[i].Name == params[i].Name {
			return usage("--free %s: a load test tells of its pool alone: want a path that begins with %s", params[i].Name, prefix)
		}
	}
	problem, err := test.Pool(pool.Value, bare)
	if err != nil {
		return usageError{err}
	}
	problem.Params = params
	for i, c := range problem.Channels {
		if n, ok := noise[c.Name]; ok {
			if n.Kind == c.Noise.Kind {
				n.Floor = c.Noise.Floor
			}
			problem.Channels[i].Noise = n
		}
	}
	r, err := f.fit(cmd, problem, startOf(sc, params))
	if err != nil {
		return fmt.Errorf("%s: %w", sc.Name, err)
	}
	r.x, r.per = plots.Axis{Label: "load (1/s per shard)", Column: "load_per_s"}, 1
	if r.fitted, err = r.fit.Fitted(sc, r.profiles); err != nil {
		return err
	}
	return f.write(cmd, out, sc, r)
}

// tested returns the pool that was put to the test.
func (f *calibrateFlags) tested(sc *model.Scenario) (*model.Named[model.Pool], error) {
	var names []string
	for i := range sc.Pools {
		if names = append(names, sc.Pools[i].Name); sc.Pools[i].Name == f.pool || f.pool == "" && len(sc.Pools) == 1 {
			return &sc.Pools[i], nil
		}
	}
	if f.pool == "" {
		return nil, usage("--pool is missing: want the pool that was tested: %s", strings.Join(names, ", "))
	}
	return nil, usage("--pool %q: want the pool that was tested: %s%s", f.pool, strings.Join(names, ", "), didYouMean(nearest(f.pool, names), ""))
}

// scalability fits the universal scalability law, and gives its curve to the pool.
func (f *calibrateFlags) scalability(cmd *cobra.Command, out *sink, sc *model.Scenario, pool *model.Named[model.Pool], got map[string][]float64, noise map[string]calibrate.Noise) error {
	if got["throughput"] == nil || len(f.free) > 0 {
		return usage("--map ...=clients fits a scalability law to throughput=throughput, without --free")
	}
	law, ok := noise["throughput"]
	if !ok {
		law.Kind = calibrate.Relative
	}
	problem, err := calibrate.USLProblem(got["clients"], got["throughput"], law)
	if err != nil {
		return err
	}
	r, err := f.fit(cmd, problem, nil)
	if err != nil {
		return fmt.Errorf("%s: %w", sc.Name, err)
	}
	u := calibrate.USL{Lambda: r.fit.Values[0], Sigma: r.fit.Values[1], Kappa: r.fit.Values[2]}
	r.x, r.per, r.law = plots.Axis{Label: "clients", Column: "clients"}, 1, u.Throughput
	const beyond = 2 // times the clients that were tried
	most := beyond * slices.Max(got["clients"])
	r.fitted = sc.Clone()
	p := poolNamed(r.fitted, pool.Name)
	p.ServiceCurve, p.Capacity, p.QueueLimit = u.ServiceCurve(most, p.Timeout), u.Throughput(min(most, u.Peak())), math.Inf(1)
	r.said = append(r.said, fmt.Sprintf("most is served to %s clients: %s/s", human(u.Peak(), 3), human(u.Throughput(u.Peak()), 4)))
	if u.Peak() > most {
		r.said[0] = fmt.Sprintf("more clients are served more, up to %d times those tried and beyond", beyond)
	}
	return f.write(cmd, out, sc, r)
}

// asMeasured gives the measured points to the pool as they are.
func (f *calibrateFlags) asMeasured(cmd *cobra.Command, sc *model.Scenario, pool *model.Named[model.Pool], test *calibrate.LoadTest) error {
	out, err := f.sink(cmd.OutOrStdout())
	if err != nil {
		return err
	}
	if out.dir == "" {
		return usage("without --free the points are the curve of the pool as they are: want -o DIR to write it to")
	}
	curve, err := test.Curve()
	if err != nil {
		return err
	}
	fitted := sc.Clone()
	p := poolNamed(fitted, pool.Name)
	p.ServiceCurve, p.QueueLimit = curve, math.Inf(1)
	written, err := f.writeFitted(out, fitted)
	if err != nil {
		return err
	}
	if !f.quiet {
		wrote(cmd.ErrOrStderr(), written)
	}
	return nil
}

func poolNamed(sc *model.Scenario, name string) *model.Pool {
	i := slices.IndexFunc(sc.Pools, func(p model.Named[model.Pool]) bool { return p.Name == name })
	return &sc.Pools[i].Value
}

// readLoadTest reads the columns that --map names, in order of the load or the clients, with
// the noise where it is given.
func (f *calibrateFlags) readLoadTest() (map[string][]float64, map[string]calibrate.Noise, error) {
	file, err := os.Open(f.loadTest)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", f.loadTest, errors.Unwrap(err))
	}
	defer file.Close()
	r := csv.NewReader(io.LimitReader(file, 16<<20))
	r.Comment, r.TrimLeadingSpace = '#', true
	rows, err := r.ReadAll()
	if err != nil || len(rows) < 2 {
		return nil, nil, fmt.Errorf("%s: want a header and a line for each load (%w)", f.loadTest, cmp.Or(err, io.ErrUnexpectedEOF))
	}
	maps, err := f.mappings()
	if err != nil {
		return nil, nil, err
	}
	got, noise := map[string][]float64{}, map[string]calibrate.Noise{}
	for _, m := range maps {
		i := slices.IndexFunc(loadTestColumns, func(c struct{ name, unit string }) bool { return c.name == m.quantity })
		if i < 0 {
			var names []string
			for _, c := range loadTestColumns {
				names = append(names, c.name)
			}
			return nil, nil, usage("--map %s: of a load test a column is one of %s%s", m.text, strings.Join(names, ", "), didYouMean(nearest(m.quantity, names), ""))
		}
		values, err := cells(f.loadTest, rows, m.column, loadTestColumns[i].unit)
		if err != nil {
			return nil, nil, err
		}
		got[m.quantity] = values
		if m.given {
			noise[m.quantity] = m.noise
		}
	}
	by := got["load"]
	if by == nil {
		by = got["clients"]
	}
	if by == nil || got["load"] != nil && got["clients"] != nil {
		return nil, nil, usage("--map: want a column that is load, or one that is clients")
	}
	return sorted(got, by), noise, nil
}

// cells reads a column; COLUMN/NUMBER and COLUMN*NUMBER change its unit. Without them the unit
// in a header, such as latency_ms, is that of cells that name none.
func cells(path string, rows [][]string, name, unit string) ([]float64, error) {
	by, bare := 1.0, 1.0
	k := slices.Index(rows[0], name)
	if at := strings.LastIndexAny(name, "/*"); k < 0 && at > 0 {
		n, err := strconv.ParseFloat(name[at+1:], 64)
		if k = slices.Index(rows[0], name[:at]); err != nil || n == 0 {
			k = -1
		}
		if by = n; name[at] == '/' {
			by = 1 / n
		}
	}
	if k < 0 {
		return nil, fmt.Errorf("%s:1: no column is called %s; the columns are %s", path, name, strings.Join(rows[0], ", "))
	}
	if si, factor, ok := telemetry.UnitOf(name); ok && rows[0][k] == name && (si == unit || si == "1" && unit == "share") {
		bare = factor
	}
	var out []float64
	for i, row := range rows[1:] {
		v, err := model.Quantity(strings.TrimSpace(row[k]), unit)
		if err == nil && (v < 0 || math.IsInf(v, 0)) {
			err = fmt.Errorf("%s: want 0 or more", row[k])
		}
		if err != nil {
			return nil, fmt.Errorf("%s, row %d, column %s: %w", path, i+2, rows[0][k], err)
		}
		if _, err := strconv.ParseFloat(strings.TrimSpace(row[k]), 64); err == nil {
			v *= bare
		}
		out = append(out, v*by)
	}
	return out, nil
}

// sorted brings the rows of columns into the order of one of them.
func sorted(columns map[string][]float64, by []float64) map[string][]float64 {
	order := make([]int, len(by))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(by[a], by[b]) })
	out := map[string][]float64{}
	for name, v := range columns {
		for _, i := range order {
			out[name] = append(out[name], v[i])
		}
	}
	return out
}
