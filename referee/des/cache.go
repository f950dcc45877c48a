package des

import "math"

// A cache is the fleet's content: for each key of each class whether it is there.
type cache struct {
	entries []entry
	flushed []uint32 // generation of each node; what is older is gone
	absent  []bool   // nodes out of the catalog and not replaced
	away    int      // how many
	lru     *lru     // nil: no limit
}

// entry is the state of one key.
type entry struct {
	until float64 // expiry; −Inf: not there
	node  uint32
	gen   uint32 // of the node when it was filled
}

var gone = math.Inf(-1)

func newCache(keys, nodes, room int, salt uint64) *cache {
	c := &cache{entries: make([]entry, keys), flushed: make([]uint32, nodes), absent: make([]bool, nodes)}
	for k, node := range assign(keys, nodes, salt) {
		c.entries[k] = entry{until: gone, node: node}
	}
	if room > 0 {
		c.lru = newLRU(keys, nodes, room)
	}
	return c
}

// has looks a key up at t, and makes it the most recent of its node.
func (c *cache) has(k uint32, t float64) bool {
	e := &c.entries[k]
	if e.until <= t || e.gen != c.flushed[e.node] || c.away > 0 && c.absent[e.node] {
		return false
	}
	if c.lru != nil {
		c.lru.touch(k, e.node)
	}
	return true
}

// fill stores a key until a time, unless it is there at t or its node is away.
func (c *cache) fill(k uint32, t, until float64) {
	e := &c.entries[k]
	if c.away > 0 && c.absent[e.node] || e.until > t && e.gen == c.flushed[e.node] {
		return
	}
	e.until, e.gen = until, c.flushed[e.node]
	if c.lru != nil {
		if old, full := c.lru.insert(k, e.node); full {
			c.entries[old].until = gone
		}
	}
}

func (c *cache) remove(k uint32) {
	e := &c.entries[k]
	e.until = gone
	if c.lru != nil {
		c.lru.remove(k, e.node)
	}
}

// flush empties a node.
func (c *cache) flush(node int) {
	c.flushed[node]++
	if c.lru != nil {
		c.lru.clear(node)
	}
}

// lose empties a share of the keys at random.
func (c *cache) lose(share float64, first, n int, rnd random) {
	for k := first; k < first+n; k++ {
		if c.entries[k].until > gone && rnd.uniform() < share {
			c.remove(uint32(k))
		}
	}
}

func (c *cache) leave(node int) {
	c.absent[node] = true
	c.away++
}

func (c *cache) enter(node int) {
	c.absent[node] = false
	c.away--
}

// lru keeps the keys of each node in the order of their last use, as a list through arrays:
// one circle a node, whose head comes after the keys.
type lru struct {
	next, prev []int32 // −1: not in a list
	size       []int   // of each node
	room, keys int
}

func newLRU(keys, nodes, room int) *lru {
	l := &lru{next: make([]int32, keys+nodes), prev: make([]int32, keys+nodes), size: make([]int, nodes), room: room, keys: keys}
	for i := range l.next {
		l.next[i], l.prev[i] = -1, -1
	}
	for i := range nodes {
		h := int32(keys + i)
		l.next[h], l.prev[h] = h, h
	}
	return l
}

func (l *lru) unlink(k uint32) {
	a, b := l.prev[k], l.next[k]
	l.next[a], l.prev[b] = b, a
}

func (l *lru) link(k, node uint32) {
	h := int32(l.keys) + int32(node)
	b := l.next[h]
	l.next[h], l.prev[b] = int32(k), int32(k)
	l.prev[k], l.next[k] = h, b
}

func (l *lru) touch(k, node uint32) {
	l.unlink(k)
	l.link(k, node)
}

// insert puts a key first and returns the one that had to go for it.
func (l *lru) insert(k, node uint32) (old uint32, full bool) {
	if l.next[k] >= 0 { // expired, and still in the list
		l.touch(k, node)
		return 0, false
	}
	if l.size[node] == l.room {
		old, full = uint32(l.prev[l.keys+int(node)]), true
		l.remove(old, node)
	}
	l.link(k, node)
	l.size[node]++
	return old, full
}

func (l *lru) remove(k, node uint32) {
	if l.next[k] < 0 {
		return
	}
	l.unlink(k)
	l.next[k], l.prev[k] = -1, -1
	l.size[node]--
}

func (l *lru) clear(node int) {
	h := int32(l.keys + node)
	for k := l.next[h]; k != h; {
		after := l.next[k]
		l.next[k], l.prev[k] = -1, -1
		k = after
	}
	l.next[h], l.prev[h], l.size[node] = h, h, 0
}
