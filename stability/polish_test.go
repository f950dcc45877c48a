package stability

import (
	"testing"

	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/model"
)

// A collapse so deep that the content, which nothing fills, decays far slower than the
// queues move is certain all the same: the eigenvalue of the content is its own, minus
// the inverse of its time to live.
func TestEquilibria_loners_exact(t *testing.T) {
	sys, err := scenariotest.Shipped(t, "slack-2022-02-22").Compile()
	if err != nil {
		t.Fatal(err)
	}
	for _, traffic := range []float64{5, 20, 80} {
		r, err := Equilibria(sys, model.Moment{Traffic: traffic, Throttle: -1}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if v := r.Verdict(); v != CertainToFail || len(r.Equilibria) != 1 {
			t.Errorf("traffic %g: %d states, %s", traffic, len(r.Equilibria), v)
			continue
		}
		const ttl = 7 * 86400
		if got, want := real(r.Equilibria[0].Leading), -1./ttl; !(got < 0 && got/want < 1.001 && got/want > 0.999) {
			t.Errorf("traffic %g: leading eigenvalue %g, want %g", traffic, got, want)
		}
	}
}
