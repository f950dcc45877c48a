package telemetry

import (
	"fmt"
	"math"
)

// A Resampler puts samples in bins of equal width, [k·step, (k+1)·step), and takes their
// mean. It takes samples in any order, and memory for the bins alone.
type Resampler struct {
	step    float64
	bins    map[int64]*bin
	samples int
}

type bin struct {
	n   int
	sum float64
}

// maxBins is where a step is taken for a mistake: 64 MB or so.
const maxBins = 1 << 20

// NewResampler returns one for a step (s). It fails unless the step is positive and finite.
func NewResampler(step float64) (*Resampler, error) {
	if !(step > 0) || math.IsInf(step, 0) {
		return nil, fmt.Errorf("a step of %v s: want above 0", step)
	}
	return &Resampler{step: step, bins: map[int64]*bin{}}, nil
}

// Add takes a sample. It fails where there would be more than a million bins, and for
// values whose sum is no number.
func (r *Resampler) Add(t, v float64) error {
	at := math.Floor(t / r.step)
	if math.Abs(at) > 1<<53 {
		return fmt.Errorf("a step of %v s is too short for a time of %v s", r.step, t)
	}
	k := int64(at)
	b := r.bins[k]
	if b == nil {
		if len(r.bins) == maxBins {
			return fmt.Errorf("a step of %v s makes more than %d bins", r.step, maxBins)
		}
		b = &bin{}
		r.bins[k] = b
	}
	if math.IsInf(b.sum+v, 0) {
		return fmt.Errorf("values near %v s are too large for a mean", t)
	}
	b.n++
	b.sum += v
	r.samples++
	return nil
}

// Resampled says what a resampling did.
type Resampled struct {
	Step          float64 // s
	Samples, Bins int     // put into the bins that have one
	Empty         int     // bins between the first and the last that have none, and stay so
	Least, Most   int     // samples in a bin
}

// String returns one line.
func (r Resampled) String() string {
	return fmt.Sprintf("%d samples to %d means over %g s (%d to %d each); %d bins in between are empty and stay so",
		r.Samples, r.Bins, r.Step, r.Least, r.Most, r.Empty)
}

// Series returns the means as a series that is otherwise like info; each is at the start
// of its bin. Bins without a sample are gaps: nothing is interpolated or held.
func (r *Resampler) Series(info Info) (Series, Resampled) {
	s := Series{Info: info}
	for k, b := range r.bins {
		s.T = append(s.T, float64(k)*r.step)
		s.V = append(s.V, b.sum/float64(b.n))
	}
	s.sort()
	s.Cells, s.Samples, s.Missing, s.Refused = len(s.T), len(s.T), 0, 0
	did := Resampled{Step: r.step, Samples: r.samples, Bins: len(s.T)}
	for _, b := range r.bins {
		if did.Least == 0 || b.n < did.Least {
			did.Least = b.n
		}
		did.Most = max(did.Most, b.n)
	}
	if n := len(s.T); n > 0 {
		did.Empty = int(math.Round((s.T[n-1]-s.T[0])/r.step)) + 1 - n
	}
	return s, did
}

// Resample returns the means over bins of a step (s), as [Resampler] takes them.
func (s *Series) Resample(step float64) (Series, Resampled, error) {
	r, err := NewResampler(step)
	if err != nil {
		return Series{}, Resampled{}, err
	}
	for i, t := range s.T {
		if err := r.Add(t, s.V[i]); err != nil {
			return Series{}, Resampled{}, err
		}
	}
	out, did := r.Series(s.Info)
	return out, did, nil
}
