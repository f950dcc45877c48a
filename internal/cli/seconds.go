package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// seconds is the value of a flag that is a duration, as scenario files spell it: a
// number of seconds, or a number with ms, s, m, h or d. 0 stands for the default.
type seconds float64

// String implements pflag.Value.
func (s *seconds) String() string {
	if *s == 0 {
		return ""
	}
	return exact(float64(*s)) + "s"
}

// Type implements pflag.Value.
func (s *seconds) Type() string { return "duration" }

// Set implements pflag.Value.
func (s *seconds) Set(text string) error {
	v, err := strconv.ParseFloat(text, 64)
	if days, ok := strings.CutSuffix(text, "d"); ok && err != nil {
		v, err = strconv.ParseFloat(days, 64)
		v *= 86400
	}
	if err != nil {
		var d time.Duration
		d, err = time.ParseDuration(text)
		v = d.Seconds()
	}
	if err != nil || !(v > 0) || math.IsInf(v, 1) {
		return fmt.Errorf("want a time, such as 30s, 5m, 1h or 1d")
	}
	*s = seconds(v)
	return nil
}
