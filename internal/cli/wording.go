package cli

import "strings"

// packages of the toolkit begin their errors with their name, which says nothing to the
// user of the command line.
var packages = func() *strings.Replacer {
	var pairs []string
	for _, name := range []string{"audit", "calibrate", "fixedpoint", "model", "montecarlo", "ode", "plots", "recovery", "referee", "stability", "telemetry", "trajectory"} {
		for _, before := range []string{": ", " (", "\n", "\x00"} {
			pairs = append(pairs, before+name+": ", before)
		}
	}
	return strings.NewReplacer(pairs...)
}()

// wording is an error for people: without names of packages.
func wording(err error) string {
	text := "\x00" + err.Error()
	for {
		next := packages.Replace(text)
		if next == text {
			return text[1:]
		}
		text = next
	}
}
