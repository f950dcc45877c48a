package calibrate

import (
	"errors"
	"sync"
	"testing"
)

// stopped returns a fit of a line whose predictions end it, once armed, after n of them.
func stopped(t *testing.T) (f *Fit, arm func(n int)) {
	t.Helper()
	p, done := line(12, 3), make(chan struct{})
	var mu sync.Mutex
	left, make0 := -1, p.New
	p.New = func() Predictor {
		predict := make0()
		return func(dst, v []float64) error {
			mu.Lock()
			if left--; left == 0 {
				close(done)
			}
			mu.Unlock()
			return predict(dst, v)
		}
	}
	f, err := New(p, &Settings{Starts: 2, Done: done})
	if err != nil {
		t.Fatal(err)
	}
	return f, func(n int) { left = n }
}

// The end is obeyed within all that takes long, and half an answer is none.
func TestDoneInvariant(t *testing.T) {
	done := make(chan struct{})
	close(done)
	for _, global := range []int{0, 100} {
		if _, err := New(line(12, 3), &Settings{Done: done, Global: global}); !errors.Is(err, ErrInterrupted) {
			t.Errorf("a fit: error %v", err)
		}
	}
	for name, ask := range map[string]func(f *Fit) error{
		"a profile": func(f *Fit) error { _, err := f.Profile("slope", 0.9); return err },
		"profiles":  func(f *Fit) error { _, err := f.Profiles(0.9); return err },
		"a sample":  func(f *Fit) error { _, err := f.Sample(&SampleSettings{Steps: 500}); return err },
	} {
		f, arm := stopped(t)
		before := f.Cost
		arm(15)
		if err := ask(f); !errors.Is(err, ErrInterrupted) {
			t.Errorf("%s: error %v", name, err)
		}
		if f.Cost != before {
			t.Errorf("%s: the fit has moved", name)
		}
	}
	f, arm := stopped(t)
	p, _ := f.Sample(&SampleSettings{Steps: 40}) // too short, and enough
	arm(3)
	if _, err := p.Bands(0.9, 100, 1); !errors.Is(err, ErrInterrupted) {
		t.Errorf("bands: error %v", err)
	}
}
