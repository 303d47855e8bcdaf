package rows

import (
	"cmp"
	"context"
	"math"
	"runtime"
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
	By                     []int // cells of a row; the label's is the last
}

// BoundPeople keeps rows of each person and gives everybody as many places as are kept at most, one behind the other, in the order of people's
// places: a person's rows stand there in the order of their hashes, and the places of rows that are not there are empty.
//
// What is kept hangs on the rows of the person alone, and on the key: the groups of least hash, in each of them the rows of least hash, and
// of these those of least hash. A row is hashed with how many of the person's rows are like it and come before it, so that rows that
// repeat count each. In hashes that agree values decide.
func BoundPeople(ctx context.Context, in frames.Source, st stage.Stage, key PlaceKey, keep KeptRows) (*Places, error) {
	people, err := gatherPeople(ctx, in, key)
	if err != nil {
		return nil, err
	}
	n, d := len(people.bags), len(st.Out.Features())
	_, labelled := st.Out.Label()
	workers := max(1, min(runtime.GOMAXPROCS(0), n/ChunkSize))
	parts := make([]Places, workers)
	var c crew
	for w := range workers {
		from, to := w*n/workers, (w+1)*n/workers
		c.Go(func() {
			c.do(func() {
				var pick picker
				var bags bagReader
				by := key.placing()
				part := &parts[w]
				rows, most := 0, 0
				for _, bag := range people.bags[from:to] {
					most += min(len(bag), keep.Rows)
				}
				part.first, part.x = make([]int, 0, to-from+1), make([]float64, 0, most*d)
				if labelled {
					part.y = make([]float64, 0, most)
				}
				for i := from; i < to && ctx.Err() == nil; i++ {
					part.first = append(part.first, rows)
					bag := bags.unordered(people, i)
					for _, r := range pick.of(bag, keep, by.within(people.places[i])) {
						rows++
						for j := range d {
							part.x = append(part.x, canonical(bag.At(r.row, j)))
						}
						if labelled {
							part.y = append(part.y, canonical(bag.At(r.row, d)))
						}
					}
				}
				part.first = append(part.first, rows)
			})
		})
	}
	c.finish()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := &Places{Domain: st.Out, Each: keep.Rows, cols: d, first: make([]int, 0, n+1)}
	if labelled {
		out.y = []float64{}
	}
	if workers == 1 {
		out.x, out.y, out.first = parts[0].x, parts[0].y, parts[0].first
		return out, nil
	}
	rows := 0
	for _, part := range parts {
		last := len(part.first) - 1
		for _, first := range part.first[:last] {
			out.first = append(out.first, rows+first)
		}
		rows += part.first[last]
		out.x, out.y = append(out.x, part.x...), append(out.y, part.y...)
	}
	out.first = append(out.first, rows)
	return out, nil
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
}

// of are the rows that are kept, in the order of their hashes. They are valid until the next call. The order of the bag does not matter.
func (p *picker) of(bag Bag, keep KeptRows, key rowKeys) []pickedRow {
	p.all = p.all[:0]
	for i := range bag.Rows {
		p.all = append(p.all, pickedRow{row: i, hash: key.rows.cells(bag.row(i), 0)})
	}
	byHash := func(a, b pickedRow) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), compareCells(bag.row(a.row), bag.row(b.row)))
	}
	slices.SortFunc(p.all, byHash)
	if p.count(bag, key) {
		slices.SortFunc(p.all, byHash)
	}
	if len(keep.By) > 0 && (keep.PerGroup < keep.Rows || keep.Groups < keep.Rows) {
		p.group(bag, keep, key)
		slices.SortFunc(p.all, byHash)
	}
	return p.all[:min(len(p.all), keep.Rows)]
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
		p.all[i].hash, some = key.rows.cells(bag.row(p.all[i].row), like), true
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
		return cmp.Or(cmp.Compare(a.group, b.group), sameGroup(a.row, b.row))
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
