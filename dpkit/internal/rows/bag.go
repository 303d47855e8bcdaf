package rows

import (
	"math"
	"slices"
)

// Bag are all rows of one person, in the order of their values, so that what is made of them does not hang on their order in the table.
type Bag struct {
	cells  []float64 // row-major: features, then the label where there is one
	Rows   int
	Width  int
	places []int // of the rows in cells, in units of Width
}

// At is the cell of a column in a row of the bag, NaN where it is missing. The label's column is the last.
func (b Bag) At(row, col int) float64 { return b.cells[b.places[row]*b.Width+col] }

// row are the cells of a row.
func (b Bag) row(i int) []float64 { return b.cells[b.places[i]*b.Width : (b.places[i]+1)*b.Width] }

// ordered puts the rows in the order of their values.
func (b Bag) ordered() Bag {
	slices.SortFunc(b.places, func(a, c int) int {
		return compareCells(b.cells[a*b.Width:(a+1)*b.Width], b.cells[c*b.Width:(c+1)*b.Width])
	})
	return b
}

// compareCells orders rows by their values, a missing cell behind every number. Cells of a schema are no −0.
func compareCells(a, b []float64) int {
	for j, v := range a {
		w := b[j]
		switch {
		case v == w:
		case v < w:
			return -1
		case v > w:
			return 1
		case math.IsNaN(v) && math.IsNaN(w):
		case math.IsNaN(v):
			return 1
		default:
			return -1
		}
	}
	return 0
}

// bagReader copies the rows of one person after the other to where they stand together: what is made of them looks at each several times,
// and where they are held they are far apart.
type bagReader struct {
	cells  []float64
	places []int
}

// read are the rows of a bag of a shard, in no order, until the next call.
func (r *bagReader) read(s *shard, bag int) Bag {
	n, width := int(s.count[bag]), s.width
	r.cells, r.places = slices.Grow(r.cells[:0], n*width)[:n*width], r.places[:0]
	for i, row := 0, s.last[bag]; row > 0; i++ {
		cells, before := s.row(row - 1)
		copy(r.cells[i*width:(i+1)*width], cells)
		r.places = append(r.places, i)
		row = *before
	}
	return Bag{r.cells, n, width, r.places}
}
