package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // --zone works where no zones are installed

	"github.com/spf13/cobra"

	"github.com/metastable/metastable/telemetry"
)

type telemetryFlags struct {
	format, out, zone string
	quiet, blankZero  bool
	every             seconds
	rates             []string

	query, until string
	last, step   seconds
}

func newTelemetry() *cobra.Command {
	f := &telemetryFlags{last: 3600, step: 15}
	cmd := &cobra.Command{
		Use:   "telemetry FILE",
		Short: "Read exported metrics and show what was understood",
		Long: `Reads what monitoring exports, and shows what was understood: the series, their units,
span and step, gaps, and every cell that was missing, repaired or refused, with its first
lines. FILE is CSV of any common dialect (Grafana, spreadsheets, scripts; wide or long),
JSON of Prometheus, CloudWatch, Datadog or Graphite, Graphite's raw format, - for standard
input, or the address of a Prometheus server to ask with --query.

Values become SI units (s, 1/s, B, B/s; 1 for a share); a unit in a header (latency_ms,
"latency (ms)") or in a cell (950 ms, 45%, 1.2 K, 2.3 MiB) counts. Zeros stay zeros and gaps
stay gaps. -o writes tidy CSV, one sample a row: t_s (since 1970-01-01 UTC, or since the
start of the recording), series, unit, value.

--every takes means over bins of that length; bins without a sample stay empty. --rate NAME
makes the counters called NAME, one for each node, into the rate of their sum: a counter
that falls was reset, a series that begins later began at 0, growth over a gap is left out.`,
		Example: `  printf 'time,hit_rate,latency_ms\n2022-02-22T06:00:00Z,99%%,20\n2022-02-22T06:01:00Z,41%%,950\n' | metastable telemetry -
  printf 't_s,reads_total\n0,10\n15,40\n30,70\n' | metastable telemetry - --rate reads_total --every 15s -o reads.csv`,
		Args: oneArg("FILE (a file, -, or the address of a Prometheus server)"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.format, "format", "table", "how to write the summary: csv, json, table or parquet")
	flags.StringVarP(&f.out, "output", "o", "", "write the samples as tidy CSV to this `FILE.csv or DIR`")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "no progress and no remarks on standard error but warnings")
	flags.StringVar(&f.zone, "zone", "", "the `zone` of times that name none, such as America/New_York (default UTC)")
	flags.BoolVar(&f.blankZero, "blank-zero", false, "an empty cell is 0, as exporters of Datadog write it (default: missing)")
	flags.Var(&f.every, "every", "means over bins of this length")
	flags.StringArrayVar(&f.rates, "rate", nil, "make the counters of this `name` a rate; needs --every; may be repeated")
	flags.StringVar(&f.query, "query", "", "what to ask a server, in `PromQL`")
	flags.Var(&f.last, "last", "how long a time to ask a server for")
	flags.StringVar(&f.until, "until", "", "the end of that `time`, as 2022-02-22T18:00:00Z or seconds since 1970 (default now)")
	flags.Var(&f.step, "step", "the step to ask a server for")
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"csv", "json", "table", "parquet"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (f *telemetryFlags) run(cmd *cobra.Command, arg string) error {
	form, path, err := f.output(arg)
	if err != nil {
		return err
	}
	src, err := f.source(cmd, arg)
	if err != nil {
		return err
	}
	d, did, err := src(cmd.Context())
	if err != nil {
		return fmt.Errorf("%s: %w", arg, err)
	}
	for _, line := range condensed(d.Warnings) {
		fmt.Fprintln(cmd.ErrOrStderr(), "warning:", line)
	}
	if len(d.Series) == 0 {
		return fmt.Errorf("%s: no series in it", arg)
	}
	if path != "" {
		if err := writeFile(path, func(w io.Writer) error { return telemetry.WriteCSV(w, d.Series) }); err != nil {
			return err
		}
	}
	if !f.quiet {
		for _, line := range did {
			fmt.Fprintln(cmd.ErrOrStderr(), line)
		}
		if path != "" {
			fmt.Fprintln(cmd.ErrOrStderr(), "wrote", path)
		}
	}
	return form.write(understood(arg, d, form.name == "table"), cmd.OutOrStdout())
}

// output makes sense of the flags that say where results go.
func (f *telemetryFlags) output(arg string) (form format, path string, err error) {
	for _, c := range formats {
		if c.name == f.format {
			form = c
		}
	}
	switch {
	case form.name == "":
		return form, "", usage("--format %s: want csv, json, table or parquet", f.format)
	case len(f.rates) > 0 && f.every == 0:
		return form, "", usage("--rate needs --every, the time to take the rate over")
	case f.out == "":
		return form, "", nil
	case isDir(f.out):
		if err := os.MkdirAll(f.out, 0o755); err != nil {
			return form, "", fmt.Errorf("cannot write to %s: %w", f.out, err)
		}
		name := filepath.Base(arg)
		if name = strings.TrimSuffix(name, filepath.Ext(name)); name == "-" || f.query != "" {
			name = "telemetry"
		}
		path = filepath.Join(f.out, name+".tidy.csv")
	case filepath.Ext(f.out) == ".csv":
		path = f.out
	default:
		return form, "", usage("-o %s: want a file in .csv or a directory", f.out)
	}
	return form, path, writable(path)
}

// A reading returns the data and, for people, what was done to them.
type reading func(ctx context.Context) (*telemetry.Data, []string, error)

// source finds out what to read.
func (f *telemetryFlags) source(cmd *cobra.Command, arg string) (reading, error) {
	live := strings.HasPrefix(arg, "http://") || strings.HasPrefix(arg, "https://")
	if live != (f.query != "") {
		return nil, usage("--query and the address of a server go together")
	}
	if live {
		r, err := f.span(time.Now())
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context) (*telemetry.Data, []string, error) {
			d, err := (&telemetry.Prometheus{URL: arg}).QueryRange(ctx, f.query, r)
			if err != nil {
				return nil, nil, err
			}
			return f.reduce(d)
		}, nil
	}
	set := &telemetry.Settings{BlankZero: f.blankZero}
	if f.zone != "" {
		zone, err := time.LoadLocation(f.zone)
		if err != nil {
			return nil, usage("--zone %s: want a name such as Europe/Berlin or America/New_York", f.zone)
		}
		set.Zone = zone
	}
	return func(ctx context.Context) (*telemetry.Data, []string, error) {
		file := cmd.InOrStdin()
		size := 0.0
		if arg != "-" {
			opened, err := os.Open(arg)
			if err != nil {
				return nil, nil, errors.Unwrap(err)
			}
			defer opened.Close()
			if info, err := opened.Stat(); err == nil {
				size = float64(info.Size())
			}
			file = opened
		}
		src := &watched{ctx: ctx, src: file}
		if size > 0 && !f.quiet {
			src.bar = newProgress(cmd.ErrOrStderr(), size)
			defer src.bar.stop()
		}
		if f.every > 0 && len(f.rates) == 0 {
			return f.stream(src, set)
		}
		d, err := telemetry.Read(src, set)
		if err != nil {
			return nil, nil, err
		}
		return f.reduce(d)
	}, nil
}

// span is the time to ask a server for.
func (f *telemetryFlags) span(now time.Time) (telemetry.Range, error) {
	to := float64(now.Unix())
	if f.until != "" {
		at, err := time.Parse(time.RFC3339, f.until)
		s, notNumber := strconv.ParseFloat(f.until, 64)
		switch {
		case err == nil:
			to = float64(at.Unix())
		case notNumber == nil:
			to = s
		default:
			return telemetry.Range{}, usage("--until %s: want a time such as 2022-02-22T18:00:00Z, or seconds since 1970", f.until)
		}
	}
	return telemetry.Range{From: to - float64(f.last), To: to, Step: float64(f.step)}, nil
}

// A watched reader ends with the context and moves the bar.
type watched struct {
	ctx  context.Context
	src  io.Reader
	bar  *progress // or nil
	done float64
}

// Read implements io.Reader.
func (w *watched) Read(p []byte) (int, error) {
	if w.ctx.Err() != nil {
		return 0, errors.New("interrupted")
	}
	n, err := w.src.Read(p)
	w.done += float64(n)
	if w.bar != nil {
		w.bar.reach(w.done)
	}
	return n, err
}
