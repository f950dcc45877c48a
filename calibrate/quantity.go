package calibrate

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/metastable/metastable/model"
)

// Quantities are what a measured series may be, with what they mean. Those of a class or
// a pool take its name after a dot, which may be left out where there is one. Every
// column of a run's table is a quantity too.
var Quantities = []struct{ Name, Meaning string }{
	{"goodput", "boots that succeed, 1/s"},
	{"boots", "first attempts, 1/s"},
	{"attempts", "attempts to boot, 1/s"},
	{"retries", "attempts beyond the first, 1/s"},
	{"amplification", "attempts over first attempts"},
	{"admitted", "attempts that the throttle admits, 1/s"},
	{"success", "share of the admitted attempts that succeed"},
	{"error_share", "share of the attempts that do not succeed"},
	{"waiting", "clients that wait for their next attempt"},
	{"sessions", "booted sessions"},
	{"hit_rate", "of a class: share of its keys' reads that the cache answers"},
	{"miss_share", "of a class: share of its requests that miss something"},
	{"request_success", "of a class: share of its requests that succeed"},
	{"load", "of a pool: work offered over capacity"},
	{"in_system", "of a pool: work in system per shard"},
	{"latency", "of a pool: mean time a read stays, s, were it not given up"},
	{"timeout_share", "of a pool: share of its reads that time out"},
	{"refused_share", "of a pool: share of its reads that are refused at once"},
}

// IsShare reports whether a quantity lies between 0 and 1.
func IsShare(quantity string) bool {
	family, _, _ := strings.Cut(quantity, ".")
	switch family {
	case "success", "error_share", "hit_rate", "miss_share", "request_success", "timeout_share", "refused_share":
		return true
	}
	return false
}

// checkShare fails for values of a share that are no shares, such as percentages. Errors of
// measurement may leave 0 to 1.
func checkShare(name, quantity string, values []float64) error {
	const most = 1.5
	for _, v := range values {
		if IsShare(quantity) && math.Abs(v) > most {
			return fmt.Errorf("calibrate: %s has the value %g; %s is a share, from 0 to 1: divide a percentage by 100", name, v, quantity)
		}
	}
	return nil
}

// families are the quantities of a class or a pool, by the columns they are.
var families = map[string]string{
	"hit_rate": "hit_rate.", "miss_share": "miss.", "request_success": "success.",
	"load": "load.", "in_system": "in_system.", "timeout_share": "timeout.", "refused_share": "refused.", "latency": "in_system.",
}

// ofCache are the quantities that only a cached class has.
var ofCache = map[string]bool{"hit_rate": true, "miss_share": true}

// A reader takes a quantity from a row of a run's table.
type reader func(row []float64) float64

// newReader finds a quantity.
func newReader(sc *model.Scenario, columns []string, quantity string) (reader, error) {
	at := func(name string) int { return slices.Index(columns, name) }
	boots, attempts, admitted, success := at("boots_per_s"), at("attempts_per_s"), at("admitted_per_s"), at("boot_success")
	one := func(i int) reader { return func(row []float64) float64 { return row[i] } }
	simple := map[string]reader{
		"goodput":  func(r []float64) float64 { return r[admitted] * r[success] },
		"boots":    one(boots),
		"attempts": one(attempts),
		"retries":  func(r []float64) float64 { return r[attempts] - r[boots] },
		"amplification": func(r []float64) float64 {
			if r[boots] == 0 {
				return 1
			}
			return r[attempts] / r[boots]
		},
		"admitted": one(admitted),
		"success":  one(success),
		"error_share": func(r []float64) float64 {
			if r[attempts] == 0 {
				return 0
			}
			return 1 - r[admitted]*r[success]/r[attempts]
		},
		"waiting":  one(at("waiting_clients")),
		"sessions": one(at("sessions")),
	}
	if r := simple[quantity]; r != nil {
		return r, nil
	}
	family, name, _ := strings.Cut(quantity, ".")
	if i := at(quantity); i > 0 && !ofCache[family] {
		return one(i), nil
	}
	prefix, ok := families[family]
	if !ok {
		return nil, unknownQuantity(quantity, nil)
	}
	var names []string
	for _, c := range columns {
		if n, ok := strings.CutPrefix(c, prefix); ok {
			names = append(names, n)
		}
	}
	if name == "" && len(names) == 1 {
		name = names[0]
	}
	if !slices.Contains(names, name) {
		return nil, unknownQuantity(quantity, names)
	}
	if i := slices.IndexFunc(sc.Classes, func(c model.Named[model.Class]) bool { return c.Name == name }); ofCache[family] && i >= 0 && !sc.Classes[i].Value.Cached {
		return nil, fmt.Errorf("calibrate: class %s is not cached: it has no %s; map the column to what the class shows, such as request_success.%s, or set classes.%s.cached", name, family, name, name)
	}
	if family == "latency" {
		return newLatency(sc, columns, name), nil
	}
	return one(at(prefix + name)), nil
}

func unknownQuantity(quantity string, names []string) error {
	if names != nil {
		family, _, _ := strings.Cut(quantity, ".")
		return fmt.Errorf("calibrate: no quantity is called %s: want %s. and one of %s", quantity, family, strings.Join(names, ", "))
	}
	var all []string
	for _, q := range Quantities {
		all = append(all, q.Name)
	}
	return fmt.Errorf("calibrate: no quantity is called %s: want one of %s, or a column of a run's table", quantity, strings.Join(all, ", "))
}
