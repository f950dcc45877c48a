package recovery_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/metastable/metastable/internal/scenariotest"
	"github.com/metastable/metastable/model"
	"github.com/metastable/metastable/recovery"
)

// Where the background alone is more than the database carries no throttle helps. What is
// said to help does when the scenario has it, and 3 % less of it does not.
func TestFind_hopeless(t *testing.T) {
	const left = 0.3 // of the capacity
	find := func(capacity, background float64) error {
		sc := scenariotest.Shipped(t, "slack-2022-02-22")
		sc.Timeline = append(sc.Timeline[:3:3],
			model.Entry{At: morning - 60, Action: model.Capacity, Value: left, Pool: "main"})
		if capacity != 1 {
			if err := sc.SetFloat("pools.main.capacity", capacity*8000); err != nil {
				t.Fatal(err)
			}
		}
		if background != 1 {
			if err := sc.SetFloat("pools.main.background.rate", background*3200); err != nil {
				t.Fatal(err)
			}
		}
		_, err := recovery.Find(at(t, sc, morning), &recovery.Settings{Steps: 2})
		return err
	}
	err := find(1, 1)
	var h *recovery.Hopeless
	if !errors.As(err, &h) || !errors.Is(err, recovery.ErrHopeless) || len(h.Relief) != 1 {
		t.Fatalf("%v, want ErrHopeless and what would help", err)
	}
	r := h.Relief[0]
	t.Log(err)
	if r.Pool != "main" || h.Everyone || math.IsInf(r.Capacity, 1) || !(r.Background > 0 && r.Background < 1) {
		t.Errorf("%+v", h)
	}
	for _, text := range []string{"times the capacity of main", "background load of main cut to"} {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%v, want %q", err, text)
		}
	}
	for _, c := range []struct {
		capacity, background float64
		hopeless             bool
	}{{r.Capacity, 1, false}, {0.97 * r.Capacity, 1, true}, {1, r.Background, false}, {1, 1.03 * r.Background, true}} {
		if err := find(c.capacity, c.background); errors.Is(err, recovery.ErrHopeless) != c.hopeless {
			t.Errorf("%g times the capacity, %g of the background: %v", c.capacity, c.background, err)
		}
	}
}
