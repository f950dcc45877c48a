package recovery

import (
	"context"

	"github.com/metastable/metastable/internal/ode"
)

// parallel calls do(i) for 0 ≤ i < n on so many workers and returns the error of the
// smallest i that had one.
func parallel(n, workers int, do func(i int) error) error {
	type none struct{}
	_, _, err := ode.Ensemble(context.Background(), n, workers, func() none { return none{} },
		func(_ context.Context, _ none, i int) (none, error) { return none{}, do(i) })
	return err
}
