// Package report writes a review as one HTML page that needs nothing else: no network,
// no other file. Figures can be zoomed and hovered over, and print as pictures; tables
// scroll on a phone; light and dark follow the reader's setting.
package report

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

// A Page is a review.
type Page struct {
	Title    string
	Verdict  string // one sentence, first on the page
	Sections []Section
	About    []Fact // how it was computed
	Scenario string // the file that it was computed from
	Sources  string // Markdown: what the numbers rest on; empty: none
}

// A Section is a part of the page.
type Section struct {
	ID, Title string   // ID: the anchor, letters and dashes, another one in each section
	Points    []string // what it says, each in a sentence with its numbers: shown at the top of the page
	Text      []string // paragraphs
	Facts     []Fact
	Figures   []Figure
	Tables    []Table
	Warnings  []string
}

// A Figure is a picture that can be zoomed into.
type Figure struct {
	Caption string
	Facts   []Fact // what it shows, in words
	Plot    []byte // JSON for plotly.js with data and layout, as plots.Interactive makes it by json.Marshal
	SVG     []byte // the same as a picture, for print and where scripts do not run
}

// A Table is shown as it is.
type Table struct {
	Caption string
	Columns []string
	Rows    [][]string
}

// A Fact is a line of a table of two columns.
type Fact struct{ Name, Value string }

//go:embed page.html
var page string

//go:embed page.css
var style string

//go:embed page.js
var script string

//go:embed assets/plotly-cartesian.min.js
var plotly string

// Write writes the page. All texts are escaped, and of Markdown no markup of its own is
// taken: none can bring tags or scripts; a Plot has to be what json.Marshal wrote. It fails
// where w does, with part of the page written.
func Write(w io.Writer, p *Page) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"json": func(b []byte) template.JS { return template.JS(b) }, // from json.Marshal, which escapes <, > and &
		"picture": func(b []byte) template.URL {
			return template.URL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(b))
		},
		"markdown": markdown,
	}).Parse(page)
	if err != nil {
		return err
	}
	return t.Execute(w, struct {
		*Page
		Style          template.CSS
		Script, Plotly template.JS
	}{p, template.CSS(style), template.JS(script), template.JS(plotly)})
}

// markdown renders a text with tables and links. Tags in it, and links that would run
// scripts, are left out.
func markdown(text string) (template.HTML, error) {
	var b bytes.Buffer
	err := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Linkify)).Convert([]byte(text), &b)
	return template.HTML(b.String()), err
}
