package browsertest

import (
	"bufio"
	"bytes"
	"context"
	encoding "encoding/csv"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/metastable/metastable/internal/cli"
)

const slack = "slack-2022-02-22"

// written writes the page of a scenario and returns its address on the disk.
func written(t *testing.T, scenario string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "page.html")
	if status := cli.Do(context.Background(), []string{"explore", scenario, "-o", path, "-q"}, nil, io.Discard, t.Output()); status != 0 {
		t.Fatalf("exit status %d", status)
	}
	return "file://" + path
}

// choose opens the page and starts by the choice that begins with the words.
func (b *tab) choose(url, words string) {
	b.t.Helper()
	b.do(chromedp.Navigate(url))
	b.until("document.querySelector('#start[open]')")
	b.fits()
	b.until(fmt.Sprintf("[...document.querySelectorAll('#start button')].find((x) => x.textContent.startsWith(%q))?.click() ?? true", words))
	b.until("document.activeElement.id === 'play'") // the last that a start does
	b.stop()
}

// stop stops the clock.
func (b *tab) stop() {
	b.until("!explorer.playing || (document.querySelector('#play').click(), true)")
}

// at moves the clock, on the slider, and says what happens there.
func (b *tab) at(clock string) string {
	b.t.Helper()
	var h, m int
	if _, err := fmt.Sscanf(clock, "%d:%d", &h, &m); err != nil {
		b.t.Fatal(err)
	}
	return value[string](b, fmt.Sprintf("{const e = document.querySelector('#time'); e.value = %d; e.dispatchEvent(new Event('input')); document.querySelector('#state strong').textContent}", (60*h+m)*60))
}

// press clicks a button and waits for the day that follows.
func (b *tab) press(id string) {
	b.t.Helper()
	b.click("#" + id)
	b.until("!explorer.game.busy")
}

func (b *tab) throttle(limit string) {
	b.t.Helper()
	b.do(chromedp.SetValue("#rate", limit))
	b.press("throttle")
}

func (b *tab) said(clock, want string) {
	b.t.Helper()
	if got := b.at(clock); got != want {
		b.t.Errorf("at %s the page says %q, want %q", clock, got, want)
	}
}

// act does what was done on 22 February.
func (b *tab) act() {
	b.t.Helper()
	for _, clock := range []string{"0:30", "3:00", "6:02"} {
		b.at(clock)
		b.press("rollout")
	}
	b.said("6:05", "The rollout hurts the cache faster than it refills.")
	b.said("6:14", "It feeds itself.")
	b.at("6:18")
	b.press("pause")
	b.said("6:39", "It feeds itself.") // pausing has no effect
	b.shoot("down")
	b.at("6:40")
	b.throttle("400")
	b.said("7:04", "The cache refills behind the throttle.")
	b.at("7:05")
	b.throttle("2500")
	b.said("7:12", "The throttle is too high.") // it relapses
	for _, step := range [][2]string{           // small steps
		{"7:15", "300"},
		{"7:25", "500"},
		{"7:35", "fix 0"},
		{"7:45", "1000"},
		{"7:55", "2000"},
		{"8:05", "fix 1"},
		{"8:25", "3000"},
		{"8:45", "4500"},
	} {
		b.at(step[0])
		var fix int
		if n, _ := fmt.Sscanf(step[1], "fix %d", &fix); n == 1 {
			b.click(fmt.Sprintf("#fixes button:nth-of-type(%d)", fix+1))
			b.until("!explorer.game.busy")
			continue
		}
		b.throttle(step[1])
	}
	b.at("9:10")
	b.press("off")
	b.said("9:14", "Home.")
	b.shoot("home")
}

func TestExplore(t *testing.T) {
	browser(t)
	url := written(t, slack)
	for name, test := range map[string]func(*tab, string){
		"incident": incident, "link": link, "keys": keys, "screens": onScreens, "less motion": lessMotion,
	} {
		t.Run(name, func(t *testing.T) {
			b := open(t)
			test(b, url)
			b.quiet()
		})
	}
}

// The incident, played by hand: it tips, a pause has no effect, the throttle drains it, too
// large a step relapses, small ones come home. The numbers are those of this program.
func incident(b *tab, url string) {
	t := b.t
	b.screen(desktop, "light")
	b.choose(url, "Play the day")
	b.act()
	b.same()
	b.click("#finish")
	b.until("document.querySelector('#end[open]')")
	if got := value[string](b, "document.querySelector('#end').innerText"); !strings.Contains(got, "2 h 16 min\t2 h 16 min") || !strings.Contains(got, "70 %\t70 %") {
		t.Errorf("the end screen: %s", got)
	}
	b.shoot("end")
	b.click("#look")
	b.shoot("day")

	b.press("undo")
	if n := value[int](b, "explorer.game.actions.length"); n != 14 {
		t.Errorf("%d actions after undo, want 14", n)
	}
	b.said("9:14", "All is well.") // the throttle is still on
}

// A scenario without a cache and without operators is played as well.
func TestExplore_other(t *testing.T) {
	b := open(t)
	b.screen(phone, "light")
	b.choose(written(t, "hotos21-retry"), "Play the day")
	b.throttle("100")
	b.click("#finish")
	b.until("document.querySelector('#end[open]')")
	b.fits()
	b.shoot("other")
	b.quiet()
}

// The page as it is on other screens, while it plays and at rest.
func onScreens(b *tab, url string) {
	t := b.t
	for _, theme := range []string{"light", "dark"} {
		for name, size := range screens {
			b.screen(size, theme)
			b.do(chromedp.Navigate("about:blank"))
			b.choose(url, "Watch")
			b.shoot(name + "-" + theme + "-start")
			for _, clock := range []string{"6:30", "7:10", "9:30"} {
				b.at(clock)
				b.fits()
				b.shoot(name + "-" + theme + "-" + strings.Replace(clock, ":", "", 1))
			}
			b.click("#play")
			b.until("explorer.framesPerSecond > 0 && explorer.game.clock > 9.6 * 3600")
			t.Logf("%s, %s: %d frames in the last second", name, theme, value[int](b, "explorer.framesPerSecond"))
			b.click("#numbers summary")
			b.until("document.querySelectorAll('#numbers tbody tr').length > 100")
			b.fits()
		}
	}
}

// Who wants less motion gets a clock that does not start by itself.
func lessMotion(b *tab, url string) {
	t := b.t
	b.screen(desktop, "light")
	b.media("prefers-reduced-motion", "reduce")
	b.do(chromedp.Navigate(url))
	b.until("document.querySelector('#start[open]')")
	b.click("#start .choices button:last-child")
	b.until("!document.querySelector('dialog[open]') && !explorer.game.busy")
	if value[bool](b, "explorer.playing") {
		t.Error("the clock runs")
	}
	b.do(chromedp.KeyEvent("."))
	if got := value[string](b, "document.querySelector('#clock').textContent"); got != "00:01" {
		t.Errorf("a step leads to %s, want 00:01", got)
	}
}

// The server answers with the page, its type and its policy, and ends when it is interrupted.
func TestExplore_served(t *testing.T) {
	b := open(t)
	ctx, interrupt := context.WithCancel(context.Background())
	defer interrupt()
	r, w := io.Pipe()
	ended := make(chan int)
	go func() {
		ended <- cli.Do(ctx, []string{"explore", slack, "--listen", "127.0.0.1:0", "-q"}, nil, w, t.Output())
	}()
	url, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url = strings.TrimSpace(url)
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if got := res.Header.Get("Content-Type"); got != "text/html; charset=utf-8" {
		t.Errorf("type %q", got)
	}
	if got := res.Header.Get("Content-Security-Policy"); !strings.HasPrefix(got, "default-src 'none'; script-src 'sha256-") || strings.Contains(got, "http") {
		t.Errorf("policy %q", got)
	}
	if res, err := http.Get(url + "other"); err != nil || res.StatusCode != http.StatusNotFound {
		t.Errorf("another path: %v, %v", res.Status, err)
	}
	b.screen(desktop, "light")
	b.choose(url, "Take over")
	b.quiet()
	interrupt()
	if status := <-ended; status != 0 {
		t.Errorf("exit status %d after an interrupt", status)
	}
}

// same checks that the numbers of the day are those of the scenario that the page saves, as
// simulate writes them. The exponentials of the two differ in the last bit, so some steps do
// by what the tolerance, 1e-6 a step, leaves open; at 1e-10 the days agree to 1e-11.
func (b *tab) same() {
	b.t.Helper()
	dir := b.t.TempDir()
	path := filepath.Join(dir, "mine.yaml")
	if err := os.WriteFile(path, []byte(value[string](b, "explorer.game.day.scenario")), 0o644); err != nil {
		b.t.Fatal(err)
	}
	var csv bytes.Buffer
	if status := cli.Do(context.Background(), []string{"simulate", path, "-q"}, nil, &csv, b.t.Output()); status != 0 {
		b.t.Fatalf("simulate: exit status %d", status)
	}
	r := encoding.NewReader(&csv)
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		b.t.Fatal(err)
	}
	got := value[map[string][]float64](b, "Object.fromEntries(Object.entries(explorer.game.day.table).map(([k, v]) => [k, [...v]]))")
	worst := 0.0
	for i, name := range rows[0] {
		var want []float64
		for _, row := range rows[1:] {
			v, err := strconv.ParseFloat(row[i], 64)
			if err != nil {
				b.t.Fatal(err)
			}
			want = append(want, v)
		}
		if len(got[name]) != len(want) {
			b.t.Fatalf("%d rows of %s, want %d", len(got[name]), name, len(want))
		}
		const least = 1e-5 // of the largest in the column: what is smaller is as good as 0
		for k, v := range want {
			worst = max(worst, math.Abs(got[name][k]-v)/max(math.Abs(v), least*slices.Max(want), math.SmallestNonzeroFloat64))
		}
	}
	if !(worst < 1e-5) {
		b.t.Errorf("relative difference of %g to simulate", worst)
	}
	b.t.Logf("largest relative difference to simulate: %.2g; the day took %.0f ms", worst, 1000*value[float64](b, "explorer.game.day.took"))
}

// A link brings the same day to another browser.
func link(b *tab, url string) {
	t := b.t
	b.screen(desktop, "dark")
	b.choose(url, "Take over")
	b.throttle("500")
	b.at("7:00")
	b.press("relax")
	link := value[string](b, "location.href")
	day := value[[]float64](b, "[...explorer.game.day.goodput]")

	other := open(t)
	other.do(chromedp.Navigate(link))
	other.until("globalThis.explorer?.game.actions.length > 0 && !explorer.game.busy")
	if got := value[[]float64](other, "[...explorer.game.day.goodput]"); !slices.Equal(got, day) {
		t.Error("the link's day is another one")
	}
	other.quiet()

	for fragment, want := range map[string]string{
		"#do=60p":  "no rollout is in progress",
		"#do=what": "“what” is no action",
	} {
		other.do(chromedp.Navigate("about:blank"), chromedp.Navigate(url+fragment))
		other.until("document.querySelector('#start[open]')")
		if got := value[string](other, "document.querySelector('#problem').textContent"); !strings.Contains(got, want) {
			t.Errorf("%s: the page says %q, want %q", fragment, got, want)
		}
	}
	other.quiet()
}

// Everything is done by keys, from the first screen to the last.
func keys(b *tab, url string) {
	t := b.t
	b.screen(phone, "light")
	b.do(chromedp.Navigate(url))
	b.until("document.querySelector('#start[open]')")
	b.shoot("phone-start")
	keys := func(keys string) {
		t.Helper()
		for _, k := range keys {
			b.do(chromedp.KeyEvent(string(k)))
			b.until("!explorer.game.busy")
		}
	}
	keys(kb.Enter) // the first choice: take over
	b.until("document.activeElement.id === 'play'")
	keys("p,,t,,,,e")
	if got := value[string](b, "explorer.game.actions.map((a) => a.do + a.value).join(' ')"); got != "rollout0.25 rollout0.25 rollout0.25 pause0 throttle400 throttle600" {
		t.Errorf("actions by keys: %s", got)
	}
	b.shoot("phone")
	keys("uo")
	if got := value[string](b, "explorer.game.actions.at(-1).do"); got != "off" {
		t.Errorf("the last action is %s, want off", got)
	}
	value[string](b, "document.querySelector('#rate').value = ''")
	keys("t")
	if got := value[string](b, "explorer.game.actions.at(-1).do + document.querySelector('#problem').textContent"); !strings.HasPrefix(got, "offThe throttle wants a number") {
		t.Errorf("a throttle without a number: %s", got)
	}
	b.fits()
}
