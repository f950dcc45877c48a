package plots

import (
	"image/color"

	"golang.org/x/image/font"
	"gonum.org/v1/plot"
	plotfont "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The colours of Okabe and Ito (2008). Their yellow is left out: it is too faint
// for a line on white.
var (
	black      = color.NRGBA{R: 0x00, G: 0x00, B: 0x00, A: 0xff}
	orange     = color.NRGBA{R: 0xe6, G: 0x9f, B: 0x00, A: 0xff}
	skyBlue    = color.NRGBA{R: 0x56, G: 0xb4, B: 0xe9, A: 0xff}
	green      = color.NRGBA{R: 0x00, G: 0x9e, B: 0x73, A: 0xff}
	blue       = color.NRGBA{R: 0x00, G: 0x72, B: 0xb2, A: 0xff}
	vermillion = color.NRGBA{R: 0xd5, G: 0x5e, B: 0x00, A: 0xff}
	purple     = color.NRGBA{R: 0xcc, G: 0x79, B: 0xa7, A: 0xff}
)

// Colours of what is not data.
var (
	inkColor   = color.NRGBA{R: 0x22, G: 0x22, B: 0x22, A: 0xff} // text
	quietColor = color.NRGBA{R: 0x59, G: 0x59, B: 0x59, A: 0xff} // subtitle, axes, marks
	gridColor  = color.NRGBA{R: 0xe4, G: 0xe4, B: 0xe4, A: 0xff}
	shadeColor = color.NRGBA{R: 0xf7, G: 0xe3, B: 0xdc, A: 0xff} // outages
)

// Dash patterns; nil is a solid line. With butt ends, so lengths are as drawn.
var (
	dashed  = []vg.Length{6, 2.5}
	dotted  = []vg.Length{1.5, 1.5}
	dashDot = []vg.Length{7, 2, 1.5, 2}
	dashTwo = []vg.Length{7, 2, 1.5, 2, 1.5, 2}
)

// lineStyle returns the style of the i-th line (from 0) of a panel whose lines are
// of one kind. Seven colours and five patterns: 35 lines differ.
func lineStyle(i int) draw.LineStyle {
	colors := [...]color.NRGBA{blue, vermillion, purple, orange, skyBlue, black, green}
	dashes := [...][]vg.Length{nil, dashed, dashDot, dotted, dashTwo}
	return line(colors[i%len(colors)], 1.5, dashes[i%len(dashes)])
}

// line returns a line style; width in points.
func line(c color.Color, width vg.Length, dashes []vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: c, Width: width, Dashes: dashes}
}

// Text sizes in points.
const (
	titleSize = 15
	labelSize = 10 // axis labels, subtitle
	smallSize = 9  // tick labels, legends, marks
)

// textStyle returns the sans-serif style of the given size in points, aligned left
// on the base line.
func textStyle(size vg.Length, c color.Color) text.Style {
	return text.Style{
		Color:   c,
		Font:    plotfont.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
		Handler: plot.DefaultTextHandler,
	}
}

// bold returns the same style with heavy letters.
func bold(s text.Style) text.Style {
	s.Font.Weight = font.WeightBold
	return s
}
