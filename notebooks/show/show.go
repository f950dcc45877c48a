// Package show puts results of the toolkit into a notebook of the Go kernel gonb.
package show

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"log"
	"slices"
	"strings"

	"github.com/janpfeifer/gonb/gonbui"

	"github.com/metastable/metastable/data"
	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/plots"
)

// Must returns v. Where there is an error it writes it to standard error and ends the cell.
func Must[T any](v T, err error) T {
	if err != nil {
		log.SetFlags(0)
		log.Fatal(err)
	}
	return v
}

// Scenario returns a shipped scenario, changed by settings such as
// "pools.main.capacity=9k/s".
func Scenario(name string, settings ...string) *model.Scenario {
	sc := Must(model.Parse(name, Must(data.Scenario(name)), nil))
	for _, s := range settings {
		path, value, _ := strings.Cut(s, "=")
		Must(sc, sc.Set(path, value))
	}
	return sc
}

// Figure shows what a constructor of package plots returns.
func Figure(f plots.Figure, err error) {
	Must(f, err)
	var picture, small bytes.Buffer
	Must(f, f.Write(&picture, "png"))
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	Must(f, encoder.Encode(&small, paletted(Must(png.Decode(&picture)))))
	gonbui.DisplayPng(small.Bytes())
	gonbui.Sync() // a cell may end before what it shows has arrived
}

// paletted returns the picture in its 256 most frequent colours, which takes less than
// half the room in a file; what is lost is in the edges of letters.
func paletted(m image.Image) *image.Paletted {
	count := map[color.NRGBA]int{}
	r := m.Bounds()
	at := func(i int) color.NRGBA {
		return color.NRGBAModel.Convert(m.At(r.Min.X+i%r.Dx(), r.Min.Y+i/r.Dx())).(color.NRGBA)
	}
	var colors []color.NRGBA // in order of appearance, so that the picture is the same each time
	for i := range r.Dx() * r.Dy() {
		c := at(i)
		if count[c] == 0 {
			colors = append(colors, c)
		}
		count[c]++
	}
	slices.SortStableFunc(colors, func(a, b color.NRGBA) int { return count[b] - count[a] })
	var palette color.Palette
	for _, c := range colors[:min(256, len(colors))] {
		palette = append(palette, c)
	}
	nearest := map[color.NRGBA]uint8{}
	for _, c := range colors {
		nearest[c] = uint8(palette.Index(c))
	}
	out := image.NewPaletted(r, palette)
	for i := range r.Dx() * r.Dy() {
		out.Pix[i] = nearest[at(i)]
	}
	return out
}

// Table shows rows of text under the names of their columns.
func Table(columns []string, rows [][]string) {
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line(columns)
	b.WriteString(strings.Repeat("|---", len(columns)) + "|\n")
	for _, row := range rows {
		line(row)
	}
	gonbui.DisplayMarkdown(b.String())
	gonbui.Sync()
}
