package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/montecarlo"
)

type monteCarloFlags struct {
	scenarioFlags
	uncertainFlags
	noiseFlags
	draws       int
	until       string
	seed        uint64
	jobs        int
	sensitivity string
	of          string
	rare        string
	samples     int
}

func newMonteCarlo() *cobra.Command {
	f := &monteCarloFlags{}
	cmd := &cobra.Command{
		Use:   "montecarlo SCENARIO",
		Short: "How likely is a collapse, what matters for it, and how rare is it?",
		Long: `Runs a scenario --draws times with its uncertain parameters drawn from their laws, and
writes a table: one row per quantity with its estimate, the bounds lo and hi of its 95 %
interval, the confidence that the interval achieves, and n, the runs behind it. A bound
that would need more runs is empty. The quantities: runs, failed (without an answer: in
no class, and warned of), p_CLASS for absorbed (it never tips), self_recovered, recovered
(after a response), relapsed and collapsed (it is down at the end); mean, q05, q50 and q95
of time_to_tip_s (of the runs that tip), time_down_s, lost_boots, lost_goodput (boots),
worst_hit_rate, peak_load, connected_loss (requests of booted sessions) and relapses.

--sensitivity says which uncertain parameter matters for --of, a class (1 or 0) or a
measure, from runs of its own (--samples):
  morris   mu_star, the mean size of the effect of a parameter, mu and sigma; cheap
  sobol    first and total: the share of the variance it explains, alone and with others
           together; a dummy that should read 0; curve, the estimates from fewer rows
  pawn     median and max: how far the distribution moves once it is known; a dummy
  tornado  low and high: the mean in the lowest and in the highest fifth of its law
Where the output does not vary these are undefined: empty, with a warning.

--rare estimates a small P(collapse), with the effective number of samples in the event
(size), how many plain runs would know it as well (plain_runs), and how many standard
errors lie between it and the draws, where these saw ten collapses:
  subset      subset simulation: each level a factor ten
  importance  importance sampling about the most likely collapse
  noise       another question: how likely the scenario as it is at a moment (--at,
              --traffic, --throttle) goes down within --noise-span by the noise of its
              traffic alone, by adaptive multilevel splitting. The boots are those of the
              moment times a random factor whose logarithm has the standard deviation
              --noise-sd (default: that of Poisson arrivals) and is correlated over
              --noise-time. Parameters are not drawn, and there is no noise of single
              requests or queues. --draws then counts plain walks.

-o DIR also draws the estimate over the draws (NAME.convergence), the outcomes, fans of
goodput and hit rate over time, and the sensitivity, as SVG, PNG and CSV. The same seed
gives the same bytes for any --jobs. An interrupt keeps what is done.

--posterior FILE draws from a fit in place of the scenario's laws, each run one draw of all
its parameters; with --sensitivity pawn or tornado.`,
		Example: `  metastable montecarlo osdi22-cache --set traffic.boots=250/s --draws 128 --format table
  metastable montecarlo osdi22-cache --set traffic.boots=250/s --until half-width=0.08 -o out
  metastable montecarlo wikimedia-2020-02-04 --draws 20 --sensitivity tornado --samples 100 --of time_down_s
  metastable montecarlo osdi22-cache --set traffic.boots=230/s --draws 20 --rare importance --samples 100
  metastable simulate hotos21-retry --every 5s -q -o run.csv && metastable calibrate hotos21-retry --data run.csv --map attempts_per_s=attempts --free pools.database.capacity=290/s..340/s --starts 1 --sample 100 -q -o fit && metastable montecarlo hotos21-retry --posterior fit/hotos21-retry.posterior.json --draws 64 --format table
  metastable montecarlo slack-2022-02-22 --at 6:08 --rare noise --noise-sd 10% --noise-span 2m --draws 20 --samples 100`,
		Args: oneArg(scenarioArg),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	f.scenarioFlags.add(cmd)
	f.uncertainFlags.add(cmd)
	f.noiseFlags.add(cmd)
	fl := cmd.Flags()
	fl.IntVar(&f.draws, "draws", 0, "`number` of runs, the most with --until (default 1000, or 10000 with --until)")
	fl.StringVar(&f.until, "until", "", "end when the interval of P(collapse) is narrow: `half-width=0.01`")
	fl.Uint64Var(&f.seed, "seed", 1, "`seed` of all randomness, up to 2^53")
	fl.IntVar(&f.jobs, "jobs", 0, "`number` of runs side by side (default: as many as processors)")
	fl.StringVar(&f.sensitivity, "sensitivity", "", "which parameter matters, by this `method`: "+strings.Join(methodNames(sensitivities), ", "))
	fl.StringVar(&f.of, "of", montecarlo.Collapsed.String(), "what it matters for: a `class or measure`")
	fl.StringVar(&f.rare, "rare", "", "estimate a small probability by this `method`: "+strings.Join(methodNames(rareMethods), ", "))
	fl.IntVar(&f.samples, "samples", 0, "`size` of the sample of --sensitivity (default 20 trajectories, 256 rows of parameters + 2 runs, 1000 points) or of a level of --rare (200; 100 walks)")
	for flag, words := range map[string][]string{"sensitivity": methodNames(sensitivities), "rare": methodNames(rareMethods), "of": outputNames()} {
		cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	}
	return cmd
}

// A named thing is what a word on the command line stands for.
type named[F any] struct {
	name string
	do   F
}

func methodNames[F any](all []named[F]) (names []string) {
	for _, m := range all {
		names = append(names, m.name)
	}
	return names
}

// choose returns what the word stands for; nil for no word.
func choose[F any](flag, word string, all []named[F]) (*named[F], error) {
	if word == "" {
		return nil, nil
	}
	for i := range all {
		if all[i].name == word {
			return &all[i], nil
		}
	}
	names := methodNames(all)
	return nil, usage("--%s %s: want %s%s", flag, word, strings.Join(names, ", "), didYouMean(nearest(word, names), ""))
}

// A monteCarlo is what one command computes.
type monteCarlo struct {
	*monteCarloFlags
	sc     *model.Scenario
	sweep  *montecarlo.Sweep
	half   float64
	method *named[sensitivity]
	small  *named[rareMethod]
	output func(o *montecarlo.Outcome) float64

	pool  montecarlo.Pool
	bar   *runsBar // nil: none
	runs  atomic.Int64
	ended func() bool

	table    *table
	result   *montecarlo.PointResult // nil: no draws
	course   []moment                // P(collapse) after so many draws
	figures  []drawing
	warnings []error
	said     []string
}

// A moment of the course of an estimate.
type moment struct {
	n int
	p montecarlo.Interval
}

func (f *monteCarloFlags) run(cmd *cobra.Command, arg string) error {
	out, err := f.sink(cmd.OutOrStdout())
	if err != nil {
		return err
	}
	m, err := f.prepare(cmd, arg)
	if err != nil {
		return err
	}
	if err := out.prepare(); err != nil {
		return err
	}
	err = m.work(cmd, out.dir != "")
	if err != nil && (!errors.Is(err, montecarlo.ErrInterrupted) || len(m.table.rows) == 0) {
		return fmt.Errorf("%s: %w", m.sc.Name, err)
	}
	for _, w := range m.warnings {
		m.table.meta = append(m.table.meta, fact{"warning", w.Error()})
	}
	if err != nil {
		m.table.meta = append([]fact{{"incomplete", "interrupted"}}, m.table.meta...)
	}
	path, writeErr := out.write(m.table, m.sc.Name+".montecarlo", err == nil)
	if writeErr != nil {
		return writeErr
	}
	w := cmd.ErrOrStderr()
	for _, warning := range m.warnings {
		fmt.Fprintln(w, "warning:", warning)
	}
	if err != nil {
		kept := "what is done is above"
		if path != "" {
			kept = "what is done is in " + path
		}
		return fmt.Errorf("%s: interrupted; %s", m.sc.Name, kept)
	}
	written := []string{path}
	if out.dir != "" {
		more, err := writeDrawings(filepath.Join(out.dir, m.sc.Name), m.figures)
		if err != nil {
			return err
		}
		written = append(written, more...)
	}
	if !f.quiet {
		m.tell(w)
		wrote(w, written)
	}
	return nil
}

// prepare checks what is asked for before anything runs.
func (f *monteCarloFlags) prepare(cmd *cobra.Command, arg string) (*monteCarlo, error) {
	m := &monteCarlo{monteCarloFlags: f}
	var err error
	if m.half, err = (&sweepFlags{until: f.until}).half(); err != nil {
		return nil, err
	}
	const most = 100_000_000
	switch {
	case cmd.Flags().Changed("draws") && (f.draws < 1 || f.draws > most):
		return nil, usage("--draws %d: want 1 to %d", f.draws, most)
	case f.seed > 1<<53:
		return nil, usage("--seed %d: want at most 2^53", f.seed)
	case f.jobs < 0:
		return nil, usage("--jobs %d: want at least 1, or 0 for as many as processors", f.jobs)
	case f.samples < 0 || f.samples > most:
		return nil, usage("--samples %d: want up to %d", f.samples, most)
	case f.samples > 0 && f.sensitivity == "" && f.rare == "":
		return nil, usage("--samples is that of --sensitivity or --rare")
	}
	if f.draws == 0 {
		if f.draws = 1000; m.half > 0 {
			f.draws = 10_000
		}
	}
	if m.method, err = choose("sensitivity", f.sensitivity, sensitivities); err != nil {
		return nil, err
	}
	if m.small, err = choose("rare", f.rare, rareMethods); err != nil {
		return nil, err
	}
	if m.output, err = outputOf(f.of); err != nil {
		return nil, err
	}
	if m.sc, err = f.load(cmd, arg); err != nil {
		return nil, err
	}
	switch {
	case f.rare == noiseMethod && (m.method != nil || m.half > 0 || f.posterior != ""):
		return nil, usage("--rare %s asks another question than --sensitivity, --until and --posterior", noiseMethod)
	case f.rare == noiseMethod:
		m.sweep = &montecarlo.Sweep{Scenario: m.sc, Points: []montecarlo.Point{nil}, Draws: f.draws, Seed: f.seed}
	default:
		if m.sweep, err = f.drawn(cmd, m.sc, f.draws, f.seed); err != nil {
			return nil, err
		}
	}
	if err := m.apart(); err != nil {
		return nil, err
	}
	m.table = &table{
		meta: []fact{
			{"version", "metastable " + version()},
			{"scenario", m.sc.Name},
			{"hash", m.sc.Hash()},
			{"seed", float64(f.seed)},
		},
		label: "quantity", columns: []string{"estimate", "lo", "hi", "confidence", "n"},
	}
	if len(f.set) > 0 {
		m.table.meta = append(m.table.meta, fact{"set", f.set})
	}
	m.table.meta = append(m.table.meta, f.facts()...)
	if f.rare == noiseMethod {
		return m, f.noiseFlags.parse(m.sc)
	}
	return m, f.noiseFlags.unused(cmd)
}

// apart reports a method that moves one parameter without the others, where they vary
// together.
func (m *monteCarlo) apart() error {
	const together = "takes parameters one by one, and those of a posterior vary together; "
	switch {
	case m.sweep.Joint == nil:
	case m.method != nil && !slices.Contains(samplers, m.method.name):
		return usage("--sensitivity %s "+together+"want %s", m.method.name, strings.Join(samplers, " or "))
	case m.small != nil:
		return usage("--rare %s "+together+"give more --draws, or the uncertainty of the fitted scenario", m.small.name)
	}
	return nil
}

// work does what is asked for, one thing after the other.
func (m *monteCarlo) work(cmd *cobra.Command, draw bool) error {
	m.pool = montecarlo.Pool{Workers: m.jobs, Done: cmd.Context().Done()}
	m.ended = func() bool { return cmd.Context().Err() != nil }
	steps := []func() error{m.draw}
	if m.rare == noiseMethod {
		steps = []func() error{m.noise}
	}
	if m.method != nil {
		steps = append(steps, func() error { return m.method.do(m) })
	}
	if m.small != nil && m.rare != noiseMethod {
		steps = append(steps, func() error { return m.small.do(m) })
	}
	if draw && m.rare != noiseMethod {
		steps = append(steps, m.illustrate)
	}
	for _, step := range steps {
		if err := m.watched(cmd.ErrOrStderr(), step); err != nil {
			return err
		}
	}
	return nil
}

// watched runs a step with a bar of its own. What ends early for an interrupt is no
// result.
func (m *monteCarlo) watched(w io.Writer, step func() error) error {
	if !m.quiet {
		m.bar = newRunsBar(w)
		defer m.bar.stop()
	}
	m.runs.Store(0)
	m.pool.Progress = func(done, all int) { m.reach(done, all) }
	if err := step(); err != nil {
		return err
	}
	if m.ended() {
		return montecarlo.ErrInterrupted
	}
	return nil
}

// reach shows how much of a step is done.
func (m *monteCarlo) reach(done, all int) {
	if m.bar != nil {
		m.bar.reach(done, all)
	}
}

// function returns a number of a run as a function of the uncertain parameters, at an end once
// the command is interrupted.
func (m *monteCarlo) function(of func(o *montecarlo.Outcome) float64) montecarlo.Function {
	f := m.sweep.Function(0, of)
	return func() func([]float64) float64 {
		g := f()
		return func(x []float64) float64 {
			if m.ended() {
				return 0
			}
			return g(x)
		}
	}
}

// add puts a row into the table.
func (m *monteCarlo) add(name string, i montecarlo.Interval, n int) {
	m.table.labels = append(m.table.labels, name)
	m.table.rows = append(m.table.rows, []float64{i.Estimate, i.Lo, i.Hi, i.Confidence, float64(n)})
}

// count puts a number that is known for sure into the table.
func (m *monteCarlo) count(name string, x float64, n int) {
	m.add(name, montecarlo.Interval{Estimate: x, Lo: x, Hi: x, Confidence: 1}, n)
}

// outputOf returns what a word means of a run.
func outputOf(word string) (func(o *montecarlo.Outcome) float64, error) {
	for c := range montecarlo.Class(montecarlo.Classes) {
		if c.String() == word {
			return func(o *montecarlo.Outcome) float64 { return one(o.Class == c) }, nil
		}
	}
	for k := range montecarlo.Measure(montecarlo.Measures) {
		if k.String() == word {
			return func(o *montecarlo.Outcome) float64 { return o.Measures[k] }, nil
		}
	}
	return nil, usage("--of %s: want %s%s", word, strings.Join(outputNames(), ", "), didYouMean(nearest(word, outputNames()), ""))
}

func outputNames() (names []string) {
	for c := range montecarlo.Class(montecarlo.Classes) {
		names = append(names, c.String())
	}
	for k := range montecarlo.Measure(montecarlo.Measures) {
		names = append(names, k.String())
	}
	return slices.Clip(names)
}
