package trajectory

import "github.com/metastable/metastable/model"

// An outage is a goodput below OutageShare of the demand for longer than outageLeast.
const (
	OutageShare = 0.9
	outageLeast = 60.0 // s
)

// Outages returns the maximal intervals [from, to], in seconds, in which the goodput
// (admitted_per_s times boot_success) is below 90 % of boots_per_s and that last
// longer than 60 s. Their ends are located between rows by linear interpolation; one
// that is still on in the last row ends there. rows are those of a [Result]: Detail
// locates the ends best.
func Outages(rows [][]float64) [][2]float64 {
	var found [][2]float64
	from, on := 0.0, false
	end := func(t float64) {
		if on && t-from > outageLeast {
			found = append(found, [2]float64{from, t})
		}
		on = false
	}
	for i, row := range rows {
		t, x := row[model.ColTime], shortfall(row)
		if (x > 0) != on {
			if i > 0 {
				t = crossing(rows[i-1], row)
			}
			if on {
				end(t)
			} else {
				from, on = t, true
			}
		}
	}
	if len(rows) > 0 {
		end(rows[len(rows)-1][model.ColTime])
	}
	return found
}

// shortfall is positive when the goodput is below OutageShare of the demand, in 1/s.
func shortfall(row []float64) float64 {
	return OutageShare*row[model.ColBoots] - row[model.ColAdmitted]*row[model.ColSuccess]
}

// crossing returns the time between two rows at which the shortfall is zero.
func crossing(a, b []float64) float64 {
	fa, fb := shortfall(a), shortfall(b)
	return a[model.ColTime] + (b[model.ColTime]-a[model.ColTime])*fa/(fa-fb)
}

// Lost returns the clients that gave up between the first and the last row: the last
// value of [LostSoFar], 0 without rows.
func Lost(rows [][]float64) float64 {
	if len(rows) == 0 {
		return 0
	}
	return LostSoFar(rows)[len(rows)-1]
}

// LostSoFar returns for each row the clients that gave up since the first: the integral of
// boots_per_s minus goodput, less the growth of waiting_clients. The integral is that of
// straight lines between rows, so Detail gives about two digits; where all boots succeed
// it is exactly 0.
func LostSoFar(rows [][]float64) []float64 {
	missing := func(row []float64) float64 { return row[model.ColBoots] - row[model.ColAdmitted]*row[model.ColSuccess] }
	lost, sum := make([]float64, len(rows)), 0.0
	for i, b := range rows {
		if i > 0 {
			a := rows[i-1]
			sum += (b[model.ColTime] - a[model.ColTime]) * (missing(a) + missing(b)) / 2
		}
		lost[i] = max(0, sum-(b[model.ColWaiting]-rows[0][model.ColWaiting]))
	}
	return lost
}
