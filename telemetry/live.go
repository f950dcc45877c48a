package telemetry

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// A Prometheus is a server to ask over its HTTP API.
type Prometheus struct {
	URL    string       // such as http://localhost:9090; a path before /api is kept
	Client *http.Client // nil: http.DefaultClient
}

// A Range is the time of a query, both ends included (s since 1970), and its step (s).
type Range struct{ From, To, Step float64 }

// maxPoints is what a server returns for one series at most.
const maxPoints = 11000

// QueryRange evaluates a query of PromQL at From, From+Step, … up to To. Times without a
// value are gaps. More points than the server gives at once are asked for in turn. It
// fails for a range that is none, where the server cannot be reached, and with its words
// where it answers with an error.
func (p *Prometheus) QueryRange(ctx context.Context, query string, r Range) (*Data, error) {
	if !(r.Step >= 0.001) || !(r.To >= r.From) || math.IsInf(r.To-r.From, 0) || math.IsInf(r.Step, 0) {
		return nil, fmt.Errorf("from %v to %v in steps of %v s: want from <= to and a step of at least 1 ms", r.From, r.To, r.Step)
	}
	points := math.Floor((r.To-r.From)/r.Step) + 1
	if points > maxBins {
		return nil, fmt.Errorf("%.0f points for each series: want at most %d; take a longer step", points, maxBins)
	}
	all := &Data{Format: "prometheus json"}
	for first := 0.0; first < points; first += maxPoints {
		last := min(first+maxPoints, points) - 1
		part, err := p.query(ctx, query, Range{r.From + first*r.Step, r.From + last*r.Step, r.Step})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.URL, err)
		}
		all.join(part)
	}
	return all, nil
}

func (p *Prometheus) query(ctx context.Context, query string, r Range) (*Data, error) {
	ms := func(s float64) string { return strconv.FormatFloat(s, 'f', 3, 64) }
	form := url.Values{"query": {query}, "start": {ms(r.From)}, "end": {ms(r.To)}, "step": {ms(r.Step)}}
	body := strings.NewReader(form.Encode()) // a query may be too long for an address
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(p.URL, "/")+"/api/v1/query_range", body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	client := p.Client
	if client == nil {
		client = http.DefaultClient
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	d, err := Read(resp.Body, nil)
	var parse *ParseError
	switch {
	case resp.StatusCode != http.StatusOK && (err == nil || errors.As(err, &parse)):
		return nil, fmt.Errorf("the server answers %s: %w", resp.Status, orNothing(err))
	case err != nil:
		return nil, err
	}
	return d, nil
}

// orNothing stands for an answer that says no more than its status.
func orNothing(err error) error {
	if err == nil {
		return errors.New("it says no more")
	}
	return err
}

// join appends the samples of a later part, series by series.
func (d *Data) join(part *Data) {
	at := map[string]int{}
	for i := range d.Series {
		at[d.Series[i].Name] = i
	}
	for _, s := range part.Series {
		i, known := at[s.Name]
		if !known {
			d.Series = append(d.Series, s)
			continue
		}
		own := &d.Series[i]
		own.T, own.V = append(own.T, s.T...), append(own.V, s.V...)
		own.Cells += s.Cells
		own.Samples += s.Samples
		own.Missing += s.Missing
		own.Refused += s.Refused
	}
	for _, w := range part.Warnings {
		w.Lines = nil // lines of several answers say nothing
		d.warn(w)
	}
}
