package cli

import (
	"io"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// A progress is a bar on a terminal for what takes longer than a second. Elsewhere it
// is silent.
type progress struct {
	bars  *mpb.Progress
	bar   *mpb.Bar
	timer *time.Timer
	total float64
	shown int64
}

const progressParts = 1000

// newProgress returns a bar; more is shown after its end.
func newProgress(w io.Writer, total float64, more ...decor.Decorator) *progress {
	late := make(chan any)
	p := &progress{total: total, timer: time.AfterFunc(time.Second, func() { close(late) })}
	p.bars = mpb.New(mpb.WithOutput(w), mpb.WithRenderDelay(late), mpb.WithWidth(60))
	p.bar = p.bars.AddBar(progressParts, mpb.BarRemoveOnComplete(),
		mpb.AppendDecorators(append([]decor.Decorator{decor.Percentage(), decor.Name("  "), decor.AverageETA(decor.ET_STYLE_GO)}, more...)...))
	return p
}

// reach moves the bar to done of the total.
func (p *progress) reach(done float64) {
	if parts := int64(progressParts * done / p.total); parts > p.shown {
		p.shown = parts
		p.bar.SetCurrent(parts)
	}
}

// stop takes the bar away.
func (p *progress) stop() {
	p.timer.Stop()
	p.bar.Abort(true)
	p.bars.Wait()
}
