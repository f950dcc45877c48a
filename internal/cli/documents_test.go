package cli

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	runDocuments   = flag.Bool("documents", false, "run every command line of the documents")
	storeDocuments = flag.Bool("store", false, "with -documents: store what the commands show")
)

// Commands in documents, as a whole or in prose, and their words.
var (
	documented = regexp.MustCompile("(?m)(?:^ *|[`$] ?)(go run \\./cmd/metastable|metastable) ([a-z][^`\n]*)")
	shellWord  = regexp.MustCompile(`'[^']*'|\S+`)
)

func documents(t *testing.T) []string {
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	return append(files, "../../README.md", "../../CONTRIBUTING.md")
}

// Every command in the documents exists, with its flags; one to be copied, with its arguments.
func TestDocuments_invariant(t *testing.T) {
	checked := 0
	for _, file := range documents(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range documented.FindAllStringSubmatch(string(text), -1) {
			whole := strings.HasPrefix(found[1], "go run")
			var words []string
			for _, w := range shellWord.FindAllString(found[2], -1) {
				if slices.Contains([]string{">", "|", "#", "&&", "||", `\`}, w) {
					break
				}
				words = append(words, strings.Trim(w, "'"))
			}
			checked++
			t.Run(filepath.Base(file)+": "+strings.Join(words, " "), func(t *testing.T) {
				root := newRoot()
				root.InitDefaultHelpCmd()
				cmd, rest, err := root.Find(words)
				if err != nil {
					t.Fatal(err)
				}
				if err := cmd.ParseFlags(rest); err != nil {
					t.Fatal(err)
				}
				if err := cmd.ValidateArgs(cmd.Flags().Args()); whole && err != nil {
					t.Error(err)
				}
			})
		}
	}
	if checked < 40 {
		t.Errorf("%d commands found, the documents have more than 40", checked)
	}
}

// Links between the documents lead to files, and to headings that are there.
func TestDocuments_links_invariant(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#: ]*)(#[^) ]*)?\)`)
	heading := regexp.MustCompile(`(?m)^#+ (.*)$`)
	files := append(documents(t), "../../notebooks/README.md", "../../docs/commands/README.md")
	checked := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range link.FindAllStringSubmatch(string(text), -1) {
			checked++
			to, target := file, text
			if l[1] != "" {
				to = filepath.Join(filepath.Dir(file), l[1])
				if target, err = os.ReadFile(to); err != nil {
					t.Errorf("%s: %v", filepath.Base(file), err)
				}
			}
			anchors := []string{"#"}
			for _, h := range heading.FindAllStringSubmatch(string(target), -1) {
				anchors = append(anchors, "#"+strings.ReplaceAll(strings.ToLower(h[1]), " ", "-"))
			}
			if l[2] != "" && !slices.Contains(anchors, l[2]) {
				t.Errorf("%s: no heading %s in %s", filepath.Base(file), l[2], filepath.Base(to))
			}
		}
	}
	if checked < 30 {
		t.Errorf("%d links found, want more than 30", checked)
	}
}

// Every command line of the documents runs, those of one document in order and in one
// folder with the data of the repository; where a document shows what a command says, it
// says that. The pages of the commands are left out: their examples are those of the help.
func TestDocuments_golden(t *testing.T) {
	if !*runDocuments {
		t.Skip("takes minutes: -documents runs it")
	}
	for _, file := range documents(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			for _, with := range []string{"data", "docs", "calibrate/testdata", "referee/testdata", "telemetry/testdata"} {
				if err := os.CopyFS(filepath.Join(dir, with), os.DirFS(filepath.Join("../..", with))); err != nil {
					t.Fatal(err)
				}
			}
			out := string(text)
			for _, s := range steps(out) {
				if s.file != "" {
					if err := os.WriteFile(filepath.Join(dir, s.file), []byte(s.text), 0o644); err != nil {
						t.Fatal(err)
					}
					continue
				}
				said, err := script(s.text, dir)
				if err != nil {
					t.Errorf("%s: %v\n%s", s.text, err, said)
				}
				if s.shows && said != s.want {
					t.Errorf("%s\nsays\n%s\nand not, as the document has it (-store mends it),\n%s", s.text, said, s.want)
					shown := "$ " + s.written + "\n"
					out = strings.Replace(out, shown+s.want, shown+said, 1)
				}
			}
			if *storeDocuments && out != string(text) {
				if err := os.WriteFile(file, []byte(out), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// script runs a script in a folder and returns what it says. A server is asked to end once it
// says how to end it.
func script(text, dir string) (string, error) {
	said := &serverOutput{}
	said.sh = exec.Command("sh", "-e", "-c", text)
	if serves.MatchString(text) {
		said.sh.Args[3] = "exec " + text + " --listen 127.0.0.1:0"
	}
	said.sh.Dir, said.sh.Stdout, said.sh.Stderr = dir, said, said
	err := said.sh.Run()
	return string(said.text), err
}

// serverOutput is what a command says; it interrupts the command that offers to be.
type serverOutput struct {
	text []byte
	sh   *exec.Cmd
}

func (o *serverOutput) Write(p []byte) (int, error) {
	o.text = append(o.text, p...)
	if bytes.HasSuffix(o.text, []byte("Ctrl-C ends it\n")) {
		o.sh.Process.Signal(os.Interrupt)
	}
	return len(p), nil
}

// A step of a document is a script to run, with what it says if the document shows that,
// or a file to write.
type step struct {
	file, text string
	written    string // the command as the document has it
	shows      bool
	want       string
}

// Blocks of a document: what follows the fence, and the lines between; or a command in prose.
var (
	block    = regexp.MustCompile("(?ms)^```([^\n]*)\n(.*?)^```|((?:^    [^\n]*\n)+)|`(go run \\./cmd/metastable [^`\n]+)`")
	elsewise = regexp.MustCompile(`(?m)^ *(go (test|install|tool|-C)|git|\.ci/).*$`) // not of this program
	runs     = regexp.MustCompile(`(?m)^ *metastable `)
	program  = regexp.MustCompile(`go run \./cmd/metastable`)
	serves   = regexp.MustCompile(`^metastable explore(?: [\w-]+)?$`)
)

// steps returns the steps of a document in order: blocks of "console" show commands, after
// a dollar, with what they say; blocks of "yaml FILE" are files; others that name the
// program are scripts.
func steps(text string) (out []step) {
	for _, b := range block.FindAllStringSubmatch(text, -1) {
		info, body := strings.Fields(b[1]), b[2]+b[3]+b[4]
		switch {
		case len(info) == 2 && info[0] == "yaml":
			out = append(out, step{file: info[1], text: body})
		case len(info) == 1 && info[0] == "console":
			for _, part := range strings.Split("\n"+body, "\n$ ")[1:] {
				out = append(out, consoleStep(part))
			}
		default:
			script := program.ReplaceAllString(elsewise.ReplaceAllString(body, ""), "metastable")
			if runs.MatchString(script) {
				out = append(out, step{text: script})
			}
		}
	}
	return out
}

// consoleStep splits a command, which a backslash continues on the next line, from what it says.
func consoleStep(text string) step {
	s := step{shows: true}
	for more := true; more; {
		line, rest, _ := strings.Cut(text, "\n")
		more = strings.HasSuffix(line, `\`)
		s.written += line
		if more {
			s.written += "\n"
		}
		text = rest
	}
	s.text = program.ReplaceAllString(s.written, "metastable")
	if text != "" {
		s.want = strings.TrimSuffix(text, "\n") + "\n"
	}
	return s
}

// The steps of a document are found in their order, and say what they are.
func TestSteps_exact(t *testing.T) {
	const document = "Prose with `go run ./cmd/metastable version`.\n" +
		"```yaml a.yaml\nname: a\n```\n" +
		"```console\n$ metastable schema \\\n    -q\nline\n$ metastable version\n```\n" +
		"    go test ./...\n    go run ./cmd/metastable scenarios # all\n\n" +
		"```\nx = 1\n```\n"
	want := []step{
		{text: "metastable version"},
		{file: "a.yaml", text: "name: a\n"},
		{text: "metastable schema \\\n    -q", written: "metastable schema \\\n    -q", shows: true, want: "line\n"},
		{text: "metastable version", written: "metastable version", shows: true},
		{text: "\n    metastable scenarios # all\n"},
	}
	if got := steps(document); !slices.Equal(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}
