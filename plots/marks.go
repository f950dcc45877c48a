package plots

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A mark is a vertical line at x with a name above it, in canvas units.
type mark struct {
	x    vg.Length
	name string
	span [2]vg.Length // of the text, which begins or ends at the line
	row  int          // 0 is the lowest
}

const markRow = vg.Length(12) // height of a row of names

// A markRule says how names are set above their lines.
type markRule struct {
	rows    int       // most rows
	gap     vg.Length // from a line to a text
	centred bool      // above its line; else beside it
}

var (
	nameRule   = markRule{rows: 4, gap: 3}
	numberRule = markRule{rows: 9, gap: 0.5, centred: true}
)

// starts are the places where the text of a mark at x may begin, best first.
func (r *markRule) starts(x, width vg.Length) []vg.Length {
	if r.centred {
		return []vg.Length{x - width/2, x + r.gap, x - r.gap - width}
	}
	return []vg.Length{x + r.gap, x - r.gap - width}
}

// place gives every mark (xs ascending) one of the rows and a side such that no name
// lies on another or on another's line, within lo…hi. Marks that find no room are
// left out.
//
// From right to left each takes the lowest free row, so that a line rises beside the
// names to its right and never through them.
func (r *markRule) place(xs []vg.Length, names []string, style text.Style, lo, hi vg.Length) []mark {
	var placed []mark
	for i, x := range slices.Backward(xs) {
		width := style.Width(names[i])
		for _, start := range r.starts(x, width) {
			m := mark{x: x, name: names[i], span: [2]vg.Length{start, start + width}}
			if m.span[0] >= lo && m.span[1] <= hi && r.settle(&m, placed) {
				placed = append(placed, m)
				break
			}
		}
	}
	slices.Reverse(placed)
	return placed
}

// settle puts m in the lowest row where it collides with nothing placed so far.
func (r *markRule) settle(m *mark, placed []mark) bool {
	for m.row = 0; m.row < r.rows; m.row++ {
		if !slices.ContainsFunc(placed, func(o mark) bool { return r.collide(m, &o) }) {
			return true
		}
	}
	return false
}

func (r *markRule) collide(m, o *mark) bool {
	switch {
	case m.row == o.row:
		return m.span[0] < o.span[1]+2*r.gap+1 && o.span[0] < m.span[1]+2*r.gap+1
	case m.row < o.row:
		return r.covers(m, o.x)
	default:
		return r.covers(o, m.x)
	}
}

// covers reports whether a line at x would touch the name.
func (r *markRule) covers(m *mark, x vg.Length) bool {
	return m.span[0] < x+r.gap && x-r.gap < m.span[1]
}

// labelMarks returns the marks with their names, or, where these find no room, with
// numbers, and then the key that explains them. Those close together share one label; a number without room is in the key
// alone.
func labelMarks(xs []vg.Length, names, stamps []string, style text.Style, lo, hi vg.Length) (marks []mark, key []string) {
	marks = nameRule.place(xs, names, style, lo, hi)
	if len(marks) == len(xs) {
		return marks, nil
	}
	numbers := make([]string, len(names))
	for i, name := range names {
		numbers[i] = strconv.Itoa(i + 1)
		key = append(key, numbers[i]+"  "+stamps[i]+"  "+name)
	}
	xs, numbers = together(xs, numbers)
	return numberRule.place(xs, numbers, style, lo, hi), key
}

// together joins marks that stand too close for a number each: 4 and 5 become 4–5.
func together(xs []vg.Length, numbers []string) (at []vg.Length, joined []string) {
	const apart = 6 // points
	for i, x := range xs {
		n := len(at) - 1
		if n >= 0 && x-xs[i-1] < apart {
			first, _, _ := strings.Cut(joined[n], "–")
			joined[n] = first + "–" + numbers[i]
			continue
		}
		at, joined = append(at, x), append(joined, numbers[i])
	}
	return at, joined
}

// rowsOf returns how many rows marks take.
func rowsOf(marks []mark) int {
	rows := 0
	for _, m := range marks {
		rows = max(rows, m.row+1)
	}
	return rows
}

// drawMarks writes the names above y = base and draws the lines up to them.
func drawMarks(c draw.Canvas, marks []mark, base vg.Length, style text.Style) {
	for _, m := range marks {
		y := base + vg.Length(m.row)*markRow
		top := y + markRow - 3 // beside the name
		if m.span[0] < m.x && m.x < m.span[1] {
			top = y + 1 // below it
		}
		c.StrokeLine2(markStyle, m.x, base, m.x, top)
		c.FillText(style, vg.Point{X: m.span[0], Y: y + 3}, m.name)
	}
}

// markStyle is the line of a mark, in the panels and above them.
var markStyle = line(quietColor, 0.6, nil)

// drawKey lists key in columns at the bottom of c, no higher than a fifth of it, and
// returns what is left of it.
func drawKey(c draw.Canvas, key []string) draw.Canvas {
	if len(key) == 0 {
		return c
	}
	const gap = vg.Length(18)
	style := textStyle(smallSize, inkColor)
	width := vg.Length(0)
	for _, k := range key {
		width = max(width, style.Width(k)+gap)
	}
	columns := max(1, int((c.Max.X-c.Min.X+gap)/width))
	rows := (len(key) + columns - 1) / columns
	if most := int((c.Max.Y - c.Min.Y) / 5 / markRow); rows > most {
		rows = most
		last := rows*columns - 1
		key = append(slices.Clone(key[:last]), fmt.Sprintf("… and %d more", len(key)-last))
	}
	for i, k := range key {
		x := c.Min.X + vg.Length(i/rows)*width
		c.FillText(style, vg.Point{X: x, Y: c.Min.Y + vg.Length(rows-1-i%rows)*markRow}, k)
	}
	c.Min.Y += vg.Length(rows)*markRow + 6
	return c
}
