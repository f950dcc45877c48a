package cli

import (
	"errors"
	"fmt"
	"testing"

	"github.com/metastable/metastable/stability"
)

func TestWording_exact(t *testing.T) {
	for _, c := range []struct{ err, want error }{
		{fmt.Errorf("slack: %w", stability.ErrInterrupted), errors.New("slack: interrupted")},
		{errors.New("stability: model: no start (ode: too many steps)"), errors.New("no start (too many steps)")},
		{errors.New("the model: it has none"), errors.New("the model: it has none")},
	} {
		if got := wording(c.err); got != c.want.Error() {
			t.Errorf("%q becomes %q, want %q", c.err, got, c.want)
		}
	}
}
