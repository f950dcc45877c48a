package telemetry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// readJSON reads what one of the known systems answered, one series at a time.
func (sc *scan) readJSON(src io.Reader) error {
	lines := &lineCounter{src: src}
	j := &jsonReader{sc: sc, lines: lines, dec: json.NewDecoder(lines)}
	j.dec.UseNumber()
	err := j.top()
	if err == nil && sc.format == "" {
		err = &ParseError{Line: 1, Why: "JSON of no known source: want the answer of Prometheus (data), CloudWatch (MetricDataResults), Datadog (series) or Graphite (a list of targets)"}
	}
	var parse *ParseError
	if err == nil || errors.As(err, &parse) {
		return err
	}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax), errors.As(err, &kind):
		return &ParseError{Line: j.line(), Why: err.Error()}
	case err == io.EOF, err == io.ErrUnexpectedEOF:
		return &ParseError{Line: j.line(), Why: "the file ends in the middle: it is cut short"}
	}
	return err
}

type jsonReader struct {
	sc    *scan
	dec   *json.Decoder
	lines *lineCounter
}

// sections of the answers, by the key at the top.
var sections = map[string]func(*jsonReader) error{
	"data":              (*jsonReader).prometheus,
	"MetricDataResults": (*jsonReader).cloudWatch,
	"series":            (*jsonReader).datadog,
	"Messages":          (*jsonReader).messages,
	"warnings":          (*jsonReader).said,
	"infos":             (*jsonReader).said,
	"error":             (*jsonReader).failed,
	"NextToken":         (*jsonReader).morePages,
}

func (j *jsonReader) top() error {
	tok, err := j.dec.Token()
	if err != nil {
		return err
	}
	if tok == json.Delim('[') {
		return j.graphite()
	}
	err = j.rest('}', func(key string) error {
		if read := sections[key]; read != nil {
			return read(j)
		}
		return j.skip()
	})
	if err != nil {
		return err
	}
	if _, err := j.dec.Token(); err != io.EOF {
		return &ParseError{Line: j.line(), Why: "something follows the end of the answer"}
	}
	return nil
}

// line is the one that the reader has come to.
func (j *jsonReader) line() int { return j.lines.at(j.dec.InputOffset()) }

func (j *jsonReader) unexpected(got json.Token, want string) error {
	return &ParseError{Line: j.line(), Cell: fmt.Sprint(got), Why: "want " + want}
}

// object calls visit with each key of an object, or does nothing for null.
func (j *jsonReader) object(visit func(key string) error) error {
	return j.enter('{', "an object", func() error { return j.rest('}', visit) })
}

// array calls visit before each element of an array, or does nothing for null.
func (j *jsonReader) array(visit func() error) error {
	return j.enter('[', "a list", func() error { return j.rest(']', func(string) error { return visit() }) })
}

func (j *jsonReader) enter(open json.Delim, want string, inside func() error) error {
	tok, err := j.dec.Token()
	switch {
	case err != nil:
		return err
	case tok == nil:
		return nil
	case tok != open:
		return j.unexpected(tok, want)
	}
	return inside()
}

// rest visits what is left of an array or an object.
func (j *jsonReader) rest(end json.Delim, visit func(key string) error) error {
	for j.dec.More() {
		key := ""
		if end == '}' {
			tok, err := j.dec.Token()
			if err != nil {
				return err
			}
			key, _ = tok.(string)
		}
		if err := visit(key); err != nil {
			return err
		}
	}
	_, err := j.dec.Token()
	return err
}

// skip passes over one value.
func (j *jsonReader) skip() error {
	depth := 0
	for {
		tok, err := j.dec.Token()
		if err != nil {
			return err
		}
		switch tok {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}

// text reads a string; a number or another scalar becomes one.
func (j *jsonReader) text() (string, error) {
	tok, err := j.dec.Token()
	if err != nil {
		return "", err
	}
	switch v := tok.(type) {
	case nil:
		return "", nil
	case json.Delim:
		return "", j.unexpected(v, "a text or a number")
	}
	return fmt.Sprint(tok), nil
}

// point reads [a, b] of a time and a value; swapped: a value and a time.
func (j *jsonReader) point(swapped bool) (p point, err error) {
	var cells []string
	err = j.array(func() error {
		cell, err := j.text()
		cells = append(cells, cell)
		return err
	})
	p.line = j.line()
	if err != nil || len(cells) != 2 {
		p.kind = NotPaired
		p.value = strings.Join(cells, ",")
		return p, err
	}
	p.time, p.value = cells[0], cells[1]
	if swapped {
		p.time, p.value = p.value, p.time
	}
	return p, nil
}

// list reads an array of such points.
func (j *jsonReader) list(swapped bool) (pts []point, err error) {
	err = j.array(func() error {
		p, err := j.point(swapped)
		pts = append(pts, p)
		return err
	})
	return pts, err
}

// A point is what an answer says of one sample.
type point struct {
	time, value string
	line        int
	kind        Kind // why it is refused; empty: it is not
}

// points makes samples of those of one series; factor takes values to the SI unit.
func (j *jsonReader) points(f *found, factor float64, pts []point) error {
	c := clock{zone: j.sc.set.Zone, unit: 1}
	o := &order{name: f.Name}
	j.sc.orders = append(j.sc.orders, o)
	for _, p := range pts {
		if p.kind != "" {
			j.sc.miss(f, p.kind, p.line, p.value)
			continue
		}
		when, ok := c.read(p.time)
		if !ok {
			j.sc.miss(f, BadTime, p.line, p.time)
			continue
		}
		for _, did := range when.did {
			j.sc.notes.add(did, f.Name, p.line, p.time)
		}
		f.Elapsed = when.kind == elapsed
		o.see(when.t, p.line, p.time)
		if err := j.sc.plain(f, factor, when.t, p); err != nil {
			return err
		}
	}
	return nil
}

// plain makes a sample of a point whose value has no unit.
func (sc *scan) plain(f *found, factor, when float64, p point) error {
	if isAbsent(p.value) {
		sc.miss(f, Missing, p.line, p.value)
		return nil
	}
	v, err := strconv.ParseFloat(p.value, 64)
	if err != nil && !math.IsInf(v, 0) {
		sc.miss(f, NotNumber, p.line, p.value)
		return nil
	}
	return sc.sample(f, when, scaled(v, factor), p.line, p.value)
}

// named makes a series whose name may say the unit.
func (sc *scan) named(name string, labels map[string]string) (*found, float64) {
	short, u, ok := unitOfName(name)
	if !ok {
		u.factor = 1
	}
	return sc.add(Info{Name: withLabels(short, labels), Column: withLabels(name, labels), Unit: u.dim, Labels: labels}, 0), u.factor
}

// said repeats the warnings of a source.
func (j *jsonReader) said() error {
	return j.array(func() error {
		text, err := j.text()
		j.sc.notes.add(Said, "", 0, text)
		return err
	})
}

// failed is an answer that is an error; Datadog and Prometheus write it alike.
func (j *jsonReader) failed() error {
	text, err := j.text()
	if err != nil || text == "" {
		return err
	}
	return &ParseError{Line: j.line(), Why: "the source answers with an error: " + text}
}

// lineCounter knows which line an offset is on; offsets must not decrease.
type lineCounter struct {
	src    io.Reader
	read   int64   // bytes
	ahead  []int64 // offsets of line breaks after the last question
	passed int     // line breaks before it
}

// Read implements io.Reader.
func (l *lineCounter) Read(p []byte) (int, error) {
	n, err := l.src.Read(p)
	for i := 0; ; i++ {
		k := bytes.IndexByte(p[i:n], '\n')
		if k < 0 {
			break
		}
		i += k
		l.ahead = append(l.ahead, l.read+int64(i))
	}
	l.read += int64(n)
	return n, err
}

func (l *lineCounter) at(offset int64) int {
	k := 0
	for k < len(l.ahead) && l.ahead[k] < offset {
		k++
	}
	l.passed += k
	l.ahead = l.ahead[k:]
	return l.passed + 1
}
