package fixedpoint

import (
	"cmp"
	"slices"
)

// A tree of boxes within boxes: the neighbours of one among many are found without a look
// at all of them.
type tree struct {
	hull   Box
	leaves []int // indices of a few cells, or
	kids   []*tree
	cells  []cell
}

// fewLeaves are looked at one by one.
const fewLeaves = 8

// newTree is the tree of the cells with the indices, which it reorders: halved across the
// unknown in which they spread most, in units of their widths.
func newTree(cells []cell, indices []int) *tree {
	t := &tree{cells: cells, leaves: indices}
	if len(indices) == 0 {
		return t
	}
	t.hull = cells[indices[0]].clone()
	width := make([]float64, len(t.hull.Lo))
	for _, i := range indices {
		t.hull.join(cells[i].Box)
		for k := range width {
			width[k] += cells[i].Hi[k] - cells[i].Lo[k]
		}
	}
	if len(indices) <= fewLeaves {
		return t
	}
	across := 0
	for k, w := range width {
		if (t.hull.Hi[k]-t.hull.Lo[k])*width[across] > (t.hull.Hi[across]-t.hull.Lo[across])*w {
			across = k
		}
	}
	slices.SortFunc(indices, func(i, j int) int { return cmp.Compare(cells[i].Lo[across], cells[j].Lo[across]) })
	half := len(indices) / 2
	t.leaves, t.kids = nil, []*tree{newTree(cells, indices[:half]), newTree(cells, indices[half:])}
	return t
}

// visit calls found with the index of every cell that is near, where a box is near if one
// within it is.
func (t *tree) visit(near func(Box) bool, found func(int)) {
	if len(t.hull.Lo) == 0 || !near(t.hull) {
		return
	}
	for _, i := range t.leaves {
		if near(t.cells[i].Box) {
			found(i)
		}
	}
	for _, k := range t.kids {
		k.visit(near, found)
	}
}
