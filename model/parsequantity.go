package model

import "fmt"

// Quantity reads a number as scenario files spell those of the unit of a [Path], in SI
// units: 30m in s, 9k/s in 1/s, 25% of a share.
func Quantity(text, unit string) (float64, error) {
	u, ok := units[unit]
	if !ok {
		return 0, fmt.Errorf("model: no numbers have the unit %q", unit)
	}
	x, ok := parseQuantity(text, unit)
	if !ok {
		return 0, fmt.Errorf("found %s, want %s such as %s", shorten(text), u.noun, u.example)
	}
	return x, nil
}
