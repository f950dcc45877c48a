package cli

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// human writes a number with 2 or 3 digits: 0.958, 12.3, 1.23 M.
func human(v float64, digits int) string {
	unit := ""
	for _, u := range []string{" k", " M", " G", " T"} {
		if math.Abs(v) < 999.5 {
			break
		}
		v, unit = v/1000, u
	}
	if digits < 3 && math.Abs(v) >= 99.5 {
		v = 10 * math.Round(v/10)
		digits = 3
	}
	return strconv.FormatFloat(v, 'g', digits, 64) + unit
}

// humanHit writes a probability close to 1 with three digits of what is missing.
func humanHit(h float64) string {
	h = max(h, 0) // no sign for what is within the tolerance of 0
	digits := 3
	for miss := 1 - h; miss > 0 && miss < 0.1 && digits < 9; miss *= 10 {
		digits++
	}
	return strconv.FormatFloat(h, 'f', digits, 64)
}

// percent writes a share; "–" for 0/0.
func percent(part, whole float64) string {
	if whole == 0 {
		return "–"
	}
	share := 100 * part / whole
	if share >= 99.95 || share == 0 {
		return fmt.Sprintf("%.0f %%", share)
	}
	return fmt.Sprintf("%.1f %%", share)
}

// humanTime writes a length of time with its two largest units.
func humanTime(s float64) string {
	units := []struct {
		name string
		size float64
	}{{"d", 86400}, {"h", 3600}, {"min", 60}, {"s", 1}}
	for i, u := range units[:3] {
		next := units[i+1]
		if total := math.Round(s / next.size); total*next.size >= u.size {
			per := u.size / next.size
			big, small := math.Floor(total/per), math.Mod(total, per)
			if small == 0 {
				return fmt.Sprintf("%.0f %s", big, u.name)
			}
			return fmt.Sprintf("%.0f %s %.0f %s", big, u.name, small, next.name)
		}
	}
	return human(s, 3) + " s"
}

// A clock writes times of a run: of the day where its start is known, else elapsed.
type clock struct {
	start *time.Time
	span  float64 // s
}

func (c clock) at(s float64) string {
	elapsed := time.Duration(math.Round(s)) * time.Second
	if c.span < 120 {
		return fmt.Sprintf("%.1f s", s)
	}
	layout, days := "15:04:05", ""
	if c.start != nil {
		if c.span > 86400 {
			layout = "2006-01-02 15:04:05"
		}
		return c.start.Add(elapsed).Format(layout)
	}
	if d := elapsed / (24 * time.Hour); c.span > 86400 {
		days = fmt.Sprintf("%d d ", d)
		elapsed -= d * 24 * time.Hour
	}
	return days + time.Time{}.Add(elapsed).Format(layout)
}
