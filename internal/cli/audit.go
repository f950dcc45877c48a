package cli

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/metastable/metastable/audit"
	"github.com/metastable/metastable/data"
	page "github.com/metastable/metastable/internal/report"
)

type auditFlags struct {
	outputFlags
	pools   string
	columns []string
}

func newAudit() *cobra.Command {
	queries, pools := audit.Columns()
	f := &auditFlags{}
	cmd := &cobra.Command{
		Use:   "audit QUERIES.csv --pools POOLS.csv",
		Short: "Find the cached queries that hide a load the database cannot carry",
		Long: `Reads an inventory of cached queries and ranks them by what they hide: the load that
their database pool would have to carry if the cache lost content.

QUERIES.csv has the columns ` + strings.Join(queries, ", ") + `;
the first three have to be there, the others are main, 1, keyed, all, 1, 0 and never where
they are missing. POOLS.csv has ` + strings.Join(pools, ", ") + `,
the last two 1 and 0 where missing.
Values may carry units as in scenario files (1.2k/s, 97%). A shipped inventory is named
without --pools: slack. - in place of one of the files is standard input.

The columns of the result, one row per query: load and load_cold (what the query brings
to its pool over the capacity, now and with an empty cache), pool_load_1, pool_load_5
and pool_load_25 (the whole pool's when this query alone loses that many per cent of its hit
rate), bears (share of its hit rate that it may lose before the pool saturates; 1: all of
it) and saturates_hit_rate (what is left then), elasticity (of its load to its misses),
load_bearing (1 where it cannot be lost), and bears with each remedy. The queries that
bear least come first. -o DIR writes QUERIES.audit.csv and the same of the pools.

Requests are taken to miss as if the keys of a request were alike and independent.`,
		Example: `  metastable audit slack
  metastable audit slack -o audit`,
		Args: oneArg("QUERIES.csv (or a shipped inventory: slack)"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	f.outputFlags.add(cmd)
	cmd.Flags().StringVar(&f.pools, "pools", "", "the `FILE` with the database pools")
	cmd.Flags().StringArrayVar(&f.columns, "map", nil, "a column of the files under another name, as `THEIRS=OURS`: --map qps=rate_per_s; may be repeated")
	return cmd
}

func (f *auditFlags) run(cmd *cobra.Command, arg string) error {
	out, err := f.sink(cmd.OutOrStdout())
	if err != nil {
		return err
	}
	queries, pools, err := f.read(cmd.InOrStdin(), cmd.ErrOrStderr(), arg)
	if err != nil {
		return err
	}
	if err := out.prepare(); err != nil {
		return err
	}
	r, err := audit.Run(queries, pools)
	if err != nil {
		return err
	}
	name := strings.TrimSuffix(arg[strings.LastIndexAny(arg, `/\`)+1:], ".csv")
	if arg == "-" {
		name = "queries"
	}
	t := auditTable(r)
	if out.format == textFormat {
		for i, q := range r.Queries {
			t.notes = append(t.notes, fmt.Sprintf("%d. %s", i+1, q.Sentence))
		}
	}
	path, err := out.write(t, name+".audit", true)
	if err != nil {
		return err
	}
	written := []string{path}
	if out.dir != "" {
		path, err := out.write(poolTable(r), name+".pools.audit", true)
		if err != nil {
			return err
		}
		written = append(written, path)
	}
	if f.quiet {
		return nil
	}
	w := cmd.ErrOrStderr()
	for _, p := range r.Pools {
		text := "carries its load with empty caches"
		if p.LoadBearing {
			text = fmt.Sprintf("its cache is load-bearing: %s of the capacity with empty caches; it saturates when all hit rates fall by %s",
				percent(p.Cold, 1), percent(p.Bears, 1))
		}
		fmt.Fprintf(w, "pool %s, load %s: %s\n", p.Name, percent(p.Now, 1), text)
	}
	if out.format != textFormat {
		for i, q := range r.Queries {
			if q.LoadBearing || i == 0 {
				fmt.Fprintf(w, "%d. %s\n", i+1, q.Sentence)
			}
		}
	}
	wrote(w, written)
	return nil
}

// inventory audits the inventory of a review, if there is one, before anything else is computed: a mistake in it
// is none of the scenario's.
func (r *reviewer) inventory() error {
	if r.queries == "" {
		return nil
	}
	var warned strings.Builder
	queries, pools, err := (&auditFlags{pools: r.pools}).read(strings.NewReader(""), &warned, r.queries)
	for w := range strings.Lines(warned.String()) {
		r.ignored = append(r.ignored, strings.TrimSpace(strings.TrimPrefix(w, "warning: ")))
	}
	if err != nil {
		return err
	}
	r.audited, err = audit.Run(queries, pools)
	return err
}

// audit is the part of a review about its inventory, empty without one.
func (r *reviewer) audit(p *part) error {
	found := r.audited
	if found == nil {
		return nil
	}
	p.Warnings = append(p.Warnings, r.ignored...)
	t := auditTable(found)
	if err := r.save(t, "audit"); err != nil {
		return err
	}
	for _, q := range found.Queries {
		p.Facts = append(p.Facts, page.Fact{Name: q.Name, Value: q.Sentence})
	}
	p.Points = append(p.Points, found.Queries[0].Sentence)
	p.Tables = append(p.Tables, r.shown(t, "The queries of the inventory, those that bear least first."))
	return nil
}

// read reads the files, one of which may be standard input (-), or a shipped inventory.
func (f *auditFlags) read(stdin io.Reader, stderr io.Writer, arg string) ([]audit.Query, []audit.Pool, error) {
	columns := [2]map[string]string{{}, {}} // for the queries, and for the pools
	_, poolColumns := audit.Columns()
	for _, m := range f.columns {
		theirs, ours, ok := strings.Cut(m, "=")
		if !ok {
			return nil, nil, usage("--map %s: want THEIRS=OURS, such as qps=rate_per_s", m)
		}
		i := 0
		if slices.Contains(poolColumns, ours) && ours != "pool" {
			i = 1
		}
		columns[i][theirs] = ours
	}
	queryText, poolText, shipped := data.Inventory(arg)
	queryName, poolName := arg+".queries.csv", arg+".pools.csv"
	if isPath(arg) || strings.HasSuffix(arg, ".csv") {
		shipped = false
	}
	if shipped && f.pools != "" {
		return nil, nil, usage("--pools %s: the shipped inventory %s has pools of its own", f.pools, arg)
	}
	if !shipped {
		if f.pools == "" {
			if near := data.NearestInventory(arg); near != "" && !isPath(arg) && !strings.HasSuffix(arg, ".csv") {
				return nil, nil, usage("no shipped inventory is called %q; did you mean %s?", arg, near)
			}
			return nil, nil, usage("%s: give the database pools: --pools POOLS.csv", arg)
		}
		if arg == "-" && f.pools == "-" {
			return nil, nil, usage("only one of the queries and --pools can be standard input")
		}
		queryName, poolName = arg, f.pools
		for _, file := range []struct {
			path string
			text *[]byte
		}{{arg, &queryText}, {f.pools, &poolText}} {
			var err error
			if *file.text, err = readFile(stdin, file.path); err != nil {
				return nil, nil, err
			}
		}
	}
	queries, others, err := audit.ReadQueries(queryName, bytes.NewReader(queryText), columns[0])
	if err != nil {
		return nil, nil, err
	}
	notCounted(stderr, queryName, others)
	pools, others, err := audit.ReadPools(poolName, bytes.NewReader(poolText), columns[1])
	notCounted(stderr, poolName, others)
	return queries, pools, err
}

// notCounted warns of columns that are none of an inventory.
func notCounted(w io.Writer, name string, columns []string) {
	if len(columns) > 0 {
		fmt.Fprintf(w, "warning: %s: no use for the columns %s; audit --map THEIRS=OURS says what one is\n", name, audit.Quoted(columns))
	}
}

// readFile reads a file of an inventory, or standard input (-), and no more than 64 MiB.
func readFile(stdin io.Reader, path string) ([]byte, error) {
	file := stdin
	if path != "-" {
		opened, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer opened.Close()
		file = opened
	}
	const most = 64 << 20
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && len(text) > most {
		err = fmt.Errorf("%s: more than %d MiB", path, most>>20)
	}
	return text, err
}

func auditTable(r *audit.Report) *table {
	t := &table{
		meta:    []fact{{"version", "metastable " + version()}},
		label:   "query",
		columns: []string{"load", "load_cold"},
	}
	for _, x := range audit.Losses {
		t.columns = append(t.columns, fmt.Sprintf("pool_load_%g", 100*x))
	}
	t.columns = append(t.columns, "bears", "saturates_hit_rate", "elasticity", "load_bearing")
	remedies := []string{}
	for _, q := range r.Queries {
		for _, m := range q.Remedies {
			if !slices.Contains(remedies, m.Name) {
				remedies = append(remedies, m.Name)
			}
		}
	}
	slices.Sort(remedies)
	for _, name := range remedies {
		t.columns = append(t.columns, "bears."+strings.ReplaceAll(name, " ", "_"))
	}
	for _, q := range r.Queries {
		row := append([]float64{q.Now, q.Cold}, q.Loads...)
		row = append(row, q.Bears, q.Saturates, q.Elasticity, one(q.LoadBearing))
		for _, name := range remedies {
			v := math.NaN()
			for _, m := range q.Remedies {
				if m.Name == name {
					v = m.Bears
				}
			}
			row = append(row, v)
		}
		t.labels = append(t.labels, q.Name)
		t.rows = append(t.rows, row)
	}
	return t
}

func poolTable(r *audit.Report) *table {
	t := &table{
		meta:    []fact{{"version", "metastable " + version()}},
		label:   "pool",
		columns: []string{"load", "load_cold"},
	}
	for _, x := range audit.Losses {
		t.columns = append(t.columns, fmt.Sprintf("load_%g", 100*x))
	}
	t.columns = append(t.columns, "bears", "load_bearing")
	for _, p := range r.Pools {
		t.labels = append(t.labels, p.Name)
		t.rows = append(t.rows, append(append([]float64{p.Now, p.Cold}, p.Loads...), p.Bears, one(p.LoadBearing)))
	}
	return t
}
