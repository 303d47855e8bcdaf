package frames

import (
	"fmt"
	"math"
)

// blockCheck holds rows to the promise of Column.Block: a block's cells miss together or not at all,
// and their norm is at most their common bound.
type blockCheck struct {
	position []int // feature position of each schema column; -1 for the label and ignored columns
	names    []string
	heights  []float64 // common upper bound of each block's columns
	members  [][]int   // feature positions of each block's columns
}

func newBlockCheck(s Schema) *blockCheck {
	b := &blockCheck{position: s.s.feature}
	at := map[string]int{}
	for j, i := range s.s.features {
		name := s.s.cols[i].Block
		if name == "" {
			continue
		}
		k, ok := at[name]
		if !ok {
			k = len(b.names)
			at[name] = k
			b.names = append(b.names, name)
			b.heights = append(b.heights, s.s.cols[i].Hi)
			b.members = append(b.members, nil)
		}
		b.members[k] = append(b.members[k], j)
	}
	return b
}

// ok reports whether every block of the row keeps the promise.
func (b *blockCheck) ok(x []float64) bool { return b.bad(x) < 0 }

func (b *blockCheck) bad(x []float64) int {
	for k, m := range b.members {
		missing := 0
		for _, j := range m {
			if math.IsNaN(x[j]) {
				missing++
			}
		}
		if missing > 0 && missing < len(m) {
			return k
		}
		var sum float64 // upper bound on the sum of squares in units of the bound; exact for one-hot cells
		for _, j := range m {
			if v := x[j] / b.heights[k]; v > 0 {
				v = max(v, 0x1p-400) // far below, a square's rounding error would underflow
				sq := float64(v * v) // not fused into the sum
				if math.FMA(v, v, -sq) > 0 {
					sq = math.Nextafter(sq, 2)
				}
				sum = addUp(sum, sq)
			}
		}
		if !(sum <= 1) {
			return k
		}
	}
	return -1
}

func (b *blockCheck) explain(x []float64) string {
	return fmt.Sprintf("the cells of block %q miss in part or have norm above their bound: encode one category per row, missing in all its columns or in none, or drop the block", b.names[b.bad(x)])
}
