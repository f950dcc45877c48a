package plots

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"math"
	"sort"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A panel is one row of a figure: a plot with the name of its vertical axis on the
// left and its legend on the right, outside of the data.
type panel struct {
	plot   *plot.Plot
	label  string
	legend []legendEntry
	items  []plot.Plotter // what is drawn, from the back to the front
}

// add draws one thing more.
func (p *panel) add(item plot.Plotter) {
	p.plot.Add(item)
	p.items = append(p.items, item)
}

// A legendEntry is one line of a legend.
type legendEntry struct {
	name   string
	sample plot.Thumbnailer
}

// Widths and gaps in points.
const (
	margin     = vg.Length(10) // around a figure
	yLabelRoom = vg.Length(18)
	panelGap   = vg.Length(11)
	legendGap  = vg.Length(12) // from the data to a legend
	sampleLen  = vg.Length(25) // of a line in a legend
)

// newPanel returns an empty panel over lo…hi on its horizontal axis, in the plain
// style of all figures: no frame, thin quiet axes.
func newPanel(label string, x plot.Ticker, lo, hi float64, y plot.Ticker) *panel {
	p := plot.New()
	p.BackgroundColor = nil // what lies under all panels is drawn first
	p.X.Min, p.X.Max = lo, hi
	p.X.Tick.Marker, p.Y.Tick.Marker = x, y
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Padding = 0
		a.LineStyle = line(quietColor, 0.6, nil)
		a.Tick.LineStyle = a.LineStyle
		a.Tick.Length = 4
		for _, s := range []*text.Style{&a.Tick.Label, &a.Label.TextStyle} {
			s.Font, s.Color = textStyle(smallSize, nil).Font, inkColor
		}
	}
	p.X.Label.TextStyle.Font.Size = labelSize
	p.X.Label.Padding = 4
	return &panel{plot: p, label: label}
}

// legendWidth returns the room for the legends of panels in points, at most most.
func legendWidth(panels []*panel, most vg.Length) vg.Length {
	style := textStyle(smallSize, inkColor)
	width := vg.Length(0)
	for _, p := range panels {
		for _, e := range p.legend {
			width = max(width, legendGap+sampleLen+style.Width(" "+e.name)+2)
		}
	}
	return min(width, most)
}

// stackPanels draws panels one below the other on c with their data areas aligned
// and equally high; only the lowest shows its horizontal axis. It returns the data
// areas.
func stackPanels(c draw.Canvas, panels []*panel) []draw.Canvas {
	tiles, legends := alignPanels(c, panels)
	areas := make([]draw.Canvas, len(panels))
	for i, p := range panels {
		p.plot.Draw(tiles[i])
		areas[i] = p.plot.DataCanvas(tiles[i])
		drawYLabel(c.Min.X, areas[i], p.label)
		side := draw.Crop(areas[i], areas[i].Max.X-areas[i].Min.X+legendGap, 0, 0, 0)
		side.Max.X = side.Min.X + legends - legendGap
		drawLegend(side, p.legend)
	}
	return areas
}

// drawYLabel writes the name of a vertical axis upward at x, in smaller letters when
// it is longer than the axis.
func drawYLabel(x vg.Length, area draw.Canvas, label string) {
	style := textStyle(labelSize, inkColor)
	style.Font.Size *= min(1, (area.Max.Y-area.Min.Y)/style.Width(label))
	style.Rotation, style.XAlign = math.Pi/2, draw.XCenter
	area.FillText(style, vg.Point{X: x + labelSize, Y: area.Center().Y}, label)
}

// alignPanels returns the canvas of each panel's plot and the width of the legends.
func alignPanels(c draw.Canvas, panels []*panel) (tiles []draw.Canvas, legends vg.Length) {
	legends = legendWidth(panels, (c.Max.X-c.Min.X)/3)
	rows := make([][]*plot.Plot, len(panels))
	for i, p := range panels {
		rows[i] = []*plot.Plot{p.plot}
		if i < len(panels)-1 {
			p.plot.HideX()
		}
	}
	grid := draw.Tiles{Rows: len(rows), Cols: 1, PadY: panelGap}
	for _, row := range plot.Align(rows, grid, draw.Crop(c, yLabelRoom, -legends, 0, 0)) {
		tiles = append(tiles, row[0])
	}
	return tiles, legends
}

// drawLegend lists entries from the top of c, in smaller letters when there are too
// many for its height, and cuts names that are too long for its width.
func drawLegend(c draw.Canvas, entries []legendEntry) {
	const spacing = 1.45 // of the letters' size
	if len(entries) == 0 {
		return
	}
	size := min(smallSize, (c.Max.Y-c.Min.Y)/vg.Length(spacing*float64(len(entries))))
	style := textStyle(size, inkColor)
	for i, e := range entries {
		top := c.Max.Y - vg.Length(i)*spacing*size
		sample := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: c.Min.X, Y: top - size},
			Max: vg.Point{X: c.Min.X + sampleLen, Y: top},
		}}
		e.sample.Thumbnail(&sample)
		x := sample.Max.X + style.Width(" ")
		name := cut(e.name, style, c.Max.X-x)
		c.FillText(style, vg.Point{X: x, Y: top - size*0.85}, name)
	}
}

// cut shortens s with an ellipsis to at most width.
func cut(s string, style text.Style, width vg.Length) string {
	if style.Width(s) <= width {
		return s
	}
	r := []rune(s)
	tooLong := sort.Search(len(r), func(n int) bool { return style.Width(string(r[:n])+"…") > width })
	return string(r[:max(0, tooLong-1)]) + "…"
}

// wrap breaks s between words into at most most lines of at most width; what is too
// long is cut.
func wrap(s string, style text.Style, width vg.Length, most int) []string {
	var lines []string
	for _, word := range strings.Fields(s) {
		n := len(lines)
		if n == most || n > 0 && style.Width(lines[n-1]+" "+word) <= width {
			lines[n-1] += " " + word
			continue
		}
		lines = append(lines, word)
	}
	for i, l := range lines {
		lines[i] = cut(l, style, width)
	}
	return lines
}

// drawLines writes lines downward from the top of c and returns what is left of it.
func drawLines(c draw.Canvas, lines []string, style text.Style) draw.Canvas {
	const spacing = 1.3
	for _, l := range lines {
		c.FillText(style, vg.Point{X: c.Min.X, Y: c.Max.Y - style.Font.Size}, l)
		c.Max.Y -= spacing * style.Font.Size
	}
	return c
}

// drawTitle writes title and subtitle at the top of c and returns what is left of it.
func drawTitle(c draw.Canvas, title, subtitle string) draw.Canvas {
	width := c.Max.X - c.Min.X
	large, small := bold(textStyle(titleSize, inkColor)), textStyle(labelSize, quietColor)
	c = drawLines(c, wrap(title, large, width, 2), large)
	return drawLines(c, wrap(subtitle, small, width, 3), small)
}

const pngDPI = 150

// svgFonts stand in where Liberation Sans is not installed: same widths, so nothing
// moves.
const svgFonts = "font-family:Liberation Sans,Arimo,Helvetica,Arial,sans-serif;"

// encode writes what paint draws on a white canvas of the given size in inches as
// svg or png.
func encode(w io.Writer, format string, width, height float64, paint func(draw.Canvas)) error {
	wide, high := vg.Length(width)*vg.Inch, vg.Length(height)*vg.Inch
	var canvas vg.CanvasWriterTo
	switch format {
	case "svg":
		canvas = vgsvg.New(wide, high)
	case "png":
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(wide, high), vgimg.UseDPI(pngDPI))}
	default:
		return fmt.Errorf("plots: unknown picture format %q: want svg or png", format)
	}
	c := draw.New(canvas)
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	paint(c)
	var buf bytes.Buffer
	if _, err := canvas.WriteTo(&buf); err != nil {
		return fmt.Errorf("plots: %s: %w", format, err)
	}
	out := buf.Bytes()
	if format == "svg" {
		out = bytes.ReplaceAll(out, []byte("font-family:Liberation Sans;"), []byte(svgFonts))
	}
	_, err := w.Write(out)
	return err
}
