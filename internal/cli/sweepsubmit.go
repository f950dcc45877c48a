package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/spf13/cobra"

	"github.com/metastable/metastable/montecarlo"
)

// A submission is what the templates of engines know.
type submission struct {
	ID      string // of the sweep
	Dir     string // of the sweep: absolute for Slurm, within the claim for Kubernetes
	Shards  int
	Jobs    int
	Program string
	Output  string // of the merge, absolute
	Options []string
	Image   string
	Claim   string
}

type submitFlags struct {
	submission
	engine string
	dry    bool
}

var engines = map[string]func(*submitFlags, *cobra.Command, *montecarlo.Plan, string) error{
	"slurm":      (*submitFlags).slurm,
	"kubernetes": (*submitFlags).kubernetes,
}

func newSweepSubmit() *cobra.Command {
	f := &submitFlags{}
	cmd := &cobra.Command{
		Use:   "submit DIR --engine slurm|kubernetes --shards N",
		Short: "Run the shards of a planned sweep on a cluster",
		Long: `slurm: writes DIR/array.sbatch, an array of one task per shard, and DIR/merge.sbatch,
which depends on it, and submits both. All nodes have to see DIR. A task whose process is
killed goes on from its checkpoint, up to three times; one whose node is lost is requeued.
Submitted again, only what is missing is run.

kubernetes: writes DIR/job.yaml, an Indexed Job with a limit of retries for each index, to
be applied with kubectl; then merge DIR. --claim names a PersistentVolumeClaim that holds
the folder that DIR is in.`,
		Example: `  metastable sweep plan hotos21-cache --vary timeline.0.flush=5%..40%:5 -o flushes && metastable sweep submit flushes --engine slurm --shards 4 --dry-run
  metastable sweep plan hotos21-cache --vary timeline.0.flush=5%..40%:5 -o flushes && metastable sweep submit flushes --engine kubernetes --shards 4 --image registry.example/metastable:1 --claim sweeps`,
		Args: oneArg(folderArg),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.engine, "engine", "", "the `cluster`: slurm or kubernetes")
	fl.IntVar(&f.Shards, "shards", 0, "`number` of shards, best of minutes each")
	fl.IntVar(&f.Jobs, "jobs", 1, "`number` of processors of a shard")
	fl.StringVar(&f.Program, "program", "", "metastable as the nodes find it, a `PATH` (default: this program; in a container, metastable)")
	fl.StringVarP(&f.Output, "output", "o", "", "slurm: the merged rows, a `FILE` in .csv, .json, .txt or .parquet (default DIR/NAME.sweep.csv)")
	fl.StringArrayVar(&f.Options, "option", nil, "slurm: an `OPTION` of sbatch for the array, such as --partition=short; may be repeated")
	fl.BoolVar(&f.dry, "dry-run", false, "slurm: write the scripts and submit nothing")
	fl.StringVar(&f.Image, "image", "", "kubernetes: the container `image` with metastable in it")
	fl.StringVar(&f.Claim, "claim", "", "kubernetes: the `name` of the claim")
	cmd.RegisterFlagCompletionFunc("engine", cobra.FixedCompletions([]string{"slurm", "kubernetes"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (f *submitFlags) run(cmd *cobra.Command, dir string) error {
	const most = 1_000_000
	engine, ok := engines[f.engine]
	switch {
	case !ok:
		return usage("--engine %q: want slurm or kubernetes", f.engine)
	case f.Shards < 1 || f.Shards > most:
		return usage("--shards %d: want 1 to %d", f.Shards, most)
	case f.Jobs < 1:
		return usage("--jobs %d: want at least 1", f.Jobs)
	}
	plan, _, err := openPlan(dir)
	if err != nil {
		return err
	}
	f.ID = plan.ID()
	return engine(f, cmd, plan, dir)
}

func (f *submitFlags) slurm(cmd *cobra.Command, plan *montecarlo.Plan, dir string) (err error) {
	if f.Output == "" {
		f.Output = filepath.Join(dir, plan.Name+".sweep.csv")
	}
	if _, err := (&outputFlags{out: f.Output}).sink(nil); err != nil {
		return err
	}
	if f.Program == "" {
		if f.Program, err = os.Executable(); err != nil {
			return err
		}
	}
	f.Dir = dir
	for _, abs := range []*string{&f.Dir, &f.Output} {
		if *abs, err = filepath.Abs(*abs); err != nil {
			return err
		}
		if strings.ContainsAny(*abs, "\"\\\n%") { // means something to sbatch
			return fmt.Errorf("sbatch cannot be told of the path %s", *abs)
		}
	}
	if err := guard(f.Output, plan); err != nil {
		return err
	}
	var scripts []string
	for _, s := range []struct{ name, text string }{{"array", slurmArray}, {"merge", slurmMerge}} {
		path := filepath.Join(f.Dir, s.name+".sbatch")
		if err := f.write(path, s.text); err != nil {
			return err
		}
		scripts = append(scripts, path)
	}
	w := cmd.ErrOrStderr()
	wrote(w, scripts)
	if f.dry {
		return nil
	}
	array, err := sbatch(cmd, scripts[0])
	if err != nil {
		return err
	}
	merge, err := sbatch(cmd, "--dependency=afterok:"+array, "--kill-on-invalid-dep=yes", scripts[1])
	if err != nil {
		return fmt.Errorf("the array is submitted as job %s, but not its merge: %w", array, err)
	}
	fmt.Fprintf(w, "submitted: %d shards as job %s, then the merge into %s as job %s\n", f.Shards, array, f.Output, merge)
	return nil
}

// sbatch submits a script and returns the number of its job.
func sbatch(cmd *cobra.Command, args ...string) (job string, err error) {
	sub := exec.CommandContext(cmd.Context(), "sbatch", append([]string{"--parsable"}, args...)...)
	var stderr bytes.Buffer
	sub.Stderr = &stderr
	out, err := sub.Output()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", errors.New("sbatch is not installed here: submit the scripts where it is")
	case err != nil:
		return "", fmt.Errorf("sbatch %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	job, _, _ = strings.Cut(strings.TrimSpace(string(out)), ";") // job;cluster
	return job, nil
}

func (f *submitFlags) kubernetes(cmd *cobra.Command, _ *montecarlo.Plan, dir string) error {
	if f.Image == "" || f.Claim == "" {
		return usage("--engine kubernetes wants an --image and a --claim")
	}
	if f.Program == "" {
		f.Program = "metastable"
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	f.Dir = "/sweeps/" + filepath.Base(abs)
	path := filepath.Join(dir, "job.yaml")
	if err := f.write(path, kubernetesJob); err != nil {
		return err
	}
	wrote(cmd.ErrOrStderr(), []string{path})
	return nil
}

// write writes a template filled in.
func (f *submitFlags) write(path, text string) error {
	t := template.Must(template.New(filepath.Base(path)).Funcs(template.FuncMap{"sh": shellQuote, "json": quote}).Parse(text))
	return writeFile(path, func(w io.Writer) error { return t.Execute(w, &f.submission) })
}

// shellQuote returns a text as one word of a shell.
func shellQuote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// Slurm takes an array's last index from its script; sbatch reads options up to the
// first command.
const slurmArray = `#!/bin/sh
#SBATCH --job-name=sweep-{{.ID}}
#SBATCH --array=0-{{.Last}}
#SBATCH --cpus-per-task={{.Jobs}}
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output="{{.Dir}}/slurm-%a.out"
{{- range .Options}}
#SBATCH {{.}}
{{- end}}
# Killed, the task goes on from its checkpoint. A lost node is for Slurm to requeue.
for try in 1 2 3 4; do
  {{sh .Program}} sweep run {{sh .Dir}} --shard auto/{{.Shards}} --jobs {{.Jobs}} && exit 0
  status=$?
  [ "$status" -gt 128 ] || exit "$status"
done
exit "$status"
`

const slurmMerge = `#!/bin/sh
#SBATCH --job-name=merge-{{.ID}}
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output="{{.Dir}}/slurm-merge.out"
exec {{sh .Program}} sweep merge {{sh .Dir}} -o {{sh .Output}}
`

// Last is the index of the last shard.
func (s *submission) Last() int { return s.Shards - 1 }

const kubernetesJob = `apiVersion: batch/v1
kind: Job
metadata:
  name: sweep-{{.ID}}
spec:
  completionMode: Indexed
  completions: {{.Shards}}
  parallelism: {{.Shards}}
  backoffLimitPerIndex: 3
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: sweep
          image: {{json .Image}}
          command: [{{json .Program}}, sweep, run, {{json .Dir}}, --shard, auto/{{.Shards}}, --jobs, "{{.Jobs}}"]
          resources:
            requests: {cpu: "{{.Jobs}}"}
          volumeMounts:
            - {name: sweeps, mountPath: /sweeps}
      volumes:
        - name: sweeps
          persistentVolumeClaim: {claimName: {{json .Claim}}}
`
