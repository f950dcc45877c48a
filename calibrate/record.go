package calibrate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/metastable/metastable/model"
)

// A Record is a posterior as a file holds it: what was fitted to what, and the draws.
type Record struct {
	Kind    string `json:"kind"`    // RecordKind
	Format  int    `json:"format"`  // RecordFormat
	Version string `json:"version"` // of the program that wrote it

	Scenario string   `json:"scenario"` // its name
	Hash     string   `json:"hash"`     // of the scenario before the fit
	Set      []string `json:"set,omitempty"`
	Data     []string `json:"data"`
	Map      []string `json:"map"`

	Parameters []RecordParam `json:"parameters"`
	RHat       float64       `json:"rhat"`
	ESS        float64       `json:"effective_size"`
	Warnings   []string      `json:"warnings,omitempty"` // such as that the chains are too short

	Draws [][]float64 `json:"draws"` // a row a draw with a value for each parameter, in SI units
}

// A RecordParam is a parameter of a Record.
type RecordParam struct {
	Name string  `json:"name"`
	Lo   float64 `json:"lo"`   // bounds
	Hi   float64 `json:"hi"`   //
	Best float64 `json:"best"` // of the fit
}

// What the file of a Record says of itself.
const (
	RecordKind   = "metastable posterior"
	RecordFormat = 1
)

// Record returns the posterior as a file holds it, with at most most of the draws, evenly
// taken. Who was fitted to what is left to fill in.
func (p *Posterior) Record(most int) *Record {
	r := &Record{Kind: RecordKind, Format: RecordFormat, RHat: p.RHat, ESS: p.ESS}
	for i, q := range p.f.Problem.Params {
		r.Parameters = append(r.Parameters, RecordParam{q.Name, q.Lo, q.Hi, p.f.Values[i]})
	}
	n := min(len(p.Draws), most)
	for k := range n {
		r.Draws = append(r.Draws, p.Draws[k*len(p.Draws)/n])
	}
	return r
}

// ReadRecord reads what a Record was written to as JSON. It fails for another file, for one
// of a later format, and for draws that are no numbers or lie outside their bounds.
func ReadRecord(in io.Reader) (*Record, error) {
	const most = 256 << 20 // bytes; a million draws of ten parameters
	text, err := io.ReadAll(io.LimitReader(in, most))
	if err != nil {
		return nil, err
	}
	var head struct {
		Kind   string `json:"kind"`
		Format int    `json:"format"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, fmt.Errorf("calibrate: not a posterior: %w", placed(text, err))
	}
	switch {
	case head.Kind != RecordKind:
		return nil, fmt.Errorf("calibrate: not a posterior: its kind is %q: want %q, as in the file that calibrate writes with its draws", head.Kind, RecordKind)
	case head.Format != RecordFormat:
		return nil, fmt.Errorf("calibrate: a posterior of format %d: this program reads format %d", head.Format, RecordFormat)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	r := &Record{}
	if err := dec.Decode(r); err != nil {
		return nil, fmt.Errorf("calibrate: a damaged posterior: %w", placed(text, err))
	}
	return r, r.check()
}

// placed says on which line of a text an error of JSON is.
func placed(text []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	at := int64(-1)
	switch {
	case errors.As(err, &syntax):
		at = syntax.Offset
	case errors.As(err, &kind):
		at = kind.Offset
	}
	if at < 0 || at > int64(len(text)) {
		return err
	}
	line := 1 + bytes.Count(text[:at], []byte("\n"))
	if kind != nil {
		return fmt.Errorf("line %d: found %s where it does not belong", line, "a JSON "+kind.Value)
	}
	return fmt.Errorf("line %d: %w", line, err)
}

func (r *Record) check() error {
	if len(r.Parameters) == 0 || len(r.Draws) == 0 {
		return fmt.Errorf("calibrate: a damaged posterior: %d draws of %d parameters", len(r.Draws), len(r.Parameters))
	}
	seen := map[string]bool{}
	for _, p := range r.Parameters {
		if p.Name == "" || seen[p.Name] || !(p.Lo <= p.Hi) {
			return fmt.Errorf("calibrate: a damaged posterior: parameter %q from %g to %g: want each name once, and bounds in order", p.Name, p.Lo, p.Hi)
		}
		seen[p.Name] = true
	}
	for i, d := range r.Draws {
		if len(d) != len(r.Parameters) {
			return fmt.Errorf("calibrate: a damaged posterior: draw %d has %d values: want %d, one for each parameter", i+1, len(d), len(r.Parameters))
		}
		for k, v := range d {
			p, slack := r.Parameters[k], 1e-9*math.Abs(d[k])
			if !(v >= p.Lo-slack && v <= p.Hi+slack) {
				return fmt.Errorf("calibrate: a damaged posterior: draw %d has %s = %g, outside its bounds %g to %g", i+1, p.Name, v, p.Lo, p.Hi)
			}
		}
	}
	return nil
}

// For returns the parameters of a record that hold for a scenario as a whole, by path, and
// their draws, whole numbers rounded. What belongs to a recording, such as the offset of its
// clock, is left out. It fails where nothing is left and for draws that the scenario does
// not allow.
func (r *Record) For(sc *model.Scenario) (paths []string, draws [][]float64, err error) {
	var keep []int
	for i, p := range r.Parameters {
		if p.Name != Offset && !strings.Contains(p.Name, ":") {
			keep, paths = append(keep, i), append(paths, p.Name)
		}
	}
	if len(keep) == 0 {
		return nil, nil, fmt.Errorf("calibrate: no parameter of the posterior holds beyond its recording")
	}
	trial := sc.Clone()
	for i, d := range r.Draws {
		row := make([]float64, len(keep))
		for k, at := range keep {
			row[k] = d[at]
			if trial.SetFloat(paths[k], row[k]) != nil { // a whole number
				row[k] = math.Round(row[k])
			}
			if err := trial.SetFloat(paths[k], row[k]); err != nil {
				return nil, nil, fmt.Errorf("calibrate: draw %d of the posterior: %w", i+1, err)
			}
		}
		draws = append(draws, row)
	}
	return paths, draws, nil
}
