package browsertest

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/metastable/metastable/internal/cli"
)

// The page of a review opens from disk in either theme on a desktop and on a phone: every
// figure is drawn, nothing is cut off, not even a title in one long word, and its links lead where they say.
func TestReview(t *testing.T) {
	b := open(t)
	dir := t.TempDir()
	if status := cli.Do(context.Background(), []string{"review", "hotos21-retry", "--draws", "1", "-q", "-o", dir, "--set", "title=" + strings.Repeat("word", 20)}, nil, io.Discard, t.Output()); status != 0 {
		t.Fatalf("exit status %d", status)
	}
	paper := map[string]string{}
	for _, theme := range []string{"light", "dark"} {
		for name, size := range screens {
			b.screen(size, theme)
			b.do(chromedp.Navigate("file://" + filepath.Join(dir, "report.html")))
			b.until("document.querySelectorAll('.plot').length > 3 && [...document.querySelectorAll('.plot')].every((e) => e.querySelector('svg.main-svg'))")
			b.fits()
			b.shoot("review-" + name + "-" + theme)
			paper[theme] = value[string](b, "getComputedStyle(document.body).backgroundColor")
		}
	}
	if paper["light"] == paper["dark"] {
		t.Errorf("the page is %s in both themes", paper["light"])
	}
	b.screen(desktop, "light")
	for _, id := range value[[]string](b, "[...document.querySelectorAll('nav a')].map((a) => a.getAttribute('href'))") {
		b.click("nav a[href='" + id + "']")
		b.until("(() => { const y = document.querySelector('" + id + "').getBoundingClientRect().top; return y >= 0 && y < innerHeight; })()")
	}
	b.quiet()
}
