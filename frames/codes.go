package frames

import "math"

// codes are the cells of a column of levels: 1 byte each for up to 255 levels, 2 for up to 65 535, else 4. A missing cell has the largest
// number of its size.
type codes struct {
	one  []uint8
	two  []uint16
	four []uint32
	size uint8 // bytes of a cell
}

func newCodes(levels int) codes {
	switch {
	case levels <= math.MaxUint8:
		return codes{size: 1}
	case levels <= math.MaxUint16:
		return codes{size: 2}
	}
	return codes{size: 4}
}

// reserve makes room for so many cells more.
func (c *codes) reserve(rows int) {
	switch c.size {
	case 1:
		c.one = append(make([]uint8, 0, len(c.one)+rows), c.one...)
	case 2:
		c.two = append(make([]uint16, 0, len(c.two)+rows), c.two...)
	default:
		c.four = append(make([]uint32, 0, len(c.four)+rows), c.four...)
	}
}

// add appends the cells of feature j of a block.
func (c *codes) add(b *Block, j int) {
	for k := range b.Rows {
		v := b.X[k*b.Cols+j]
		missing := math.IsNaN(v)
		switch {
		case c.size == 1 && missing:
			c.one = append(c.one, math.MaxUint8)
		case c.size == 1:
			c.one = append(c.one, uint8(v))
		case c.size == 2 && missing:
			c.two = append(c.two, math.MaxUint16)
		case c.size == 2:
			c.two = append(c.two, uint16(v))
		case missing:
			c.four = append(c.four, math.MaxUint32)
		default:
			c.four = append(c.four, uint32(v))
		}
	}
}

// read writes the cells first..first+n to every d-th number of x, from the j-th on: codes, NaN = missing.
func (c *codes) read(x []float64, d, j, first, n int) {
	switch c.size {
	case 1:
		readCodes(x, d, j, c.one[first:first+n], math.MaxUint8)
	case 2:
		readCodes(x, d, j, c.two[first:first+n], math.MaxUint16)
	default:
		readCodes(x, d, j, c.four[first:first+n], math.MaxUint32)
	}
}

func readCodes[T uint8 | uint16 | uint32](x []float64, d, j int, of []T, missing T) {
	for _, code := range of {
		if code == missing {
			x[j] = math.NaN()
		} else {
			x[j] = float64(code)
		}
		j += d
	}
}

// subset copies the cells of the given positions.
func (c *codes) subset(rows []int) codes {
	out := codes{size: c.size}
	switch c.size {
	case 1:
		out.one = pick(c.one, rows)
	case 2:
		out.two = pick(c.two, rows)
	default:
		out.four = pick(c.four, rows)
	}
	return out
}
