package des

import "math"

// kind says what an event is.
type kind uint32

const (
	evRetry   kind = iota // a client tries again; id: attempts so far
	evAnswer              // a read is answered in time; id: request, tag: its generation
	evFail                // a read times out; likewise
	evLate                // an answer after its time-out; id: request
	evJoin                // a request stops waiting for the fetches of others
	evServed              // a job of a processor-sharing shard is done; id: shard, tag: its version
	evKill                // a job is killed; id: job, tag: its generation
	evOther               // background arrives at a processor-sharing shard; id: shard
	evRestart             // the next node of a rollout step restarts; id: step
	evReplace             // the control plane replaces a node; id: outage, tag: its generation
	evBack                // a node is back after its outage; likewise
)

const tagBits = 28

// event is 16 bytes: four children of a heap's node share a cache line.
type event struct {
	t   float64
	id  uint32
	tag uint32 // kind in the upper bits
}

func (e event) kind() kind { return kind(e.tag >> tagBits) }
func (e event) gen() uint32 {
	return e.tag & (1<<tagBits - 1)
}

// calendar is the set of events to come: a heap with four children a node.
type calendar struct {
	ev []event
}

// next is the time of the earliest event, +Inf without one.
func (c *calendar) next() float64 {
	if len(c.ev) == 0 {
		return math.Inf(1)
	}
	return c.ev[0].t
}

func (c *calendar) add(t float64, k kind, id, gen uint32) {
	e := event{t, id, uint32(k)<<tagBits | gen&(1<<tagBits-1)}
	c.ev = append(c.ev, e)
	ev, i := c.ev, len(c.ev)-1
	for i > 0 {
		up := (i - 1) / 4
		if ev[up].t <= t {
			break
		}
		ev[i] = ev[up]
		i = up
	}
	ev[i] = e
}

func (c *calendar) pop() event {
	ev := c.ev
	first, n := ev[0], len(ev)-1
	e := ev[n]
	ev = ev[:n]
	c.ev = ev
	if n == 0 {
		return first
	}
	i := 0
	for {
		child := 4*i + 1
		if child >= n {
			break
		}
		least := child
		for j := child + 1; j < min(child+4, n); j++ {
			if ev[j].t < ev[least].t {
				least = j
			}
		}
		if ev[least].t >= e.t {
			break
		}
		ev[i] = ev[least]
		i = least
	}
	ev[i] = e
	return first
}
