package telemetry

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// prometheus reads the data of query and query_range: values are [s, "text"].
// https://prometheus.io/docs/prometheus/latest/querying/api/
func (j *jsonReader) prometheus() error {
	j.sc.format = "prometheus json"
	return j.object(func(key string) error {
		if key != "result" {
			return j.skip()
		}
		return j.array(j.prometheusSeries)
	})
}

func (j *jsonReader) prometheusSeries() error {
	var labels map[string]string
	var pts []point
	tok, err := j.dec.Token()
	switch {
	case err != nil:
		return err
	case tok != json.Delim('{'):
		return j.unexpected(tok, "a series: the result is a scalar or a text")
	}
	err = j.rest('}', func(key string) error {
		switch key {
		case "metric":
			if err := j.dec.Decode(&labels); err != nil {
				return err
			}
		case "value":
			p, err := j.point(false)
			pts = append(pts, p)
			return err
		case "values":
			pts, err = j.list(false)
			return err
		case "histogram", "histograms":
			j.sc.notes.add(NotRead, key, j.line(), "native histogram")
			return j.skip()
		default:
			return j.skip()
		}
		return nil
	})
	if err != nil {
		return err
	}
	name := labels["__name__"]
	if name == "" && len(labels) == 0 {
		name = "value"
	}
	f, factor := j.sc.named(name, labels)
	return j.points(f, factor, pts)
}

// cloudWatch reads parallel lists of times and values, newest first as a rule.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_MetricDataResult.html
func (j *jsonReader) cloudWatch() error {
	j.sc.format = "cloudwatch json"
	return j.array(func() error {
		var id, label, status string
		var times, values []point
		list := func(into *[]point) error {
			return j.array(func() error {
				cell, err := j.text()
				*into = append(*into, point{value: cell, line: j.line()})
				return err
			})
		}
		texts := map[string]*string{"Id": &id, "Label": &label, "StatusCode": &status}
		err := j.object(func(key string) error {
			switch {
			case key == "Timestamps":
				return list(&times)
			case key == "Values":
				return list(&values)
			case key == "Messages":
				return j.messages()
			case texts[key] == nil:
				return j.skip()
			}
			text, err := j.text()
			*texts[key] = text
			return err
		})
		if err != nil {
			return err
		}
		if label == "" {
			label = id
		}
		f, factor := j.sc.named(label, nil)
		if status != "" && status != "Complete" {
			j.sc.notes.add(Partial, f.Name, 0, status)
		}
		return j.points(f, factor, pair(times, values))
	})
}

// pair puts times and values together; what is left over is refused.
func pair(times, values []point) []point {
	pts := make([]point, max(len(times), len(values)))
	for i := range pts {
		switch {
		case i >= len(times):
			pts[i] = point{kind: NotPaired, value: values[i].value, line: values[i].line}
		case i >= len(values):
			pts[i] = point{kind: NotPaired, value: times[i].value, line: times[i].line}
		default:
			pts[i] = point{time: times[i].value, value: values[i].value, line: values[i].line}
		}
	}
	return pts
}

// messages are CloudWatch's, of Code and Value.
func (j *jsonReader) messages() error {
	return j.array(func() error {
		var code, value string
		err := j.object(func(key string) error {
			text, err := j.text()
			switch key {
			case "Code":
				code = text
			case "Value":
				value = text
			}
			return err
		})
		j.sc.notes.add(Said, "", 0, strings.TrimSpace(code+" "+value))
		return err
	})
}

func (j *jsonReader) morePages() error {
	text, err := j.text()
	if text != "" {
		j.sc.notes.add(Partial, "", 0, "NextToken: there are more pages")
	}
	return err
}

// datadog reads the series of a v1 query: [ms, value or null].
// https://docs.datadoghq.com/api/latest/metrics/#query-timeseries-points
func (j *jsonReader) datadog() error {
	j.sc.format = "datadog json"
	return j.array(func() error {
		var metric, scope string
		var units []*struct {
			ShortName string  `json:"short_name"`
			Name      string  `json:"name"`
			Factor    float64 `json:"scale_factor"`
		}
		var pts []point
		err := j.object(func(key string) (err error) {
			switch key {
			case "metric":
				metric, err = j.text()
			case "scope":
				scope, err = j.text()
			case "unit":
				err = j.dec.Decode(&units)
			case "pointlist":
				pts, err = j.list(false)
			default:
				err = j.skip()
			}
			return err
		})
		if err != nil {
			return err
		}
		var words []string
		for _, u := range units {
			if u == nil {
				continue
			}
			word := u.ShortName
			if _, ok := lookupUnit(word); !ok {
				word = u.Name
			}
			words = append(words, word)
		}
		name := metric
		if scope != "" && scope != "*" {
			name += "{" + scope + "}"
		}
		u, ok := lookupUnit(strings.Join(words, "/"))
		if !ok {
			f, factor := j.sc.named(name, nil)
			return j.points(f, factor, pts)
		}
		return j.points(j.sc.add(Info{Name: name, Column: name, Unit: u.dim}, 0), u.factor, pts)
	})
}

// graphite reads the targets of a render: datapoints are [value or null, s].
// https://graphite.readthedocs.io/en/latest/render_api.html
func (j *jsonReader) graphite() error {
	j.sc.format = "graphite json"
	return j.rest(']', func(string) error {
		target := ""
		var pts []point
		err := j.object(func(key string) (err error) {
			switch key {
			case "target":
				target, err = j.text()
			case "datapoints":
				pts, err = j.list(true)
			default:
				err = j.skip()
			}
			return err
		})
		if err != nil {
			return err
		}
		f, factor := j.sc.named(target, nil)
		return j.points(f, factor, pts)
	})
}

// rawHead matches the start of a line of Graphite's raw format: name,from,until,step|
var rawHead = regexp.MustCompile(`^[^|\t\n]+,\d+,\d+,\d+\|`)

// readRaw reads that format: one series a line, its values after the bar.
func (sc *scan) readRaw(src *bufio.Reader) error {
	sc.format = "graphite raw"
	for line := 1; ; line++ {
		head, err := src.ReadString('|')
		if err != nil && err != io.EOF {
			return err
		}
		if strings.TrimSpace(head) == "" && err == io.EOF {
			return nil
		}
		line += strings.Count(head, "\n") - strings.Count(strings.TrimLeft(head, "\r\n"), "\n")
		head = strings.TrimLeft(head, "\r\n")
		if !rawHead.MatchString(head) {
			return &ParseError{Line: line, Cell: strings.TrimSpace(head), Why: "want name,from,until,step|value,…"}
		}
		if err := sc.rawLine(src, strings.TrimSuffix(head, "|"), line); err != nil {
			return err
		}
	}
}

// rawLine reads the values of one series.
func (sc *scan) rawLine(src *bufio.Reader, head string, line int) error {
	parts := strings.Split(head, ",") // a name may have commas: functions do
	n := len(parts)
	from, errFrom := strconv.ParseFloat(parts[n-3], 64)
	step, errStep := strconv.ParseFloat(parts[n-1], 64)
	if err := errors.Join(errFrom, errStep); err != nil || !(step > 0) {
		return &ParseError{Line: line, Cell: head, Why: "want times and a step above 0 before the bar"}
	}
	f, factor := sc.named(strings.Join(parts[:n-3], ","), nil)
	for k := 0; ; k++ {
		cell, end, err := untilComma(src)
		if err != nil {
			return err
		}
		if cell != "" || !end || k > 0 {
			p := point{value: cell, line: line}
			if err := sc.plain(f, factor, from+float64(k)*step, p); err != nil {
				return err
			}
		}
		if end {
			return nil
		}
	}
}

// untilComma reads a cell; end tells that it is the last one of the line.
func untilComma(src *bufio.Reader) (cell string, end bool, err error) {
	var b bytes.Buffer
	for {
		c, err := src.ReadByte()
		switch {
		case err == io.EOF || err == nil && c == '\n':
			return trim(b.String()), true, nil
		case err != nil:
			return "", true, err
		case c == ',':
			return trim(b.String()), false, nil
		}
		b.WriteByte(c)
	}
}
