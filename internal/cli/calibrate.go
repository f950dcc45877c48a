package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/metastable/metastable/calibrate"
	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/plots"
)

type calibrateFlags struct {
	scenarioFlags
	data, with, maps, free, prior []string
	loadTest, pool                string

	every, window   seconds
	begin, zone     string
	noise           string
	confidence      string
	starts, global  int
	sample          int
	independent     bool
	seed            uint64
	confidenceValue float64
}

func newCalibrate() *cobra.Command {
	f := &calibrateFlags{}
	var quantities strings.Builder
	for _, q := range calibrate.Quantities {
		fmt.Fprintf(&quantities, "\n  %-16s %s", q.Name, q.Meaning)
	}
	cmd := &cobra.Command{
		Use:   "calibrate SCENARIO --data FILE --map COLUMN=QUANTITY --free PATH=LO..HI",
		Short: "Fit parameters to measured data, and say what the data cannot tell",
		Long: `Finds the values of parameters with which the scenario shows what was measured, with
intervals, and says which of them the data tell and which they cannot tell apart. FILE is
whatever telemetry reads. Each row of the result is a parameter: its most likely value, the
interval (of the profile likelihood, at --confidence), whether it is open at either end (1:
the data do not say how far it goes), and the standard deviation by the curvature; empty where
a bound ends what the data leave open.

--map gives a column a meaning; COLUMN/OTHER divides it by another column or a number,
COLUMN*NUMBER multiplies it. The quantities, those of a class or a pool with its name after
a dot where there are several, and every column of simulate:
` + quantities.String() + `

--free PATH=LO..HI is searched on a logarithmic scale where LO is above 0, unless it ends in
:linear. PATH is any number that --set takes, or offset, what is added to the times of the
data. With several files give each a name (--data NAME=FILE): --with NAME:PATH=VALUE sets a
parameter for that run, --free NAME:PATH=LO..HI fits it for that run alone.

The first sample is the start of the scenario, or --begin is. --every takes means, which
the model is averaged over too. Errors that are left may be normal (gaussian), a share of
the value (relative), with outliers (student) or those of a count of trials (binomial, the
default for shares); how large they are is fitted, or known: hit=hit_rate:binomial,400 (trials),
qps=attempts:relative,5% or rt=latency:gaussian,0.02 (a standard deviation in the quantity's
unit). Where they are correlated in time the samples weigh less, and a warning says so.

--prior PATH=LAW says what is known of a parameter before, with a law as the uncertainty of a
scenario has it, such as '{lognormal: {median: 8000/s, cv: 10%}}'; --prior PATH alone takes
that of the scenario.

--load-test FILE is a CSV file with a line for each load at which a pool was kept until it had
settled. With a column that is load (point reads/s offered to a shard) and any of latency,
timeout_share, refused_share and goodput, --free pools.NAME... are fitted; without --free the
points become the service curve of the pool as they are. With clients and throughput the
universal scalability law is fitted (lambda, sigma, kappa), and its curve given to the pool.

-o DIR writes NAME.fit.csv, NAME.fitted.yaml (the scenario with the values found and their
intervals as uncertainty, for every other command), and figures: data against fit, residuals,
the searches in order (NAME.waterfall), profiles. --sample N draws from the posterior by N steps of an ensemble of walkers, and
adds bands, a figure of pairs with its draws, and NAME.posterior.json: what --posterior of
montecarlo, sweep, recover, phase, tipping and check takes.`,
		Example: `  metastable simulate hotos21-retry --every 5s -o run.csv && metastable calibrate hotos21-retry --set pools.database.capacity=320/s --data run.csv --map attempts_per_s=attempts --free pools.database.capacity=290/s..340/s --starts 2 -o out
  printf 'users,per_s\n1,65\n18,996\n36,1652\n72,1853\n144,1775\n' > load.csv && metastable calibrate hotos21-retry --load-test load.csv --map users=clients --map per_s=throughput -o out`,
		Args: oneArg(scenarioArg),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	f.scenarioFlags.add(cmd)
	fl := cmd.Flags()
	fl.StringArrayVar(&f.data, "data", nil, "what was measured, as `[NAME=]FILE`; may be repeated")
	fl.StringArrayVar(&f.with, "with", nil, "set a parameter for the run of one file, as `NAME:path=value`; may be repeated")
	fl.StringArrayVar(&f.maps, "map", nil, "what a column is, as `COLUMN=QUANTITY[:NOISE[,SIZE]]`; may be repeated")
	fl.StringArrayVar(&f.free, "free", nil, "a parameter to fit and its bounds, as `PATH=LO..HI[:linear]`; may be repeated")
	fl.StringArrayVar(&f.prior, "prior", nil, "what is known of a --free parameter before, as `PATH=LAW`; may be repeated (default: even over its bounds)")
	fl.Var(&f.every, "every", "means over bins of this length (default: the samples as they are)")
	fl.Var(&f.window, "window", "each sample is a mean over this long before its time, such as a rate's window (default --every)")
	fl.StringVar(&f.loadTest, "load-test", "", "fit a pool, or its curve, to the load test in this `FILE`, in place of --data")
	fl.StringVar(&f.pool, "pool", "", "the `pool` that a --load-test tested (default: the only one)")
	fl.StringVar(&f.begin, "begin", "", "the `time` of the data at which the scenario starts, as 2022-02-22T06:00:00Z, seconds since 1970, or since its start (default: the first sample)")
	fl.StringVar(&f.zone, "zone", "", "the `zone` of times that name none (default UTC)")
	fl.StringVar(&f.noise, "noise", "", "the `law` of errors: "+strings.Join(calibrate.NoiseKinds[:], ", ")+" (default gaussian, binomial for shares)")
	fl.StringVar(&f.confidence, "confidence", "90%", "`share` of the intervals that hold the truth")
	fl.IntVar(&f.starts, "starts", 8, "local searches from this `number` of starts")
	fl.IntVar(&f.global, "global", 0, "search by CMA-ES too, with this `number` of runs")
	fl.IntVar(&f.sample, "sample", 0, "draw from the posterior by this `number` of steps")
	fl.BoolVar(&f.independent, "independent", false, "take errors of neighbouring samples for independent")
	fl.Uint64Var(&f.seed, "seed", 1, "`seed` of CMA-ES and of the posterior")
	cmd.RegisterFlagCompletionFunc("noise", cobra.FixedCompletions(calibrate.NoiseKinds[:], cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// leastSteps are those of a chain whose halves can be compared.
const leastSteps = 8

func (f *calibrateFlags) run(cmd *cobra.Command, arg string) error {
	switch {
	case f.loadTest != "" && len(f.data)+len(f.with) > 0:
		return usage("--load-test is what was measured, without --data and --with")
	case f.pool != "" && f.loadTest == "":
		return usage("--pool is that of a --load-test")
	case len(f.data) == 0 && f.loadTest == "":
		return usage("--data is missing: want a file of what was measured")
	case len(f.maps) == 0:
		return usage("--map is missing: want COLUMN=QUANTITY, such as hit_rate=hit_rate")
	case len(f.free) == 0 && f.loadTest == "":
		return usage("--free is missing: want PATH=LO..HI, such as pools.main.capacity=5000/s..12000/s")
	case f.starts < 1 || f.starts > 10000 || f.global < 0 || f.sample < 0:
		return usage("--starts wants 1 to 10000, --global and --sample want 0 or more")
	case f.sample > 0 && f.sample < leastSteps:
		return usage("--sample %d: want at least %d steps", f.sample, leastSteps)
	}
	out, sc, err := f.open(cmd, arg)
	if err != nil {
		return err
	}
	if f.confidenceValue, err = parseShare(f.confidence); err != nil || !(f.confidenceValue > 0 && f.confidenceValue < 1) {
		return usage("--confidence %s: want a share between 0 and 1, such as 90%%", f.confidence)
	}
	if f.loadTest != "" {
		return f.measure(cmd, out, sc)
	}
	params, err := f.params(sc)
	if err != nil {
		return err
	}
	if err := f.priors(sc, params); err != nil {
		return err
	}
	recs, err := f.recordings(cmd, sc)
	if err != nil {
		return err
	}
	if err := out.prepare(); err != nil {
		return err
	}
	problem, err := calibrate.Recordings(recs, params)
	if err != nil {
		return usageError{err}
	}
	r, err := f.fit(cmd, problem, startOf(sc, params))
	if err != nil {
		return fmt.Errorf("%s: %w", sc.Name, err)
	}
	if r.fitted, err = r.fit.Fitted(sc, r.profiles); err != nil {
		return err
	}
	return f.write(cmd, out, sc, r)
}

// fit fits and judges: what is half fitted is no answer.
func (f *calibrateFlags) fit(cmd *cobra.Command, problem *calibrate.Problem, start []float64) (*calibration, error) {
	if !slices.ContainsFunc(problem.Params, func(p calibrate.Param) bool { return p.Lo < p.Hi }) {
		return nil, usage("every --free parameter has LO = HI: nothing is left to fit")
	}
	fit, err := calibrate.New(problem, &calibrate.Settings{Start: start, Starts: f.starts, Global: f.global, Seed: f.seed, Independent: f.independent, Done: cmd.Context().Done()})
	if err != nil {
		return nil, err
	}
	r, err := f.judge(fit)
	if err != nil {
		return nil, err
	}
	r.x, r.per = plots.Axis{Label: "time (min)", Column: "t_min"}, 60
	return r, nil
}

// A calibration is a fit with everything that is asked about it.
type calibration struct {
	fit       *calibrate.Fit
	id        *calibrate.Identification
	profiles  []*calibrate.Profile // of the free parameters, in order
	posterior *calibrate.Posterior // nil: not asked for
	short     error                // that its chains are too short
	bands     []calibrate.Band
	warnings  []error

	x      plots.Axis              // of the figures of data and fit
	per    float64                 // places in one of its units
	law    func(x float64) float64 // what the fit is between the places; nil: straight lines do
	fitted *model.Scenario
	said   []string
}

// judge finds the intervals, and the posterior if it is wanted.
func (f *calibrateFlags) judge(fit *calibrate.Fit) (*calibration, error) {
	r := &calibration{fit: fit}
	var err error
	r.profiles, err = fit.Profiles(f.confidenceValue)
	if err != nil && !errors.Is(err, calibrate.ErrBetter) {
		return nil, err
	}
	if err != nil {
		fit.Warnings = append(fit.Warnings, fmt.Errorf("%w; more --starts, or --global, find it sooner", err))
	}
	r.id, r.warnings = fit.Identify(), fit.Warnings
	if f.sample == 0 {
		return r, nil
	}
	post, err := fit.Sample(&calibrate.SampleSettings{Steps: f.sample, Seed: f.seed})
	var short *calibrate.ShortError
	switch {
	case errors.As(err, &short):
		r.short = err
		r.warnings = append(r.warnings, err)
	case err != nil:
		return nil, err
	}
	const draws = 300
	r.posterior = post
	r.bands, err = post.Bands(f.confidenceValue, draws, f.seed)
	return r, err
}

// write writes the result and says it in words.
func (f *calibrateFlags) write(cmd *cobra.Command, out *sink, sc *model.Scenario, r *calibration) error {
	path, err := out.write(f.table(sc, r), sc.Name+".fit", true)
	if err != nil {
		return err
	}
	written := []string{path}
	if out.dir != "" {
		more, err := f.writeFitted(out, r.fitted)
		if err != nil {
			return err
		}
		written = append(written, more...)
		if r.posterior != nil {
			rec := f.record(sc, r)
			if _, _, err := rec.For(sc); err == nil { // else no other command could draw from it
				path := filepath.Join(out.dir, sc.Name+".posterior.json")
				if err := writeJSON(path, rec); err != nil {
					return err
				}
				written = append(written, path)
			}
		}
		figures, err := r.figures(sc, f.confidenceValue)
		if err != nil {
			return err
		}
		more, err = writeDrawings(filepath.Join(out.dir, sc.Name), figures)
		if err != nil {
			return err
		}
		written = append(written, more...)
	}
	w := cmd.ErrOrStderr()
	for _, warning := range r.warnings {
		fmt.Fprintln(w, "warning:", warning)
	}
	if !f.quiet {
		r.explain(w)
		wrote(w, written)
	}
	return nil
}

// writeFitted writes the scenario with what was found, and the curve that it may refer to.
func (f *calibrateFlags) writeFitted(out *sink, sc *model.Scenario) ([]string, error) {
	path := filepath.Join(out.dir, sc.Name+".fitted.yaml")
	return []string{path}, writeScenario(path, sc)
}

// record is the posterior as a file holds it.
func (f *calibrateFlags) record(sc *model.Scenario, r *calibration) *calibrate.Record {
	const most = 4000 // draws: more than the effective size of most chains
	rec := r.posterior.Record(most)
	rec.Version, rec.Scenario, rec.Hash = "metastable "+version(), sc.Name, sc.Hash()
	rec.Set, rec.Data, rec.Map = f.set, f.data, f.maps
	if r.short != nil {
		rec.Warnings = append(rec.Warnings, r.short.Error())
	}
	return rec
}

// explain says what the data tell.
func (r *calibration) explain(w io.Writer) {
	starts, near := r.fit.Waterfall, 0
	for _, s := range starts {
		if s.Cost-starts[0].Cost < 0.5 {
			near++
		}
	}
	fmt.Fprintf(w, "%d of %d searches end at the best point\n", near, len(starts))
	for i, c := range r.fit.Problem.Channels {
		fmt.Fprintf(w, "%s: %d values, %v errors of %s\n", c.Name, len(c.Y), c.Noise.Kind, human(r.fit.Scales[i], 3))
	}
	for _, p := range r.profiles {
		fmt.Fprintln(w, labelOf(r.fitted, p.Name)+strings.TrimPrefix(p.String(), p.Name))
	}
	for _, line := range append(r.words(), r.said...) {
		fmt.Fprintln(w, line)
	}
	if p := r.posterior; p != nil {
		fmt.Fprintf(w, "posterior: %d draws, effective size %s, R-hat %.3f, autocorrelation time %s steps, %s of the moves taken\n",
			len(p.Draws), human(p.ESS, 3), p.RHat, human(p.Tau, 3), percent(p.Acceptance, 1))
	}
}

// bounded reports that a parameter has no standard deviation: a bound ends what the data
// leave of it, and the curvature at the best point knows nothing of bounds.
func (r *calibration) bounded(i int, pr *calibrate.Profile) bool {
	p, v := &r.fit.Problem.Params[i], r.fit.Values[i]
	return pr.OpenLo || pr.OpenHi || v == p.Lo || v == p.Hi
}

// words say what the data cannot tell.
func (r *calibration) words() []string {
	out, next := slices.Clone(r.id.Words), 0
	for i, p := range r.fit.Problem.Params {
		if p.Lo == p.Hi {
			continue
		}
		pr := r.profiles[next]
		next++
		lo, hi := pr.Spell()
		at := map[[2]bool]string{{true, false}: lo, {false, true}: hi, {true, true}: lo + " and " + hi}[[2]bool{pr.JumpLo, pr.JumpHi}]
		if at != "" {
			out = append(out, fmt.Sprintf("%s: at %s the fit jumps, as where a run tips or does not: one run on each side does not say how sharply, so the interval is the model's more than the data's, and a posterior mixes slowly", p.Name, at))
		}
		if r.bounded(i, pr) {
			out = append(out, fmt.Sprintf("%s: its bounds end what the data leave open, so it has no standard deviation; the interval is what is known", p.Name))
		}
	}
	return out
}

// table has a row for each parameter.
func (f *calibrateFlags) table(sc *model.Scenario, r *calibration) *table {
	t := &table{
		label:   "parameter",
		columns: []string{"value", "lo", "hi", "open_lo", "open_hi", "sd"},
		meta: sourceFacts(sc,
			fact{"data", f.data},
			fact{"map", f.maps},
			fact{"confidence", f.confidenceValue},
			fact{"seed", float64(f.seed)},
			fact{"cost", r.fit.Cost},
		),
		notes: r.words(),
	}
	if len(f.set) > 0 {
		t.meta = append(t.meta, fact{"set", f.set})
	}
	if len(f.prior) > 0 {
		t.meta = append(t.meta, fact{"prior", f.prior})
	}
	for i, c := range r.fit.Problem.Channels {
		t.meta = append(t.meta,
			fact{"noise." + c.Name, c.Noise.Kind.String()}, fact{"noise_scale." + c.Name, r.fit.Scales[i]}, fact{"correlation." + c.Name, r.fit.Correlation[i]})
	}
	if r.posterior != nil {
		t.meta = append(t.meta, fact{"rhat", r.posterior.RHat}, fact{"effective_size", r.posterior.ESS})
	}
	if words := r.words(); len(words) > 0 {
		t.meta = append(t.meta, fact{"identifiability", words})
	}
	next := 0
	for i, p := range r.fit.Problem.Params {
		t.labels = append(t.labels, p.Name)
		v := r.fit.Values[i]
		if p.Lo == p.Hi {
			t.rows = append(t.rows, []float64{v, v, v, 0, 0, 0})
			continue
		}
		pr, sd := r.profiles[next], r.id.SD[i]
		next++
		if p.Log {
			sd *= v // of the value, from that of its logarithm
		}
		if r.bounded(i, pr) {
			sd = math.NaN()
		}
		t.rows = append(t.rows, []float64{v, pr.Lo, pr.Hi, one(pr.OpenLo), one(pr.OpenHi), sd})
	}
	return t
}
