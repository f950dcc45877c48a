package cli

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8/decor"
)

// A runsBar is a bar that also shows how many runs are done a second, and more.
type runsBar struct {
	*progress
	done atomic.Int64
}

func newRunsBar(w io.Writer, more ...decor.Decorator) *runsBar {
	b, start := &runsBar{}, time.Now()
	b.progress = newProgress(w, 1, append([]decor.Decorator{decor.Any(func(decor.Statistics) string {
		return fmt.Sprintf("  %.0f runs/s", float64(b.done.Load())/time.Since(start).Seconds())
	})}, more...)...)
	return b
}

// reach moves the bar to done of all runs.
func (b *runsBar) reach(done, all int) {
	b.done.Store(int64(done))
	b.progress.reach(float64(done) / float64(all))
}
