package rows

import (
	"context"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// A Bounder is a step of this package that leaves a person so many rows, chosen by a map of that person's rows alone.
type Bounder interface {
	stage.Preprocessor
	// Bounds returns what is left of a person.
	Bounds(st stage.Stage) (KeptRows, error)
}

// KeptRows says what is kept of a person's rows: at most Groups groups of rows that agree in the columns By, of each at most PerGroup rows, and
// of these at most Rows; all at least 1.
type KeptRows struct {
	Rows, PerGroup, Groups int
	By                     []int   // cells of a row; the label's is the last
	Unread                 []Blank // cells that nothing reads, likewise: rows are chosen as if they were not there
}

// BoundPeople keeps rows of each person and gives everybody as many places as are kept at most, one behind the other, in the order of people's
// places: a person's rows stand there in the order of their hashes, and the places of rows that are not there are empty. Of the rows that are
// read about as many cells as may be held are in memory at a time.
//
// What is kept hangs on the rows of the person alone, and on the key: the groups of least hash, in each of them the rows of least hash, and
// of these those of least hash. A row is hashed with how many of the person's rows are like it and come before it, so that rows that
// repeat count each. In hashes that agree values decide.
func BoundPeople(ctx context.Context, in frames.Source, st stage.Stage, key PlaceKey, held int, keep KeptRows) (*Places, error) {
	d := st.Out.Width()
	_, labelled := st.Out.Label()
	rows, err := makeOfBags(ctx, in, key, held, keep.Unread, func() bagFunc {
		pick, by := newPicker(in.Schema(), keep.Unread), key.placing()
		return func(out *piece, of Bag, place [16]byte) {
			for _, r := range pick.of(of, keep, by.within(place)) {
				row := of.row(r.row)
				for _, v := range row[:d] {
					out.x = append(out.x, canonical(v))
				}
				if labelled {
					out.y = append(out.y, canonical(row[d]))
				}
				out.rows++
			}
		}
	})
	return &Places{Domain: st.Out, Each: keep.Rows, cols: d, labelled: labelled, madeOfBags: rows}, err
}

// canonical is a cell with −0 as 0 and one NaN: rows that are equal are the same.
func canonical(v float64) float64 { return math.Float64frombits(cellBits(v)) }

// rowKeys hash the rows of a person, and their groups.
type rowKeys struct{ rows, groups sipKey }

// within are the keys of what is kept of the person at a place.
func (p *placing) within(place [16]byte) rowKeys {
	sum := p.of(boundOf, place[:])
	return rowKeys{sipKeyOf(sum[:16]), sipKeyOf(sum[16:])}
}

// pickedRow is a row of a bag with its hash and that of its group.
type pickedRow struct {
	row         int
	hash, group uint64
}

// picker chooses rows of one person after the other.
type picker struct {
	all   []pickedRow
	cells []float64
	read  []int // the cells that are hashed; nil: all
}

func newPicker(in frames.Schema, unread []Blank) *picker {
	p := &picker{}
	if len(unread) == 0 {
		return p
	}
	width := in.Width()
	if _, labelled := in.Label(); labelled {
		width++
	}
	p.read = make([]int, 0, width)
	for i := range width {
		if !slices.ContainsFunc(unread, func(b Blank) bool { return b.Cell == i }) {
			p.read = append(p.read, i)
		}
	}
	return p
}

// hash is that of the cells of a row that are read.
func (p *picker) hash(key sipKey, row []float64, like uint64) uint64 {
	if p.read == nil {
		return key.cells(row, like)
	}
	p.cells = p.cells[:0]
	for _, j := range p.read {
		p.cells = append(p.cells, row[j])
	}
	return key.cells(p.cells, like)
}

// of are the rows that are kept, in the order of their hashes. They are valid until the next call. The order of the bag does not matter.
func (p *picker) of(bag Bag, keep KeptRows, key rowKeys) []pickedRow {
	p.all = p.all[:0]
	for i := range bag.Rows {
		p.all = append(p.all, pickedRow{row: i, hash: p.hash(key.rows, bag.row(i), 0)})
	}
	p.sort(bag)
	if p.count(bag, key) {
		p.sort(bag)
	}
	if len(keep.By) > 0 && (keep.PerGroup < keep.Rows || keep.Groups < keep.Rows) {
		p.group(bag, keep, key)
		p.sort(bag)
	}
	return p.all[:min(len(p.all), keep.Rows)]
}

// few is up to how many rows are sorted by insertion.
const few = 48

// sort puts rows in the order of their hashes, and values decide where those agree.
func (p *picker) sort(bag Bag) {
	less := func(a, b *pickedRow) bool {
		return a.hash < b.hash || a.hash == b.hash && compareCells(bag.row(a.row), bag.row(b.row)) < 0
	}
	if len(p.all) > few {
		slices.SortFunc(p.all, func(a, b pickedRow) int {
			switch {
			case less(&a, &b):
				return -1
			case less(&b, &a):
				return 1
			}
			return 0
		})
		return
	}
	for i := 1; i < len(p.all); i++ {
		r := p.all[i]
		at := i
		for ; at > 0 && less(&r, &p.all[at-1]); at-- {
			p.all[at] = p.all[at-1]
		}
		p.all[at] = r
	}
}

// count hashes a row that is like others, which stand together, with how many of them come before it; false where there is none.
func (p *picker) count(bag Bag, key rowKeys) (some bool) {
	first, like := 0, uint64(0)
	for i := 1; i < len(p.all); i++ {
		if p.all[i].hash != p.all[first].hash || compareCells(bag.row(p.all[i].row), bag.row(p.all[first].row)) != 0 {
			first, like = i, 0
			continue
		}
		like++
		p.all[i].hash, some = p.hash(key.rows, bag.row(p.all[i].row), like), true
	}
	return some
}

// group keeps the rows of least hash of the groups of least hash.
func (p *picker) group(bag Bag, keep KeptRows, key rowKeys) {
	for i, r := range p.all {
		p.cells = p.cells[:0]
		for _, j := range keep.By {
			p.cells = append(p.cells, bag.At(r.row, j))
		}
		p.all[i].group = key.groups.cells(p.cells, 0)
	}
	sameGroup := func(a, b int) int {
		for _, j := range keep.By {
			if c := compareCells([]float64{bag.At(a, j)}, []float64{bag.At(b, j)}); c != 0 {
				return c
			}
		}
		return 0
	}
	// Stable: within a group rows stay in the order of their hashes.
	slices.SortStableFunc(p.all, func(a, b pickedRow) int {
		switch {
		case a.group < b.group:
			return -1
		case a.group > b.group:
			return 1
		}
		return sameGroup(a.row, b.row)
	})
	groups, inGroup, kept, last := 0, 0, 0, 0
	for i, r := range p.all {
		if i == 0 || sameGroup(r.row, last) != 0 {
			groups, inGroup = groups+1, 0
		}
		if last = r.row; groups > keep.Groups {
			break
		}
		if inGroup++; inGroup <= keep.PerGroup {
			p.all[kept] = r
			kept++
		}
	}
	p.all = p.all[:kept]
}
