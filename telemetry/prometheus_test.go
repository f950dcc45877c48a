package telemetry

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// The exporter's story, one sample a quarter of a minute: node 1 counts 30 reads each and
// restarts at sample 5; at sample 20 it is replaced by node 2. The goodput is 0 from 8 to
// 11 and not there from 14 to 17.
const (
	moments   = 30
	everyS    = 15
	restart   = 5
	replaced  = 20
	zeroFrom  = 8
	zeroUntil = 12
	goneFrom  = 14
	goneUntil = 18
)

// page is what the exporter shows: the first n samples of a story that starts at a time
// (s). What a server has seen it passes over, so a scrape that fails loses nothing.
func page(n int, start int64) string {
	var reads, goodput, latency strings.Builder
	for k := range min(n, moments) {
		ms := 1000 * (start + int64(k)*everyS)
		node, since := 1, 0
		switch {
		case k >= replaced:
			node, since = 2, replaced
		case k >= restart:
			since = restart
		}
		fmt.Fprintf(&reads, "reads_total{node=\"%d\"} %d %d\n", node, 30*(k-since+1), ms)
		if k < goneFrom || k >= goneUntil {
			fmt.Fprintf(&goodput, "goodput %v %d\n", goodputAt(k), ms)
		}
		fmt.Fprintf(&latency, "latency_seconds NaN %d\n", ms)
	}
	return "# TYPE reads_total counter\n" + reads.String() + "# TYPE goodput gauge\n" + goodput.String() +
		"# TYPE latency_seconds gauge\n" + latency.String()
}

func goodputAt(k int) float64 {
	if k >= zeroFrom && k < zeroUntil {
		return 0
	}
	return float64(1200 + k)
}

// startPrometheus runs a server that scrapes the target until the test ends, and returns
// its address.
func startPrometheus(t *testing.T, target string) string {
	program, err := exec.LookPath("prometheus")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("prometheus is not installed:", err)
		}
		t.Skip("prometheus is not installed (Debian: apt-get install prometheus):", err)
	}
	dir := t.TempDir()
	config := filepath.Join(dir, "prometheus.yml")
	text := fmt.Sprintf("global: {scrape_interval: 100ms, scrape_timeout: 100ms}\nscrape_configs:\n- job_name: story\n  static_configs: [{targets: [%q]}]\n", target)
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	var log bytes.Buffer
	// With this look-back a sample counts at its own time alone, so a gap shows.
	cmd := exec.Command(program, "--config.file="+config, "--storage.tsdb.path="+filepath.Join(dir, "data"),
		"--web.listen-address="+address, "--query.lookback-delta=1s")
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		if t.Failed() {
			t.Logf("%s", &log)
		}
	})
	return "http://" + address
}

// A live server that scraped a small exporter: values to the last digit at their times,
// zeros, gaps, a restart and a replaced node.
func TestPrometheus_live_exact(t *testing.T) {
	t.Parallel() // the server takes 5 s to look at its list of targets
	// Samples carry their own times, in the past hour, which the server takes, so nothing
	// here depends on when it scrapes.
	start := time.Now().Unix()/everyS*everyS - 1800
	var next atomic.Int64
	exporter := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4")
		w.Write([]byte(page(int(next.Add(3)), start))) // three more at each scrape
	}))
	defer exporter.Close()
	p := &Prometheus{URL: startPrometheus(t, strings.TrimPrefix(exporter.URL, "http://"))}
	ctx, cancel := context.WithTimeout(context.Background(), 90*time.Second) // a loaded machine starts it slowly
	defer cancel()
	span := Range{float64(start), float64(start + moments*everyS), everyS}
	const query = `{__name__=~"reads_total|goodput|latency_seconds"}`
	last := float64(start + (moments-1)*everyS)
	d := &Data{}
	for {
		got, err := p.QueryRange(ctx, query, span)
		if err == nil {
			if d = got; slices.ContainsFunc(d.Series, func(s Series) bool { return len(s.T) > 0 && s.T[len(s.T)-1] == last }) {
				break
			}
		}
		select {
		case <-ctx.Done():
			t.Fatalf("the last sample does not come; last error %v, data %s", err, told(d, nil))
		case <-time.After(200 * time.Millisecond):
		}
	}
	checkData(t, d)

	at := func(n int) float64 { return float64(start + int64(n)*everyS) }
	by := map[string]*Series{}
	for i := range d.Series {
		name, _, _ := strings.Cut(d.Series[i].Name, "{")
		by[name+d.Series[i].Labels["node"]] = &d.Series[i]
	}
	goodput, one, two, latency := by["goodput"], by["reads_total1"], by["reads_total2"], by["latency_seconds"]
	if goodput == nil || one == nil || two == nil || latency == nil {
		t.Fatalf("series %s", told(d, nil))
	}
	var times, values []float64
	for n := range moments {
		if n >= goneFrom && n < goneUntil {
			continue
		}
		times, values = append(times, at(n)), append(values, goodputAt(n))
	}
	if !slices.Equal(goodput.T, times) || !slices.Equal(goodput.V, values) {
		t.Errorf("goodput %v at %v, want %v at %v", goodput.V, goodput.T, values, times)
	}
	if gaps := goodput.Gaps(); !slices.Equal(gaps, []Gap{{at(goneFrom - 1), at(goneUntil)}}) {
		t.Errorf("gaps %v", gaps)
	}
	if latency.Unit != "s" || latency.Samples != 0 || latency.Missing != moments {
		t.Errorf("latency %+v", latency)
	}
	rate, did, err := Rate("reads_total", []Series{*one, *two}, everyS)
	if err != nil || did.Resets != 1 || did.Started != 1 || did.Gaps != 0 || len(rate.V) != moments-1 {
		t.Fatalf("%+v, %v, %v", rate, did, err)
	}
	for i, v := range rate.V { // 30 in a quarter of a minute, through the restart and the replacement
		if v != 30./everyS || rate.T[i] != at(i) {
			t.Errorf("rate %v at %v, want %v at %v", v, rate.T[i], 30./everyS, at(i))
		}
	}

	if _, err := p.QueryRange(ctx, "sum(", span); err == nil || !strings.Contains(err.Error(), "parse error") {
		t.Errorf("a query that is none: %v", err)
	}
}
