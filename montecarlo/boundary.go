package montecarlo

import (
	"fmt"
	"math"
)

// BoundarySettings control [Boundary]. The zero value of a field stands for the default
// its comment states; nil settings are all defaults.
type BoundarySettings struct {
	// Draws is the number of draws at a point of the boundary. Default 200.
	Draws int

	// Pilot is the number of draws that a point gets first, to see whether the boundary
	// is near. Default Draws/16, at least 6.
	Pilot int

	// Stride is the distance of the points that are looked at whatever they say, a power
	// of two: a closed region of the other kind that fits between them may stay unseen.
	// Default: the largest that leaves at least 4 intervals in each direction.
	Stride int

	// Watch, if not nil, is called after each round with the map so far.
	Watch func(m *Map)
}

// A Map is a probability on a grid, known where it is neither 0 nor 1 for sure.
type Map struct {
	NX, NY int

	// Hits[i] of Runs[i] draws at point i = x·NY + y are in the event; 0 of 0 where no one
	// looked, as all the points around agree.
	Hits, Runs []int

	// Crossings are where the estimate crosses one half between two neighbours: in units
	// of the grid, by a straight line.
	Crossings [][2]float64

	Total int // draws in all
}

// Boundary finds where on a grid of nx by ny points the probability of an event crosses
// one half. It looks at a coarse grid with few draws, halves the cells whose points
// do not all agree, where agreement is an estimate below 0.05 at all or above 0.95 at
// all, and gives more draws to both sides of each crossing: four pilots, and all draws
// unless that leaves an estimate below 0.05 or above 0.95. The cost is that of the points
// along the boundary: at most about 2 Draws for each column it passes.
//
// run returns how many of the draws of each task are in the event. Draw k at a point is
// the same whenever it is asked for, so that crossings are those of the whole grid.
func Boundary(nx, ny int, s *BoundarySettings, run func(tasks []Task) (hits []int, err error)) (*Map, error) {
	var set BoundarySettings
	if s != nil {
		set = *s
	}
	if nx < 2 || ny < 2 || nx > math.MaxInt32/ny {
		return nil, fmt.Errorf("montecarlo: the boundary on a grid of %d by %d", nx, ny)
	}
	if set.Draws == 0 {
		set.Draws = 200
	}
	if set.Pilot == 0 {
		set.Pilot = min(max(set.Draws/16, 6), set.Draws)
	}
	if set.Stride == 0 {
		for set.Stride = 1; 8*set.Stride <= min(nx, ny)-1; {
			set.Stride *= 2
		}
	}
	if set.Pilot < 1 || set.Pilot > set.Draws || set.Stride < 1 || set.Stride&(set.Stride-1) != 0 {
		return nil, fmt.Errorf("montecarlo: a pilot of %d of %d draws with a stride of %d", set.Pilot, set.Draws, set.Stride)
	}
	b := boundary{
		Map: &Map{NX: nx, NY: ny, Hits: make([]int, nx*ny), Runs: make([]int, nx*ny)},
		set: set, run: run,
	}
	for stride := set.Stride; stride >= 1; stride /= 2 {
		if err := b.refine(stride); err != nil {
			return nil, err
		}
	}
	return b.Map, b.settle()
}

type boundary struct {
	*Map
	set  BoundarySettings
	run  func([]Task) ([]int, error)
	want map[int]int // draws that points are to have
	todo []int       // those points, in the order of asking
}

func (b *boundary) ask(x, y, draws int) {
	i := x*b.NY + y
	if b.want == nil {
		b.want = map[int]int{}
	}
	if b.Runs[i] >= draws || b.want[i] >= draws {
		return
	}
	if b.want[i] == 0 {
		b.todo = append(b.todo, i)
	}
	b.want[i] = draws
}

// answer runs what has been asked for, and reports whether that was anything.
func (b *boundary) answer() (bool, error) {
	if len(b.todo) == 0 {
		return false, nil
	}
	tasks := make([]Task, len(b.todo))
	for k, i := range b.todo {
		tasks[k] = Task{i, b.Runs[i], b.want[i]}
	}
	hits, err := b.run(tasks)
	if err != nil {
		return false, err
	}
	for k, t := range tasks {
		b.Hits[t.Point] += hits[k]
		b.Runs[t.Point] = t.To
		b.Total += t.To - t.From
	}
	b.want, b.todo = nil, nil
	if b.set.Watch != nil {
		b.locate(func([4]int) {})
		b.set.Watch(b.Map)
	}
	return true, nil
}

// side is −1 where the estimate is below 0.05, 1 where it is above 0.95, else 0.
func (b *boundary) side(i int) int {
	switch p := float64(b.Hits[i]) / float64(b.Runs[i]); {
	case p < 0.05:
		return -1
	case p > 0.95:
		return 1
	}
	return 0
}

// refine gives a pilot to the corners of the cells of a stride that are open: of all
// with the first stride, then of those in a cell twice the size that does not agree.
func (b *boundary) refine(stride int) error {
	for {
		for x := 0; x < b.NX-1; x += stride {
			for y := 0; y < b.NY-1; y += stride {
				if stride < b.set.Stride && b.agrees(x, y, 2*stride) {
					continue
				}
				x1, y1 := min(x+stride, b.NX-1), min(y+stride, b.NY-1)
				b.ask(x, y, b.set.Pilot)
				b.ask(x1, y, b.set.Pilot)
				b.ask(x, y1, b.set.Pilot)
				b.ask(x1, y1, b.set.Pilot)
			}
		}
		if more, err := b.answer(); err != nil || !more {
			return err // no cell was opened by what was found on its edge
		}
	}
}

// agrees reports whether all that is known of the cell of a size around (x, y), with its
// edges, is on one side.
func (b *boundary) agrees(x, y, size int) bool {
	first := 2
	for i := x - x%size; i <= min(x-x%size+size, b.NX-1); i++ {
		for j := y - y%size; j <= min(y-y%size+size, b.NY-1); j++ {
			at := i*b.NY + j
			if b.Runs[at] == 0 {
				continue
			}
			s := b.side(at)
			if s == 0 || first != 2 && s != first {
				return false
			}
			first = s
		}
	}
	return true
}

// settle gives enough draws to the points next to a crossing, and a pilot to the
// neighbours of those, until no new crossing appears.
func (b *boundary) settle() error {
	for {
		b.locate(b.surround)
		if more, err := b.answer(); err != nil || !more {
			return err
		}
	}
}

// enough is the number of draws that point i is to have when it is next to a crossing.
func (b *boundary) enough(i int) int {
	some := min(4*b.set.Pilot, b.set.Draws)
	if b.Runs[i] >= some && b.side(i) == 0 {
		return b.set.Draws
	}
	return some
}

// locate sets the crossings, and calls found with x, y of the points on both sides of each.
func (b *boundary) locate(found func([4]int)) {
	b.Crossings = nil
	for x := range b.NX {
		for y := range b.NY {
			for _, pair := range [2][4]int{{x, y, x + 1, y}, {x, y, x, y + 1}} {
				if at, ok := b.crossing(x, y, pair[2], pair[3]); ok {
					b.Crossings = append(b.Crossings, at)
					found(pair)
				}
			}
		}
	}
}

// crossing returns where the estimate crosses one half between two points that were looked at.
func (b *boundary) crossing(x, y, x1, y1 int) (at [2]float64, ok bool) {
	if x1 >= b.NX || y1 >= b.NY {
		return at, false
	}
	i, j := x*b.NY+y, x1*b.NY+y1
	if b.Runs[i] == 0 || b.Runs[j] == 0 {
		return at, false
	}
	p, q := float64(b.Hits[i])/float64(b.Runs[i]), float64(b.Hits[j])/float64(b.Runs[j])
	if (p < 0.5) == (q < 0.5) {
		return at, false
	}
	share := (0.5 - p) / (q - p)
	return [2]float64{float64(x) + share*float64(x1-x), float64(y) + share*float64(y1-y)}, true
}

// surround asks for what is to be known of the two points of a crossing and around them.
func (b *boundary) surround(pair [4]int) {
	for _, at := range [2][2]int{{pair[0], pair[1]}, {pair[2], pair[3]}} {
		b.ask(at[0], at[1], b.enough(at[0]*b.NY+at[1]))
		for _, step := range [4][2]int{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
			if u, v := at[0]+step[0], at[1]+step[1]; u >= 0 && u < b.NX && v >= 0 && v < b.NY {
				b.ask(u, v, b.set.Pilot)
			}
		}
	}
}
