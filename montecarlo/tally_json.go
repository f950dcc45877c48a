package montecarlo

import (
	"encoding/json"
	"math/big"
	"strconv"
)

// tallyFile is a Tally as JSON, with all numbers but counts in hexadecimal, so that
// infinities and the last bit survive.
type tallyFile struct {
	N    int         `json:"n"`
	Min  string      `json:"min"`
	Max  string      `json:"max"`
	Sum  string      `json:"sum"`
	Sq   string      `json:"sq"`
	Inf  [2]int      `json:"inf"`
	Zero int         `json:"zero"`
	Bins map[int]int `json:"bins"`
}

// MarshalJSON writes all there is to know; equal tallies give equal bytes.
func (t *Tally) MarshalJSON() ([]byte, error) {
	hex := func(x float64) string { return strconv.FormatFloat(x, 'x', -1, 64) }
	f := tallyFile{
		N: t.n, Min: hex(t.min), Max: hex(t.max), Sum: t.sum.Text('p', 0), Sq: t.sq.Text('p', 0),
		Inf: t.inf, Zero: t.zero, Bins: t.bins,
	}
	return json.Marshal(f)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (t *Tally) UnmarshalJSON(data []byte) error {
	var f tallyFile
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	got := Tally{n: f.N, inf: f.Inf, zero: f.Zero, bins: f.Bins}
	for _, x := range []struct {
		dst  *float64
		text string
	}{{&got.min, f.Min}, {&got.max, f.Max}} {
		v, err := strconv.ParseFloat(x.text, 64)
		if err != nil {
			return err
		}
		*x.dst = v
	}
	for _, x := range []struct {
		dst  *big.Float
		text string
	}{{&got.sum, f.Sum}, {&got.sq, f.Sq}} {
		if _, _, err := x.dst.SetPrec(exactBits).Parse(x.text, 0); err != nil {
			return err
		}
	}
	*t = got
	return nil
}
