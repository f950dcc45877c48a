package audit

import (
	"fmt"
	"math"
	"strconv"
)

// sentence says what a reviewer needs to know of a query.
func sentence(f *Finding, p *Pool) string {
	how := fmt.Sprintf("reads %s from %s", keys(f.Keys), shards(f, p))
	if !f.LoadBearing {
		return fmt.Sprintf("%s %s: with an empty cache it brings %s of the capacity of %s, which the pool carries.",
			f.Name, how, share(f.Cold), f.Pool)
	}
	text := fmt.Sprintf("%s %s: it brings %s of the capacity of %s today and %s with an empty cache; losing %s of its hit rate (%s to %s) saturates the pool",
		f.Name, how, share(f.Now), f.Pool, share(f.Cold), share(f.Bears), hit(f.HitRate), hit(f.Saturates))
	if len(f.Remedies) > 0 && f.Remedies[0].Bears > f.Bears {
		r := f.Remedies[0]
		if r.Bears == 1 {
			return text + fmt.Sprintf("; %s would carry the loss of all.", r.Name)
		}
		text += fmt.Sprintf("; %s would move that to %s", r.Name, share(r.Bears))
	}
	return text + "."
}

func keys(n float64) string {
	if n == 1 {
		return "one key"
	}
	return strconv.FormatFloat(n, 'g', 4, 64) + " keys"
}

func shards(f *Finding, p *Pool) string {
	switch {
	case p.Shards == 1:
		return "one shard"
	case f.Scatter:
		return "all " + strconv.FormatFloat(p.Shards, 'g', 4, 64) + " shards"
	}
	return "the shards that own them"
}

func share(x float64) string { return strconv.FormatFloat(100*x, 'g', 3, 64) + " %" }

// hit writes a hit rate with three digits of what is missing.
func hit(h float64) string {
	digits := 1
	for miss := 1 - h; miss > 0 && miss < 0.1 && digits < 7; miss *= 10 {
		digits++
	}
	return strconv.FormatFloat(100*math.Max(h, 0), 'f', digits, 64) + " %"
}
