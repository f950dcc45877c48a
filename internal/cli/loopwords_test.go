package cli

import (
	"testing"

	"github.com/metastable/metastable/stability"
)

func TestLoopWords_exact(t *testing.T) {
	jumps, smooth := []stability.LoopPoint{{P: 1}, {P: 2, Jump: true}}, []stability.LoopPoint{{P: 1}, {P: 2}}
	for _, c := range []struct {
		loop stability.Loop
		want string
	}{
		{stability.Loop{Up: jumps, Down: jumps}, "it fails at one fold and comes home only at the other."},
		{stability.Loop{Up: jumps, Down: smooth}, "it jumps on the way up and does not come home on the way down."},
		{stability.Loop{Up: smooth, Down: jumps}, "on the way down it jumps, on the way up it does not."},
		{stability.Loop{Up: smooth, Down: smooth}, "it jumps nowhere, and comes home the way it went."},
	} {
		if got := loopWords(&c.loop); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
