package attack

import (
	"math"
	"slices"
)

// blocks calls do for the columns from … to − 1 of each block.
func (d *drawer) blocks(do func(from, to int)) {
	for from := 0; from < len(d.features); {
		to := from + 1
		for d.features[from].Block != "" && to < len(d.features) && d.features[to].Block == d.features[from].Block {
			to++
		}
		if d.features[from].Block != "" {
			do(from, to)
		}
		from = to
	}
}

// mend puts the blocks of a row on the simplex that they encode, or on a corner of it, and lets their cells miss together.
func (d *drawer) mend(row []float64) {
	d.blocks(func(from, to int) {
		c := d.features[from]
		total, missing := 0.0, false
		for _, v := range row[from:to] {
			total, missing = total+v, missing || math.IsNaN(v)
		}
		hot := from + d.IntN(to-from)
		for j := from; j < to; j++ {
			switch {
			case missing:
				row[j] = math.NaN()
			case !(total <= c.Hi) || total > 0 && total < c.Hi: // outside, or within: on a corner
				row[j] = 0
				if j == hot {
					row[j] = c.Hi
				}
			}
		}
	})
}

// share moves part of a block's mass from the level that has it to another.
func (d *drawer) share(row []float64) {
	d.blocks(func(from, to int) {
		part, other := d.features[from].Hi*[]float64{0.25, 0.5, 0.75}[d.IntN(3)], from+d.IntN(to-from)
		if hot := slices.Index(row[from:to], d.features[from].Hi); hot >= 0 && from+hot != other {
			row[from+hot], row[other] = d.features[from].Hi-part, part
		}
	})
}
