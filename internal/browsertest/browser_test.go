// Package browsertest looks at the pages that metastable writes in a browser.
package browsertest

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

var shots = flag.String("shots", "", "write pictures of the pages into this directory")

// Sizes of the screens.
var (
	desktop = [2]int64{1280, 800}
	phone   = [2]int64{390, 844}
	screens = map[string][2]int64{"desktop": desktop, "phone": phone}
)

// A tab is a page in a browser, with what it wrote to its console.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	problems []string
}

// browser returns where the browser is. Without one the test is skipped, but not where CI is
// set.
func browser(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil && os.Getenv("CI") != "" {
		t.Fatal(err)
	}
	if err != nil {
		t.Skip(err)
	}
	return path
}

// open starts a browser with a profile of its own.
func open(t *testing.T) *tab {
	t.Helper()
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browser(t)), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.UserDataDir(t.TempDir()), chromedp.WSURLReadTimeout(time.Minute))
	ctx, stop := chromedp.NewExecAllocator(context.Background(), opts...)
	t.Cleanup(stop)
	ctx, end := chromedp.NewContext(ctx)
	t.Cleanup(end)
	b := &tab{t: t, ctx: ctx}
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return // the browser is closed
			}
			b.mu.Lock()
			b.problems = append(b.problems, m.String())
			b.mu.Unlock()
		}
	}()
	return b
}

// quiet checks that the page wrote nothing to its console.
func (b *tab) quiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.problems {
		b.t.Errorf("on the console: %s", p)
	}
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// screen sets the size of the screen and the theme, light or dark.
func (b *tab) screen(size [2]int64, theme string) {
	b.t.Helper()
	var opts []chromedp.EmulateViewportOption
	if size == phone {
		opts = append(opts, chromedp.EmulateMobile, chromedp.EmulateTouch, chromedp.EmulatePortrait)
	}
	b.do(chromedp.EmulateViewport(size[0], size[1], opts...))
	b.media("prefers-color-scheme", theme)
}

// media sets what the reader prefers.
func (b *tab) media(feature, preference string) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: feature, Value: preference}},
	})
	if err != nil {
		b.t.Fatal(err)
	}
}

// value evaluates an expression on the page.
func value[T any](b *tab, expression string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// until waits for an expression to be true.
func (b *tab) until(expression string) {
	b.t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if value[bool](b, "Boolean("+expression+")") {
			return
		}
		if time.Now().After(end) {
			b.t.Fatalf("never true: %s\n%s", expression, value[string](b, "document.body.innerText"))
		}
	}
}

// click clicks what a selector finds, once it can be clicked: there, enabled, and covered by
// nothing.
func (b *tab) click(selector string) {
	b.t.Helper()
	b.until(fmt.Sprintf(`(() => {
		const e = document.querySelector(%q);
		if (!e || e.disabled) return false;
		e.scrollIntoView({ block: 'center' });
		const box = e.getBoundingClientRect();
		if (!e.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2))) return false;
		e.click();
		return true;
	})()`, selector))
}

// fits checks that nothing is wider than the screen. The width of a phone's window is no measure of it: it grows with what is in it.
func (b *tab) fits() {
	b.t.Helper()
	const wide = `[...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > document.documentElement.clientWidth + 1 && !e.closest('.scroll, nav, .log, svg'))
		.map((e) => e.tagName + '#' + e.id + '.' + e.className).join(' ')`
	if value[bool](b, "document.documentElement.scrollWidth > document.documentElement.clientWidth") {
		b.t.Errorf("the page is %d pixels wide on a screen of %d: %s", value[int](b, "document.documentElement.scrollWidth"),
			value[int](b, "document.documentElement.clientWidth"), value[string](b, wide))
	}
}

// shoot writes a picture of the page if the tests are asked for it.
func (b *tab) shoot(name string) {
	b.t.Helper()
	if *shots == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*shots, name+".png"), png, 0o644); err != nil {
		b.t.Fatal(err)
	}
}
