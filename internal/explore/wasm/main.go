//go:build js && wasm

// Command wasm is the game for a browser: it sets the global object metastable, whose
// functions return an object, with the message in error where something fails.
package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"syscall/js"
	"time"

	"github.com/metastable/metastable/internal/explore"
	"github.com/metastable/metastable/model"
)

var object = js.Global().Get("Object")

func main() {
	p := &program{}
	api := object.New()
	for name, f := range map[string]func(js.Value) (map[string]any, error){"open": p.open, "run": p.run} {
		api.Set(name, js.FuncOf(func(_ js.Value, args []js.Value) any { return answer(f, args) }))
	}
	js.Global().Set("metastable", api)
	select {} // until the page is closed
}

// answer calls f with the argument; what fails, and a panic, is in error.
func answer(f func(js.Value) (map[string]any, error), args []js.Value) (out any) {
	defer func() {
		if p := recover(); p != nil {
			out = map[string]any{"error": fmt.Sprintf("this is a bug in metastable: %v", p)}
		}
	}()
	if len(args) != 1 {
		return map[string]any{"error": "want one argument"}
	}
	got, err := f(args[0])
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	return got
}

// A program is a game that is open.
type program struct {
	game *explore.Game
}

// open reads a scenario file.
func (p *program) open(text js.Value) (map[string]any, error) {
	sc, err := model.Parse("scenario.yaml", []byte(text.String()), nil)
	if err != nil {
		return nil, err
	}
	g := explore.New(sc)
	p.game = g
	start := math.NaN() // seconds of the day
	if sc.Start != nil {
		h, m, s := sc.Start.Clock()
		start = float64(h*3600 + m*60 + s)
	}
	var fixes, incident, states []any
	for _, f := range g.Fixes {
		fixes = append(fixes, f.Label)
	}
	for _, a := range g.Incident {
		incident = append(incident, map[string]any{"at": a.At, "do": string(a.Do), "value": a.Value, "over": a.Over})
	}
	for _, s := range explore.States {
		states = append(states, map[string]any{"title": s.Title, "text": s.Text, "tone": s.Tone})
	}
	return map[string]any{
		"start": start, "duration": sc.Duration, "boots": sc.Traffic.Boots,
		"step": g.Step, "stepOver": g.StepOver, "fixes": list(fixes), "incident": list(incident), "states": list(states),
	}, nil
}

// list returns a list that is empty rather than null.
func list(v []any) []any { return append([]any{}, v...) }

// run runs the day with a list of actions.
func (p *program) run(given js.Value) (map[string]any, error) {
	if p.game == nil {
		return nil, fmt.Errorf("no scenario is open")
	}
	var actions []explore.Action
	for i := range given.Length() {
		a := given.Index(i)
		number := func(key string) float64 {
			if v := a.Get(key); v.Type() == js.TypeNumber {
				return v.Float()
			}
			return 0
		}
		actions = append(actions, explore.Action{At: number("at"), Do: explore.Verb(a.Get("do").String()), Value: number("value"), Over: number("over")})
	}
	begun := time.Now()
	d, err := p.game.Run(actions)
	if err != nil {
		return nil, err
	}
	took := time.Since(begun)
	states := make([]float64, len(d.Rows))
	for k, s := range d.State {
		states[k] = float64(s)
	}
	var outages []any
	for _, o := range d.Outages {
		outages = append(outages, []any{o[0], o[1]})
	}
	hit := ""
	if d.Class >= 0 {
		hit = strings.TrimPrefix(d.Columns[d.Class], "hit_rate.")
	}
	return map[string]any{
		"columns": columns(d.Columns, d.Rows), "table": columns(d.Columns, d.Table), "throttle": floats(d.Throttle), "needed": floats(d.Needed), "lost": floats(d.Lost), "state": floats(states),
		"outages": list(outages), "hit": hit, "took": took.Seconds(), "scenario": string(d.Scenario.YAML()),
	}, nil
}

// columns returns an object with a Float64Array for each column.
func columns(names []string, rows [][]float64) js.Value {
	o := object.New()
	column := make([]float64, len(rows))
	for i, name := range names {
		for k, row := range rows {
			column[k] = row[i]
		}
		o.Set(name, floats(column))
	}
	return o
}

// floats returns a Float64Array.
func floats(v []float64) js.Value {
	b := make([]byte, 0, 8*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	bytes := js.Global().Get("Uint8Array").New(len(b))
	js.CopyBytesToJS(bytes, b)
	return js.Global().Get("Float64Array").New(bytes.Get("buffer"))
}
