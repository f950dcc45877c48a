package telemetry

import "math"

// A lane reads the cells of one series.
type lane struct {
	*found
	dim    string  // of the column; empty: a plain number
	factor float64 // of a number without a unit
	signed bool    // the sample has cells with a unit, and the header has none
	asPct  bool    // a share, and bare numbers are percent
	open   bool    // nothing but zeros so far, which have any unit
}

// newLane makes a series of a column. unitCell is its unit where a column tells it.
func (sc *scan) newLane(name string, labels map[string]string, unitCell string, cells []string, comma bool, line int) *lane {
	l := &lane{factor: 1, open: true}
	short, u, ok := unitOfName(name)
	own, told := lookupUnit(unitCell)
	if told {
		short, u, ok = name, own, true
	}
	info := Info{Name: withLabels(short, labels), Column: name}
	if len(labels) > 0 {
		info.Labels = labels
	}
	share := isShare(short)
	bare, large, small := 0, 0, 0
	for _, cell := range cells {
		v, rest, _, isNumber := number(cell, comma)
		if !isNumber {
			continue
		}
		if own, known := lookupUnit(rest); rest != "" && known && own.dim != "" {
			if !ok && l.dim == "" {
				l.dim, l.signed = own.dim, true
			}
			continue
		}
		bare++
		if v > 1.5 {
			large++
		} else if v > 0 && v <= 1 {
			small++
		}
	}
	switch {
	case told:
		l.dim, l.signed = u.dim, true
	case ok:
		l.dim, l.factor = u.dim, u.factor
		l.asPct = share && u.factor == 0.01
	case share && !l.signed:
		l.dim = "1"
		if large > 0 && 2*large > bare {
			l.factor, l.asPct = 0.01, true
		}
	}
	info.Unit = l.dim
	l.found = sc.add(info, line)
	if !told && !isAbsent(unitCell) {
		sc.notes.add(OddUnit, l.Name, line, unitCell)
	}
	return l
}

// read makes a sample of a cell, or counts why not.
// unitCell is the unit of the row, where a column tells it.
func (l *lane) read(t *table, when float64, cell, unitCell string, line int) error {
	sc := t.sc
	if cell == "" && sc.set.BlankZero {
		sc.notes.add(BlankAsZero, l.Name, line, "")
		return sc.sample(l.found, when, 0, line, cell)
	}
	if isAbsent(cell) {
		sc.miss(l.found, Missing, line, cell)
		return nil
	}
	if !t.settled && separated(cell) {
		t.comma, t.doubt = decimalComma([]string{cell})
		t.settled = true
	}
	v, rest, grouped, ok := number(cell, t.comma)
	if !ok {
		sc.miss(l.found, NotNumber, line, cell)
		return nil
	}
	if grouped && t.doubt {
		sc.notes.add(Thousands, l.Name, line, cell)
	}
	if _, known := lookupUnit(unitCell); rest == "" && !known {
		return l.bare(sc, when, v, line, cell)
	}
	if rest == "" {
		rest = unitCell
	}
	rest, utf8 := utf8Or(rest)
	if !utf8 {
		sc.notes.add(Latin1, l.Name, line, "")
	}
	u, ok := lookupUnit(rest)
	if ok && l.open && l.dim == "" && u.dim != "" {
		l.dim, l.Unit, l.signed = u.dim, u.dim, true
	}
	switch {
	case !ok:
		sc.miss(l.found, UnknownUnit, line, cell)
		return nil
	case u.dim == "":
		return l.bare(sc, when, v*u.factor, line, cell)
	case u.dim != l.dim:
		sc.miss(l.found, OtherUnit, line, cell)
		return nil
	}
	return sc.sample(l.found, when, scaled(v, u.factor), line, cell)
}

// bare takes a number without a unit.
func (l *lane) bare(sc *scan, when, v float64, line int, cell string) error {
	l.open = l.open && v == 0
	switch {
	case l.signed && l.dim == "1" && l.share:
		if v > 1.5 && v <= 100 {
			sc.notes.add(AsPercent, l.Name, line, cell)
			v = scaled(v, 0.01)
		}
	case l.signed && v != 0:
		sc.miss(l.found, NoUnit, line, cell)
		return nil
	case l.asPct && v > 0 && v <= 1:
		sc.notes.add(ShareOrPct, l.Name, line, cell)
	}
	return sc.sample(l.found, when, scaled(v, l.factor), line, cell)
}

// scaled is v times a factor. Where the factor is one over a whole number, v is divided
// by that, so that 950 ms is the 0.95 s that a reader would write.
func scaled(v, factor float64) float64 {
	if whole := math.Round(1 / factor); whole > 1 && math.Abs(whole*factor-1) < 1e-12 {
		return v / whole
	}
	return v * factor
}
