package linalg

import (
	"cmp"
	"math"
	"slices"
)

// PackedShape says what rows can be packed: of which columns the cells are numbers, and which are one-hot blocks. It is public. Blocks are dealt to
// groups, and what cells of a group's blocks are set is one number, its cell: what is computed of rows is computed of a few cells each.
type PackedShape struct {
	cols    int
	numbers []int // columns of numbers, in order
	blocks  []packedBlock
	groups  []packedGroup
	slots   []int            // what columns hold, in order: i ≥ 0 is the block i, others the number ^i
	parts   [][]packedVector // the columns of so many groups each
}

// packedBlock are consecutive columns, of which a row has one cell at most.
type packedBlock struct {
	at, levels    int
	group, stride int // a cell of the group is the sum of strides·(1 + level), or 0 of a block without
	place         int // among the blocks of the group
}

// packedGroup are blocks whose cells are one number.
type packedGroup struct {
	blocks []int
	cells  int
	levels []int32 // by cell and place: the column that is set, or −1
}

const (
	mostCells  = 1 << 10 // of a group of several blocks, which are ten at most
	mostBlock  = 1 << 15 // of a block; others are several
	codeBits   = 16
	partGroups = 64 / codeBits // whose cells are a word together, and whose blocks have a bit each in another
	mostTable  = 1 << 12       // cells of all groups, or twice those of blocks that are alone: they stay in a first-level cache
)

// NewPackedShape is the shape of rows with a column for each of blocks, which says what one-hot block it is of; "" is none. A block are its columns that lie
// side by side.
func NewPackedShape(blocks []string) *PackedShape {
	s := &PackedShape{cols: len(blocks)}
	for j, name := range blocks {
		last := len(s.blocks) - 1
		switch {
		case name == "":
			s.slots = append(s.slots, ^len(s.numbers))
			s.numbers = append(s.numbers, j)
		case j > 0 && blocks[j-1] == name && s.blocks[last].levels < mostBlock:
			s.blocks[last].levels++
		default:
			s.slots = append(s.slots, len(s.blocks))
			s.blocks = append(s.blocks, packedBlock{at: j, levels: 1})
		}
	}
	fit := max(mostTable, 2*s.deal(1))
	for most := mostCells; s.deal(most) > fit; {
		most /= 2
	}
	for g := range s.groups {
		s.tabulate(&s.groups[g])
	}
	for from := 0; from < len(s.groups); from += partGroups {
		s.parts = append(s.parts, s.vectors(from, min(from+partGroups, len(s.groups))))
	}
	return s
}

// deal deals blocks to groups of at most so many cells, the largest first, each to the first that has room, and returns how many cells all groups have.
func (s *PackedShape) deal(most int) (cells int) {
	order := make([]int, len(s.blocks))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.blocks[b].levels, s.blocks[a].levels) })
	s.groups = nil
	for _, i := range order {
		b := &s.blocks[i]
		b.group = slices.IndexFunc(s.groups, func(g packedGroup) bool { return g.cells*(b.levels+1) <= most })
		if b.group < 0 {
			b.group = len(s.groups)
			s.groups = append(s.groups, packedGroup{cells: 1})
		}
		g := &s.groups[b.group]
		b.stride, b.place = g.cells, len(g.blocks)
		g.blocks, g.cells = append(g.blocks, i), g.cells*(b.levels+1)
	}
	for _, g := range s.groups {
		cells += g.cells
	}
	return cells
}

func (s *PackedShape) tabulate(g *packedGroup) {
	g.levels = make([]int32, g.cells*len(g.blocks))
	for c := range g.cells {
		for k, i := range g.blocks {
			b := s.blocks[i]
			g.levels[c*len(g.blocks)+k] = -1
			if l := c / b.stride % (b.levels + 1); l > 0 {
				g.levels[c*len(g.blocks)+k] = int32(b.at + l - 1)
			}
		}
	}
}

// vectors are the columns of some groups' blocks, by eight.
func (s *PackedShape) vectors(from, to int) []packedVector {
	at := make([]*packedVector, (s.cols+7)/8)
	block := 0
	for g := from; g < to; g++ {
		for _, i := range s.groups[g].blocks {
			b := s.blocks[i]
			for l := range b.levels {
				j := b.at + l
				v := at[j/8]
				if v == nil {
					v = &packedVector{first: int64(j &^ 7)}
					at[j/8] = v
				}
				v.of |= 1 << (j % 8)
				v.codes[j%8] = uint64((l+1)*b.stride) << (codeBits * (g - from))
				v.blocks[j%8] = 1 << block
			}
			block++
		}
	}
	var of []packedVector
	for _, v := range at {
		if v != nil {
			of = append(of, *v)
		}
	}
	return of
}

// Pays reports whether rows of the shape take less time packed than in a matrix, as far as is public: where the processor has the kernels,
// and the memory is less than half.
func (s *PackedShape) Pays() bool {
	return active == avx512 && s.Saves(2)
}

// Saves reports whether rows of the shape take at most one in so many parts of the memory when they are packed.
func (s *PackedShape) Saves(parts int) bool {
	return parts*(8*len(s.numbers)+8+2*len(s.groups)) <= 8*s.cols
}

// Roundings is how many roundings a term of [Packed.Margins] goes through at most, of rows that are not odd.
func (s *PackedShape) Roundings() int {
	most := 0
	for _, g := range s.groups {
		most = max(most, len(g.blocks))
	}
	return most + len(s.groups) + len(s.numbers) + 1
}

// PackedWeights are what margins of packed rows need of a vector w.
type PackedWeights struct {
	w      []float64
	shape  *PackedShape
	tables [][]float64 // of a group, by cell: the sum of w over what is set there, block by block
	cells  []float64   // of tables
	rest   []float64   // w at the numbers
	finite bool
}

// Weights prepares w, which has a number for each column, for [Packed.Margins]; into, which may be nil, is used again.
func (s *PackedShape) Weights(w []float64, into *PackedWeights) *PackedWeights {
	if into == nil {
		into = &PackedWeights{}
	}
	into.w, into.shape, into.finite = w, s, len(w) == s.cols && finite(w)
	if !into.finite {
		return into
	}
	into.rest = into.rest[:0]
	for _, j := range s.numbers {
		into.rest = append(into.rest, w[j])
	}
	into.tables, into.cells = grown(into.tables, len(s.groups)), grown(into.cells, s.tableCells())
	rest := into.cells
	for k, g := range s.groups {
		t := rest[:g.cells]
		rest = rest[g.cells:]
		t[0] = 0
		filled := 1
		for _, i := range g.blocks {
			b := s.blocks[i]
			for l, v := range w[b.at : b.at+b.levels] {
				to := t[(l+1)*filled:][:filled]
				for c, sum := range t[:filled] {
					to[c] = sum + v
				}
			}
			filled *= b.levels + 1
		}
		into.tables[k] = t
	}
	return into
}

// Shape is that of the rows.
func (w *PackedWeights) Shape() *PackedShape { return w.shape }

func (s *PackedShape) tableCells() (cells int) {
	for _, g := range s.groups {
		cells += g.cells
	}
	return cells
}

// PackedSums are sums over packed rows, which [PackedSums.AddTo] gives to the columns.
type PackedSums struct {
	shape  *PackedShape
	tables [][]int64 // of a group, by cell
	cells  []int64   // of tables
	rest   []int64   // of columns, beside tables
}

// Sums are sums that are 0.
func (s *PackedShape) Sums() *PackedSums {
	p := &PackedSums{shape: s, cells: make([]int64, s.tableCells()), rest: make([]int64, s.cols), tables: make([][]int64, len(s.groups))}
	rest := p.cells
	for k, g := range s.groups {
		p.tables[k], rest = rest[:g.cells], rest[g.cells:]
	}
	return p
}

// AddTo adds the sums to those of columns, and is 0 then.
func (p *PackedSums) AddTo(sums []int64) {
	for j, v := range p.rest {
		sums[j] += v
	}
	clear(p.rest)
	for k, g := range p.shape.groups {
		t := p.tables[k]
		for n := len(g.blocks) - 1; n >= 0; n-- { // the last has the largest stride: what is left of it are sums over its levels
			b := p.shape.blocks[g.blocks[n]]
			for l := range b.levels {
				sum := int64(0)
				for c, v := range t[(l+1)*b.stride:][:b.stride] {
					sum += v
					t[c] += v
				}
				sums[b.at+l] += sum
			}
		}
	}
	clear(p.cells)
}

func finite(w []float64) bool {
	for _, v := range w {
		if !(math.Abs(v) <= math.MaxFloat64) {
			return false
		}
	}
	return true
}
