package site

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"io"
	"strings"
)

var (
	//go:embed page.html
	page string
	//go:embed page.css
	style string
	//go:embed worker.js
	worker string
	//go:embed model.js
	modelScript string
	//go:embed game.js
	gameScript string
	//go:embed chart.js
	chartScript string
	//go:embed page.js
	pageScript string
)

// script is the page's own, in one piece.
func script() string {
	return "'use strict';\n" + strings.Join([]string{modelScript, gameScript, chartScript, pageScript}, "\n")
}

// Policy is the content security policy of the page: its own style and scripts, WebAssembly,
// and nothing from anywhere.
func Policy() string {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return strings.Join([]string{
		"default-src 'none'",
		"script-src " + hash(script()) + " 'wasm-unsafe-eval'",
		"style-src " + hash(style),
		"worker-src blob:",
		"img-src data:",
		"base-uri 'none'",
		"form-action 'none'",
	}, "; ")
}

// A Page is a game as it is shown.
type Page struct {
	Title    string
	Scenario []byte // as a file that refers to no other
	Program  *Program
}

// Write writes the page. All texts are escaped. It fails where w does, with part of the page
// written.
func (p *Page) Write(w io.Writer) error {
	packed, err := pack(p.Program.Wasm)
	if err != nil {
		return err
	}
	t, err := template.New("page").Parse(page)
	if err != nil {
		return err
	}
	data := map[string]any{
		"Page": p, "Policy": Policy(), "Style": template.CSS(style), "Script": template.JS(script()),
	}
	for name, v := range map[string]string{"Scenario": string(p.Scenario), "Worker": string(p.Program.Loader) + "\n" + worker, "Wasm": packed} {
		text, err := json.Marshal(v) // escapes <, > and &
		if err != nil {
			return err
		}
		data[name] = template.JS(text)
	}
	return t.Execute(w, data)
}

// pack compresses the program into text.
func pack(wasm []byte) (string, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return "", err
	}
	if _, err := z.Write(wasm); err != nil {
		return "", err
	}
	if err := z.Close(); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(b.Bytes()), nil
}
