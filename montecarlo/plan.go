package montecarlo

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/metastable/metastable/model"
)

// A Plan is a sweep as a file holds it: all that is needed to run any part of it on any
// machine, with the same results. Its JSON is the file.
type Plan struct {
	// Version of the program that made the plan. Another one may have other results.
	Version string `json:"version"`

	Name     string `json:"name"`     // of the scenario
	Hash     string `json:"hash"`     // of the scenario
	Scenario string `json:"scenario"` // as a file that stands on its own

	// Asked is how the points came about, in words that the results repeat.
	Asked []string `json:"asked"`

	// Paths are the parameters that vary, and Points their values: a number in SI units,
	// or a text as the scenario's file spells it.
	Paths  []string `json:"paths"`
	Points [][]any  `json:"points"`

	// Schedules are those of the throttle that points name.
	Schedules map[string]Schedule `json:"schedules,omitempty"`

	// Joint are the draws of the uncertain parameters, in place of the scenario's laws.
	Joint *Joint `json:"joint,omitempty"`

	Draws int     `json:"draws"`
	Seed  uint64  `json:"seed"`
	RTol  float64 `json:"rtol"` // 0: the default of [Sweep]

	// Boundary, if positive, are the numbers of values of the two axes on whose grid the
	// boundary of collapse is searched; see [Sweep.Boundary].
	Boundary [2]int `json:"boundary,omitzero"`

	// Half, if positive, ends the draws at a point early; see [Sweep.Until].
	Half float64 `json:"half_width"`
}

// NewPlan returns the plan of a sweep, all of whose points set the same paths, after
// [Sweep.Check]. The uncertain parameters have to be those of [Uncertainty], or of
// [Joint.Uncertainty]. Asked and half are those of the Plan.
func NewPlan(s *Sweep, version string, half float64, asked []string) (*Plan, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if !(half >= 0 && half < 0.5) {
		return nil, fmt.Errorf("montecarlo: a half-width of %g; want above 0 and below 0.5", half)
	}
	p := &Plan{
		Version: version, Name: s.Scenario.Name, Hash: s.Scenario.Hash(), Scenario: string(s.Scenario.YAML()),
		Asked: asked, Schedules: s.Schedules, Joint: s.Joint, Draws: s.Draws, Seed: s.Seed, RTol: s.RTol, Half: half,
	}
	for _, set := range s.Points[0] {
		p.Paths = append(p.Paths, set.Path)
	}
	for _, point := range s.Points {
		values := make([]any, len(point))
		for j, set := range point {
			values[j] = set.X
			if set.Text != "" {
				values[j] = set.Text
			}
		}
		p.Points = append(p.Points, values)
	}
	return p, nil
}

// ID names the plan: 16 hexadecimal digits, others for any other plan.
func (p *Plan) ID() string {
	text, err := json.Marshal(p)
	if err != nil {
		panic(err) // numbers are finite and values texts or numbers, or Sweep fails
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// Sweep returns the sweep of a plan as read from a file. It fails for a plan that is
// damaged or was made for a model that reads the scenario in another way.
func (p *Plan) Sweep() (*Sweep, error) {
	sc, err := model.Parse("the plan's scenario", []byte(p.Scenario), nil)
	if err != nil {
		return nil, err
	}
	if sc.Hash() != p.Hash {
		return nil, fmt.Errorf("montecarlo: the plan's scenario has the hash %s, and the plan says %s", sc.Hash(), p.Hash)
	}
	uncertainty := Uncertainty
	if p.Joint != nil {
		uncertainty = p.Joint.Uncertainty
	}
	uncertain, err := uncertainty(sc)
	if err != nil {
		return nil, err
	}
	s := &Sweep{Scenario: sc, Uncertain: uncertain, Joint: p.Joint, Schedules: p.Schedules, Draws: p.Draws, Seed: p.Seed, RTol: p.RTol}
	for i, values := range p.Points {
		if len(values) != len(p.Paths) {
			return nil, fmt.Errorf("montecarlo: point %d of the plan has %d values of %d parameters", i, len(values), len(p.Paths))
		}
		var point Point
		for j, v := range values {
			set := Setting{Path: p.Paths[j]}
			switch v := v.(type) {
			case string:
				set.Text = v
			case float64:
				set.X = v
			default:
				return nil, fmt.Errorf("montecarlo: point %d of the plan: %v is neither a number nor a text", i, v)
			}
			point = append(point, set)
		}
		s.Points = append(s.Points, point)
	}
	if len(s.Points) == 0 || s.Draws < 1 {
		return nil, fmt.Errorf("montecarlo: a plan of %d points and %d draws", len(s.Points), s.Draws)
	}
	return s, nil
}
