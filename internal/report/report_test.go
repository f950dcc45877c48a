package report

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

const evil = `</script><script>alert("x")</script><img src=x onerror=alert(1)></style>`

// Whatever the texts hold, the page has the tags of its template and no others.
func TestWrite_escapes_invariant(t *testing.T) {
	tags := regexp.MustCompile(`</?(script|img|style|iframe|a|p|h1)[ >]`)
	count := func(text string) int { return len(tags.FindAllString(written(t, text), -1)) }
	if plain, hostile := count("text"), count(evil); hostile != plain {
		t.Errorf("%d tags with hostile texts, %d with plain ones", hostile, plain)
	}
	if strings.Contains(written(t, evil), "<img src=x") {
		t.Error("an image came through")
	}
}

// The page refers to nothing outside of itself.
func TestWrite_alone_invariant(t *testing.T) {
	refs := regexp.MustCompile(`(?:src|href)="([^"]*)"`)
	body := written(t, "text")
	body = body[:strings.Index(body, "</main>")] // the script of the figures holds texts of its own
	for _, m := range refs.FindAllStringSubmatch(body, -1) {
		if !strings.HasPrefix(m[1], "#") && !strings.HasPrefix(m[1], "data:image/svg") {
			t.Errorf("refers to %q", m[1])
		}
	}
	if n := len(written(t, "text")); n > 3<<20 {
		t.Errorf("an empty page is %d bytes", n)
	}
}

func written(t *testing.T, text string) string {
	t.Helper()
	var buf bytes.Buffer
	err := Write(&buf, &Page{
		Title: text, Verdict: text, Sources: text, Scenario: text,
		Sections: []Section{{
			ID: "a", Title: text, Points: []string{text}, Text: []string{text}, Facts: []Fact{{text, text}}, Warnings: []string{text},
			Figures: []Figure{{Caption: text, Facts: []Fact{{text, text}}, Plot: []byte(`{"data":[],"layout":{"title":"\u003c/script\u003e"}}`), SVG: []byte("<svg></svg>")}},
			Tables:  []Table{{Caption: text, Columns: []string{text}, Rows: [][]string{{text}}}},
		}},
		About: []Fact{{text, text}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return buf.String()
}
