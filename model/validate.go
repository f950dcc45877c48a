package model

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Hard limits on what a scenario may hold.
const (
	maxClasses    = 64
	maxPools      = 64
	maxClassBins  = 10_000
	maxBins       = 100_000 // of all classes, times the stages of their ttl laws
	maxStages     = 64      // of a backoff, of a ttl law
	maxEntries    = 10_000
	maxChanges    = 1000    // assignments in all
	maxPoints     = 100_000 // of a profile, rows of a CSV file
	maxProfileUse = 1_000_000
	maxText       = 10_000
)

var (
	scenarioName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.-]{0,99}$`)
	partName     = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`)
)

// A checker looks for what is wrong with a scenario beyond single fields.
type checker struct {
	s     *Scenario
	marks map[string]*yamlNode // of the file, nil without one
	errs  ParseErrors
}

func (c *checker) fail(key, format string, args ...any) {
	c.errs = append(c.errs, &ParseError{Key: key, Message: fmt.Sprintf(format, args...)})
}

// check validates the whole scenario and fills in pools that may be left out.
func (s *Scenario) check(marks map[string]*yamlNode) ParseErrors {
	c := &checker{s: s, marks: marks}
	c.checkParts()
	c.checkTimeline()
	if len(c.errs) == 0 {
		c.checkChanges()
	}
	return c.errs
}

// Check reports everything that is wrong with a scenario that was put together in memory; nil
// if nothing is. What [Parse] returned and [Scenario.Set] changed is checked already.
func (s *Scenario) Check() error {
	if errs := s.check(nil); len(errs) > 0 {
		return errs
	}
	return nil
}

// checkParts validates everything but the timeline.
func (c *checker) checkParts() {
	s := c.s
	if !scenarioName.MatchString(s.Name) {
		c.fail("name", "found %q, want letters, digits, dots and dashes, at most 100", shorten(s.Name))
	}
	c.text("title", s.Title)
	c.text("description", s.Description)
	c.checkProfile()
	c.count("classes", len(s.Classes), maxClasses)
	c.count("pools", len(s.Pools), maxPools)
	if len(s.Pools) == 0 {
		return
	}
	bins := 0
	for i := range s.Classes {
		bins += c.checkClass("classes."+s.Classes[i].Name, &s.Classes[i].Value)
	}
	if bins > maxBins {
		c.fail("classes", "%d popularity bins in all (times ttl stages); the limit is %d", bins, maxBins)
	}
	for i := range s.Pools {
		c.checkPool("pools."+s.Pools[i].Name, &s.Pools[i].Value)
	}
	c.checkBackoff()
	c.checkInitial()
}

func (c *checker) count(key string, n, limit int) {
	switch {
	case n == 0:
		c.fail(key, "none given; want at least one")
	case n > limit:
		c.fail(key, "%d of them; the limit is %d", n, limit)
	}
}

func (c *checker) text(key, text string) {
	if len(text) > maxText {
		c.fail(key, "%d bytes of text; the limit is %d", len(text), maxText)
	}
	for _, r := range text {
		if !unicode.IsPrint(r) && r != '\n' && r != '\t' {
			c.fail(key, "has the character %U, which cannot be printed", r)
			return
		}
	}
}

func (c *checker) checkProfile() {
	t := &c.s.Traffic
	points := t.Profile.Points
	for i := 1; i < len(points); i++ {
		if points[i].T <= points[i-1].T {
			key := "traffic.profile"
			if t.Profile.CSV == nil {
				key = fmt.Sprintf("traffic.profile.%d", i)
			}
			c.fail(key, "time %s does not come after %s; want increasing times", formatQuantity(points[i].T, "s"), formatQuantity(points[i-1].T, "s"))
			return
		}
	}
	if math.IsInf(t.Repeat, 1) {
		return
	}
	if len(points) == 0 {
		c.fail("traffic.repeat", "there is no profile to repeat")
		return
	}
	if points[0].T != 0 {
		c.fail("traffic.profile", "a profile that repeats starts at 0, not at %s", formatQuantity(points[0].T, "s"))
	}
	if last := points[len(points)-1].T; last > t.Repeat {
		c.fail("traffic.repeat", "found %s, want at least the last time of the profile, %s", formatQuantity(t.Repeat, "s"), formatQuantity(last, "s"))
	}
	if n := c.s.Duration / t.Repeat * float64(len(points)); n > maxProfileUse {
		c.fail("traffic.repeat", "%.3g points of the profile pass during the run; the limit is %d", n, maxProfileUse)
	}
}

// checkClass returns the number of states that the class's content takes.
func (c *checker) checkClass(key string, q *Class) int {
	c.pool(key+".pool", &q.Pool)
	if q.VisitCost+q.KeyCost == 0 {
		c.fail(key+".visit_cost", "visit_cost and key_cost are both 0; a read costs something")
	}
	if !q.Cached {
		return 0
	}
	if q.Keys < q.KeysPerRequest {
		c.fail(key+".keys", "%s keys, but one request reads %s", formatQuantity(q.Keys, "count"), formatQuantity(q.KeysPerRequest, "1"))
	}
	bins := q.Popularity.Bins
	if w := q.Popularity.Weights; len(w) > 0 {
		bins = len(w)
		c.checkWeights(key+".popularity.weights", &q.Popularity)
	}
	return bins * max(1, q.TTLLaw.Stages)
}

// checkWeights validates measured popularity. The sums may miss 1 by what the
// rounding of shares to three digits leaves.
func (c *checker) checkWeights(key string, p *Popularity) {
	if p.Zipf != 0 {
		c.fail(key, "zipf and weights exclude each other")
	}
	keys, accesses, last := 0.0, 0.0, math.Inf(1)
	for i, w := range p.Weights {
		heat := w.Accesses / w.Keys
		if w.Keys == 0 || heat > last {
			c.fail(fmt.Sprintf("%s.%d", key, i), "want a share of keys > 0 and the hottest bin first (accesses over keys falls)")
			return
		}
		keys, accesses, last = keys+w.Keys, accesses+w.Accesses, heat
	}
	if math.Abs(keys-1) > 1e-6 || math.Abs(accesses-1) > 1e-6 {
		c.fail(key, "the shares of keys add up to %.9g and those of accesses to %.9g; want 1", keys, accesses)
	}
}

// pool resolves the name of a pool, empty for the only one.
func (c *checker) pool(key string, name *string) {
	pools := c.s.Pools
	if *name == "" && len(pools) == 1 {
		*name = pools[0].Name
	}
	var names []string
	for _, p := range pools {
		names = append(names, p.Name)
	}
	switch {
	case slices.Contains(names, *name):
	case *name == "":
		c.fail(key, "missing; want one of %s", strings.Join(names, ", "))
	default:
		c.fail(key, "no pool is called %q%s (there are: %s)", shorten(*name), suggestion(*name, names), strings.Join(names, ", "))
	}
}

func (c *checker) checkPool(key string, p *Pool) {
	if p.DropExpired && math.IsInf(p.Timeout, 1) {
		c.fail(key+".drop_expired", "there is no timeout after which a query is expired")
	}
	t := p.ServiceCurve
	if t == nil {
		return
	}
	if !math.IsInf(p.QueueLimit, 1) {
		c.fail(key+".queue_limit", "a measured service_curve leaves no queue to limit")
	}
	if p.Discipline == "ps" {
		c.fail(key+".discipline", "a measured service_curve takes the place of the discipline")
	}
	if len(t.Load) < 2 {
		c.fail(key+".service_curve", "%s: %d rows, want at least 2", t.CSV, len(t.Load))
	}
	for i := 1; i < len(t.Load); i++ {
		if t.Load[i] <= t.Load[i-1] {
			c.fail(key+".service_curve", "%s: load %g does not come after %g; want increasing loads", t.CSV, t.Load[i], t.Load[i-1])
			return
		}
	}
}

func (c *checker) checkBackoff() {
	b := c.s.Clients.Backoff
	if b == nil {
		if c.s.Clients.MaxAttempts != nil {
			c.fail("clients.max_attempts", "without a backoff nobody tries again")
		}
		return
	}
	if b.Cap < b.Base {
		c.fail("clients.backoff.cap", "found %s, want at least base, %s", formatQuantity(b.Cap, "s"), formatQuantity(b.Base, "s"))
		return
	}
	if c.s.Clients.MaxAttempts != nil || b.Cap == b.Base {
		return
	}
	if b.Factor == 1 {
		c.fail("clients.backoff.factor", "with factor 1 the wait never grows from base %s to cap %s", formatQuantity(b.Base, "s"), formatQuantity(b.Cap, "s"))
		return
	}
	if n := math.Ceil(math.Log(b.Cap/b.Base)/math.Log(b.Factor)-1e-9) + 1; n > maxStages {
		c.fail("clients.backoff", "%.0f stages from base to cap; the limit is %d", n, maxStages)
	}
}
