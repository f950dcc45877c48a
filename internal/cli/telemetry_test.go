package cli

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A server is asked for the range of the flags, and its words come back.
func TestTelemetry_server_exact(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.ParseForm()
		if got := r.Form.Get("start") + " " + r.Form.Get("end") + " " + r.Form.Get("step"); got != "1645508700.000 1645509600.000 60.000" {
			t.Errorf("asked for %s", got)
		}
		if r.Form.Get("query") == "bad(" {
			w.WriteHeader(http.StatusBadRequest)
			w.Write([]byte(`{"status":"error","errorType":"bad_data","error":"1:5: unclosed left parenthesis"}`))
			return
		}
		w.Write([]byte(`{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":"up"},"values":[[1645508700,"1"],[1645508760,"0"]]}]},"warnings":["store 3 is down"]}`))
	}))
	defer srv.Close()
	ask := func(query, out string) (status int, stderr string) {
		var errs bytes.Buffer
		args := []string{"telemetry", srv.URL, "--query", query, "--last", "15m", "--until", "2022-02-22T06:00:00Z", "--step", "60", "-o", out}
		return Do(context.Background(), args, nil, &bytes.Buffer{}, &errs), errs.String()
	}
	dir := t.TempDir()
	if status, stderr := ask("up", dir); status != statusDone || !strings.Contains(stderr, "store 3 is down") {
		t.Errorf("status %d, stderr %s", status, stderr)
	}
	got, err := os.ReadFile(filepath.Join(dir, "telemetry.tidy.csv"))
	if want := "t_s,series,unit,value\n1645508700,up,,1\n1645508760,up,,0\n"; err != nil || string(got) != want {
		t.Errorf("error %v, file %q, want %q", err, got, want)
	}
	if status, stderr := ask("bad(", dir); status != statusFailed || !strings.Contains(stderr, "1:5: unclosed left parenthesis") {
		t.Errorf("status %d, stderr %s", status, stderr)
	}
}
