package model

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"reflect"
	"slices"
	"strings"
)

var (
	timeSpec   = fieldSpec{unit: "s", rng: parseInterval("[0,1e9]")}
	factorSpec = fieldSpec{unit: "share", rng: parseInterval("[0,1e6]")}
	shareSpec  = fieldSpec{unit: "share", rng: parseInterval("[0,1]")}
	floatType  = reflect.TypeFor[float64]()
)

// list reports whether n is a list, not longer than the limit.
func (d *decoder) list(n *yamlNode, key, what string, limit int) bool {
	if n.kind != listNode {
		d.want(n, key, "a list of "+what)
		return false
	}
	if len(n.items) > limit {
		d.fail(n, key, "%d entries; the limit is %d", len(n.items), limit)
		return false
	}
	return true
}

// pairs reads a list of pairs of numbers.
func (d *decoder) pairs(n *yamlNode, key, what string, limit int, first, second *fieldSpec, add func(a, b float64)) {
	if !d.list(n, key, what, limit) {
		return
	}
	for i, item := range n.items {
		at := fmt.Sprintf("%s.%d", key, i)
		d.marks[at] = item
		if item.kind != listNode || len(item.items) != 2 {
			d.want(item, at, "a pair of numbers; the whole is a list of "+what)
			continue
		}
		a, ok1 := d.number(first, item.items[0], at, floatType)
		b, ok2 := d.number(second, item.items[1], at, floatType)
		if ok1 && ok2 {
			add(a, b)
		}
	}
}

func (d *decoder) profile(x *Profile, n *yamlNode, key string) {
	*x = Profile{}
	if n.kind == scalarNode && n.text == "none" {
		return
	}
	if n.kind == mappingNode {
		x.CSV = new(CSVColumns)
		before := len(d.errs)
		d.structure(reflect.ValueOf(x.CSV).Elem(), n, key)
		if len(d.errs) > before {
			return
		}
		d.readCSV(x.CSV.CSV, n, key, []string{x.CSV.Time, x.CSV.Value}, []*fieldSpec{&timeSpec, &factorSpec}, func(row []float64) {
			x.Points = append(x.Points, Point{row[0], row[1]})
		})
		return
	}
	d.pairs(n, key, "[time, factor] pairs, such as [[0h, 0.5], [6h, 1]], or {csv: FILE}", maxPoints, &timeSpec, &factorSpec, func(a, b float64) {
		x.Points = append(x.Points, Point{a, b})
	})
}

func (d *decoder) weights(x *[]Weight, n *yamlNode, key string) {
	*x = nil
	d.pairs(n, key, "[share of keys, share of accesses] pairs", maxClassBins, &shareSpec, &shareSpec, func(a, b float64) {
		*x = append(*x, Weight{a, b})
	})
}

func (d *decoder) curve(x *CurveTable, n *yamlNode, key string) {
	before := len(d.errs)
	*x = CurveTable{}
	d.structure(reflect.ValueOf(x).Elem(), n, key)
	if len(d.errs) > before {
		return
	}
	load := fieldSpec{unit: "work/s", rng: parseInterval("[0,1e15]")}
	d.readCSV(x.CSV, n, key, []string{"load", "latency_mean", "timeout_probability"}, []*fieldSpec{&load, &timeSpec, &shareSpec}, func(row []float64) {
		x.Load, x.Latency, x.Timeout = append(x.Load, row[0]), append(x.Latency, row[1]), append(x.Timeout, row[2])
	})
}

// readCSV hands the named columns of a CSV file to add, row by row.
func (d *decoder) readCSV(name string, n *yamlNode, key string, columns []string, specs []*fieldSpec, add func(row []float64)) {
	if d.files == nil {
		d.fail(n, key, "refers to %q, but there are no files beside this scenario to read", name)
		return
	}
	file, err := d.files.Open(name)
	if err != nil {
		var reason *fs.PathError
		if errors.As(err, &reason) {
			err = reason.Err
		}
		if !fs.ValidPath(name) {
			err = errors.New("want a path below the folder of the scenario")
		}
		d.fail(n, key, "cannot read %q: %v", name, err)
		return
	}
	defer file.Close()
	r := csv.NewReader(io.LimitReader(file, maxFileSize))
	r.Comment, r.ReuseRecord, r.TrimLeadingSpace = '#', true, true
	header, err := r.Read()
	header = slices.Clone(header)
	if err != nil {
		d.fail(n, key, "%s: no header line: %v", name, err)
		return
	}
	header[0] = strings.TrimPrefix(header[0], "\ufeff")
	index := make([]int, len(columns))
	for i, c := range columns {
		if index[i] = slices.Index(header, c); index[i] < 0 {
			d.fail(n, key, "%s: no column %q%s (it has: %s)", name, c, suggestion(c, header), strings.Join(header, ", "))
			return
		}
	}
	row := make([]float64, len(columns))
	for rows := 0; ; rows++ {
		record, err := r.Read()
		switch {
		case err == io.EOF:
			return
		case err != nil:
			d.fail(n, key, "%s: %v", name, err)
			return
		case rows == maxPoints:
			d.fail(n, key, "%s: more than %d rows", name, maxPoints)
			return
		}
		for i, c := range index {
			x, ok := parseQuantity(strings.TrimSpace(record[c]), specs[i].unit)
			if !ok || !specs[i].allows(x, floatType) {
				line, _ := r.FieldPos(c)
				d.fail(n, key, "%s:%d: column %s: found %q, want %s", name, line, columns[i], shorten(record[c]), specs[i].describe(floatType, math.NaN()))
				return
			}
			row[i] = x
		}
		add(row)
	}
}

// distributions reads the uncertainty of parameters; their quantities have the
// unit of the parameter.
func (d *decoder) distributions(x *[]Distribution, n *yamlNode, key string) {
	*x = nil
	if n.kind != mappingNode {
		d.want(n, key, "a mapping from paths to distributions")
		return
	}
	for _, p := range n.pairs {
		at := join(key, p.key)
		d.marks[at] = p.value
		dist := Distribution{Path: p.key}
		target, err := d.scenario.find(p.key)
		if err == nil {
			target, err = target.float()
		}
		if err != nil {
			d.fail(&yamlNode{line: p.line, col: p.col}, key, "%v", err)
			continue
		}
		if k := target.v.Kind(); k != reflect.Float64 && target.v.Type() != reflect.TypeFor[*float64]() {
			d.fail(&yamlNode{line: p.line, col: p.col}, key, "%s is a whole number; only continuous parameters are uncertain", p.key)
			continue
		}
		if d.distribution(&dist, &target.spec, p.value, at) {
			*x = append(*x, dist)
		}
	}
}

const distributionForms = "{lognormal: {median, cv}}, {normal: {mean, sd}} or {uniform: [lo, hi]}"

func (d *decoder) distribution(x *Distribution, spec *fieldSpec, n *yamlNode, key string) bool {
	if n.kind != mappingNode || len(n.pairs) != 1 {
		d.want(n, key, distributionForms)
		return false
	}
	before := len(d.errs)
	in := *spec
	in.none, in.enum = "", nil
	width := fieldSpec{unit: in.unit, rng: parseInterval("(0,1e15]")}
	cv := fieldSpec{unit: "share", rng: parseInterval("(0,10]")}
	x.Kind = n.pairs[0].key
	v := n.pairs[0].value
	two := func(first string, a *float64, fa *fieldSpec, second string, b *float64, fb *fieldSpec) {
		if !d.mapping(v, join(key, x.Kind), []string{first, second}) {
			return
		}
		d.field(reflect.ValueOf(a).Elem(), keyed(fa, first), v, join(key, x.Kind))
		d.field(reflect.ValueOf(b).Elem(), keyed(fb, second), v, join(key, x.Kind))
	}
	switch x.Kind {
	case "lognormal":
		in.rng.lo, in.rng.loOpen = max(in.rng.lo, 0), true
		two("median", &x.Median, &in, "cv", &x.CV, &cv)
	case "normal":
		two("mean", &x.Mean, &in, "sd", &x.SD, &width)
	case "uniform":
		if v.kind != listNode || len(v.items) != 2 {
			d.want(v, join(key, x.Kind), "[lo, hi]")
			return false
		}
		lo, ok1 := d.number(&in, v.items[0], join(key, x.Kind), floatType)
		hi, ok2 := d.number(&in, v.items[1], join(key, x.Kind), floatType)
		if ok1 && ok2 && lo >= hi {
			d.fail(v, join(key, x.Kind), "the lower end %s is not below the upper end %s", v.items[0].found(), v.items[1].found())
		}
		x.Lo, x.Hi = lo, hi
	default:
		d.fail(&yamlNode{line: n.pairs[0].line, col: n.pairs[0].col}, key, "unknown distribution %q%s; want %s", shorten(x.Kind), suggestion(x.Kind, []string{"lognormal", "normal", "uniform"}), distributionForms)
	}
	return len(d.errs) == before
}

func keyed(f *fieldSpec, key string) *fieldSpec {
	g := *f
	g.key, g.hasDefault = key, false
	return &g
}
