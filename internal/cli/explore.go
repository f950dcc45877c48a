package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/metastable/metastable/internal/explore/site"
	"github.com/metastable/metastable/model"
)

type exploreFlags struct {
	inputFlags
	listen string
	out    string
	quiet  bool
}

func newExplore() *cobra.Command {
	f := &exploreFlags{}
	cmd := &cobra.Command{
		Use:   "explore [SCENARIO]",
		Short: "Play a scenario's day in the browser",
		Long: `Serves a page on which one runs the operations of a scenario's day: restart the cache,
pause, throttle, relax, change the query, and see the hit rate with the tipping line, the
load, who gets in and who waits. What happens to the system by itself stays as the scenario
says; what its operators did can be watched, and taken over at any time. Without SCENARIO
that is the day of 22 February 2022.

The model runs in the browser, compiled to WebAssembly from the same source, with the same
numbers as simulate. It is compiled by the go command when explore starts, which takes up to
a minute the first time.

With -o the page is written to a file that needs no server and no network, to open from disk
or to put anywhere. Links hold the actions: who opens one sees the same day.`,
		Example: `  metastable explore -o slack.html
  metastable explore hotos21-cache --set traffic.boots=2000/s -o cache.html`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return oneArg(scenarioArg)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd, append(args, "slack-2022-02-22")[0])
		},
	}
	f.inputFlags.add(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.listen, "listen", "127.0.0.1:8080", "serve on this `address`; with port 0 on a free one")
	fl.StringVarP(&f.out, "output", "o", "", "write the page to this `FILE (.html) or DIR`, as index.html, and serve nothing")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "nothing on standard error but problems")
	return cmd
}

func (f *exploreFlags) run(cmd *cobra.Command, arg string) error {
	path := f.out
	if path != "" && isDir(path) {
		path = filepath.Join(path, "index.html")
	}
	if path != "" && filepath.Ext(path) != ".html" {
		return usage("-o %s: want a file in .html, or a directory", f.out)
	}
	sc, err := f.load(cmd, arg)
	if err != nil {
		return err
	}
	if _, err := sc.Compile(); err != nil {
		return fmt.Errorf("%s: %w", sc.Name, err)
	}
	for _, p := range sc.Pools {
		if p.Value.ServiceCurve != nil {
			return fmt.Errorf("%s: pools.%s.service_curve is a file of its own, which the page does not carry", sc.Name, p.Name)
		}
	}
	if path != "" {
		if err := (&sink{dir: filepath.Dir(path)}).prepare(); err != nil {
			return err
		}
		return f.export(cmd, sc, path)
	}
	l, err := net.Listen("tcp", f.listen)
	if err != nil {
		return fmt.Errorf("--listen %s: %w", f.listen, err)
	}
	defer l.Close()
	return f.serve(cmd, sc, l)
}

// page compiles the model for the page of a scenario.
func (f *exploreFlags) page(cmd *cobra.Command, sc *model.Scenario) (*site.Page, error) {
	f.say(cmd, "compiling the model for the browser, up to a minute the first time …")
	program, err := site.Compile(cmd.Context())
	if err != nil {
		return nil, err
	}
	return &site.Page{Title: title(sc), Scenario: playable(sc), Program: program}, nil
}

func (f *exploreFlags) export(cmd *cobra.Command, sc *model.Scenario, path string) error {
	page, err := f.page(cmd, sc)
	if err != nil {
		return err
	}
	if err := writeFile(path, page.Write); err != nil {
		return err
	}
	f.say(cmd, "wrote "+path)
	return nil
}

func (f *exploreFlags) say(cmd *cobra.Command, line string) {
	if !f.quiet {
		fmt.Fprintln(cmd.ErrOrStderr(), line)
	}
}

// playable returns the scenario as one file: a profile that was read from a file is written out.
func playable(sc *model.Scenario) []byte {
	sc = sc.Clone()
	sc.Traffic.Profile.CSV = nil
	return sc.YAML()
}

// serve serves the page until it is interrupted.
func (f *exploreFlags) serve(cmd *cobra.Command, sc *model.Scenario, l net.Listener) error {
	page, err := f.page(cmd, sc)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := page.Write(&text); err != nil {
		return err
	}
	server := &http.Server{Handler: site.Handler(text.Bytes()), ReadHeaderTimeout: 10 * time.Second}
	fmt.Fprintf(cmd.OutOrStdout(), "http://%s/\n", l.Addr())
	f.say(cmd, "open it in a browser; Ctrl-C ends it")
	stop := context.AfterFunc(cmd.Context(), func() { server.Close() })
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
