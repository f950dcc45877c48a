package telemetry

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// grid is a server whose series x is the time itself; y exists at times that 7 divides.
func grid(t *testing.T, asked *int) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked++
		if r.Method != http.MethodPost || r.URL.Path != "/prom/api/v1/query_range" || r.FormValue("query") != "x or y" {
			t.Errorf("%s %s %q", r.Method, r.URL, r.FormValue("query"))
		}
		number := func(name string) float64 {
			v, err := strconv.ParseFloat(r.FormValue(name), 64)
			if err != nil {
				t.Error(err)
			}
			return v
		}
		var x, y [][2]any
		for at := number("start"); at <= number("end"); at += number("step") {
			x = append(x, [2]any{at, strconv.FormatFloat(at, 'f', -1, 64)})
			if math.Mod(at, 7) == 0 {
				y = append(y, [2]any{at, "0"})
			}
		}
		if len(x) > maxPoints {
			t.Errorf("%d points are asked for at once, the server gives %d", len(x), maxPoints)
		}
		result := []any{map[string]any{"metric": map[string]string{"__name__": "x"}, "values": x}}
		if y != nil {
			result = append(result, map[string]any{"metric": map[string]string{"__name__": "y", "node": "1"}, "values": y})
		}
		json.NewEncoder(w).Encode(map[string]any{
			"status": "success", "warnings": []string{"partial"},
			"data": map[string]any{"resultType": "matrix", "result": result},
		})
	}))
}

// More points than a server gives at once are asked for in turn and joined.
func TestPrometheus_parts_exact(t *testing.T) {
	asked := 0
	srv := grid(t, &asked)
	defer srv.Close()
	p := &Prometheus{URL: srv.URL + "/prom/"}
	const from, step, n = 1645509600, 15, 25000
	d, err := p.QueryRange(context.Background(), "x or y", Range{from, from + (n-1)*step + 14, step})
	if err != nil {
		t.Fatal(err)
	}
	x, y := d.Find("x"), d.Find(`y{node="1"}`)
	if asked != 3 || x == nil || y == nil || len(x.T) != n || x.Cells != n || x.T[0] != from || x.T[n-1] != from+(n-1)*step || !slices.Equal(x.T, x.V) {
		t.Fatalf("asked %d times, x %+v", asked, x)
	}
	if len(y.T) != (n+6)/7 && len(y.T) != n/7 || len(y.Gaps()) != 0 || y.Step() != 7*step {
		t.Errorf("y has %d samples, step %v", len(y.T), y.Step())
	}
	if len(d.Warnings) != 1 || d.Warnings[0].Kind != Said || d.Warnings[0].Count != 3 {
		t.Errorf("warnings %v", d.Warnings)
	}
	checkData(t, d)
}

func TestPrometheus_refused_exact(t *testing.T) {
	for _, c := range []struct {
		name, body string
		status     int
		want       string
	}{
		{"its own words", `{"status":"error","errorType":"bad_data","error":"parse error at char 5"}`, 400, "parse error at char 5"},
		{"a page", "<html>login</html>", 401, "401 Unauthorized"},
		{"a page that is no error", "<html>login</html>", 200, "no delimiter"},
		{"nothing", "", 502, "502 Bad Gateway"},
		{"an answer with a bad status", `{"status":"success","data":{"result":[]}}`, 503, "503 Service Unavailable"},
	} {
		t.Run(c.name, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(c.status)
				w.Write([]byte(c.body))
			}))
			defer srv.Close()
			_, err := (&Prometheus{URL: srv.URL}).QueryRange(context.Background(), "up", Range{0, 10, 1})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
	p := &Prometheus{URL: "http://127.0.0.1:1"}
	for _, r := range []Range{{0, 10, 0}, {10, 0, 1}, {0, math.Inf(1), 1}, {math.NaN(), 1, 1}, {0, 1e12, 1}} {
		if _, err := p.QueryRange(context.Background(), "up", r); err == nil || !strings.Contains(err.Error(), "want") {
			t.Errorf("%+v: error %v", r, err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if _, err := p.QueryRange(ctx, "up", Range{0, 10, 1}); err == nil {
		t.Error("no server, and no error")
	}
}
