package rows

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"hash"
	"math"
	"runtime"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// A Collapser is a step of this package that makes one row of all rows of a person, by a map of those rows alone, in whatever order
// they stand in the table.
type Collapser interface {
	stage.Preprocessor
	// Collapse returns what makes the row of a person. It may be called for several people at a time.
	Collapse(st stage.Stage) (func(dst []float64, y *float64, of Bag), error)
}

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

// PlaceKey is what people are placed by: under a ledger its secret, so that nobody can work out who stands where.
type PlaceKey []byte

// placing computes HMAC-SHA-256 (RFC 2104) under a key, one after the other.
type placing struct {
	mac hash.Hash
	sum []byte
}

func (k PlaceKey) placing() *placing { return &placing{mac: hmac.New(sha256.New, k)} }

var placeOf, boundOf = []byte("dpnb/dpkit.place/1"), []byte("dpnb/dpkit.bound/1")

func (p *placing) of(what, id []byte) []byte {
	p.mac.Reset()
	p.mac.Write(what)
	p.mac.Write(id)
	p.sum = p.mac.Sum(p.sum[:0])
	return p.sum
}

// place is where a person stands among all: by the ID alone, so that a row more or less of somebody, and the order of the table, move
// nobody. It is the HMAC of the ID, cut to 128 bits.
func (p *placing) place(id frames.PersonID) [16]byte { return [16]byte(p.of(placeOf, id[:])) }

// CollapsePeople makes one row of the rows of each person, in the order of their places.
func CollapsePeople(ctx context.Context, in frames.Source, st stage.Stage, key PlaceKey, row func(dst []float64, y *float64, of Bag)) (*Matrix, error) {
	people, err := gatherPeople(ctx, in, key)
	if err != nil {
		return nil, err
	}
	d := len(st.Out.Features())
	out := &Matrix{Domain: st.Out, Cols: d, X: make([]float64, len(people.bags)*d)}
	if _, ok := st.Out.Label(); ok {
		out.Y = make([]float64, len(people.bags))
	}
	if slices.ContainsFunc(people.bags, func(bag []int) bool { return len(bag) == 0 }) {
		out.Empty = make([]bool, len(people.bags))
	}
	workers := max(1, min(runtime.GOMAXPROCS(0), len(people.bags)/ChunkSize))
	var c crew
	for w := range workers {
		from, to := w*len(people.bags)/workers, (w+1)*len(people.bags)/workers
		c.Go(func() {
			c.do(func() {
				var y float64
				var bags bagReader
				for i := from; i < to && ctx.Err() == nil; i++ {
					if len(people.bags[i]) == 0 {
						out.Empty[i] = true
						continue
					}
					row(out.X[i*d:(i+1)*d:(i+1)*d], &y, bags.ordered(people, i))
					if out.Y != nil {
						out.Y[i] = y
					}
				}
			})
		})
	}
	c.finish()
	return out, ctx.Err()
}

// peopleOf are the rows of a table by whose they are.
type peopleOf struct {
	cells []float64 // features and label of every row, in the order of the table
	width int
	bags  [][]int // rows of each person, by place; of each of their periods, one after the other

	places [][16]byte // of the person of each
}

// part makes room for so many people.
func (p *peopleOf) part(people, periods int) {
	p.bags, p.places = make([][]int, people*periods), make([][16]byte, people*periods)
}

// put gives a person with these rows a place.
func (p *peopleOf) put(place, periods int, bags [][]int, of [16]byte) {
	copy(p.bags[place*periods:(place+1)*periods], bags)
	for i := range periods {
		p.places[place*periods+i] = of
	}
}

// bagReader copies the rows of one person after the other to where they stand together: what is made of them looks at each several times,
// and in the table they are far apart.
type bagReader struct {
	cells  []float64
	places []int
}

// unordered are the rows of the person at a place, in the order of the table, until the next call.
func (r *bagReader) unordered(p *peopleOf, i int) Bag {
	r.cells, r.places = r.cells[:0], r.places[:0]
	for at, row := range p.bags[i] {
		r.cells = append(r.cells, p.cells[row*p.width:(row+1)*p.width]...)
		r.places = append(r.places, at)
	}
	return Bag{r.cells, len(r.places), p.width, r.places}
}

// ordered are the same rows in the order of their values.
func (r *bagReader) ordered(p *peopleOf, i int) Bag {
	b := r.unordered(p, i)
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
		case v == w || math.IsNaN(v) && math.IsNaN(w):
		case math.IsNaN(v):
			return 1
		case math.IsNaN(w) || v < w:
			return -1
		default:
			return 1
		}
	}
	return 0
}

// gatherPeople reads all rows and parts them by person.
func gatherPeople(ctx context.Context, in frames.Source, key PlaceKey) (*peopleOf, error) {
	schema := in.Schema()
	p := &peopleOf{width: len(schema.Features())}
	_, labelled := schema.Label()
	if labelled {
		p.width++
	}
	gone := make([]bool, 0, in.Rows()) // of each row that an earlier step removed, whose person stays
	p.cells = make([]float64, 0, in.Rows()*p.width)
	person, _ := schema.Person()
	periods := person.Periods()
	at := map[frames.PersonID]int{} // in order of appearance
	var ids []frames.PersonID
	whose := make([]int, 0, in.Rows()) // of each row: the person's number times periods, and the period
	err := in.Scan(ctx, func(b *frames.Block) error {
		for i := range b.Rows {
			p.cells = append(p.cells, b.Row(i)...)
			if labelled {
				p.cells = append(p.cells, b.Y[i])
			}
			id, period := person.Split(b.Person[i])
			who, ok := at[id]
			if !ok {
				who = len(ids)
				at[id] = who
				ids = append(ids, id)
			}
			whose = append(whose, who*periods+min(period, periods-1))
			gone = append(gone, b.Empty != nil && b.Empty[i])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	count := make([]int, len(ids)*periods)
	left := 0
	for row, who := range whose {
		if !gone[row] {
			count[who]++
			left++
		}
	}
	all := make([]int, left) // one after the other, so that bags are views of one slice
	bags := make([][]int, len(count))
	for who, from := 0, 0; who < len(bags); who++ {
		bags[who] = all[from : from : from+count[who]]
		from += count[who]
	}
	for row, who := range whose {
		if !gone[row] {
			bags[who] = append(bags[who], row)
		}
	}
	by := key.placing()
	if person.Listed() > 0 { // places are those of the list, with rows or without
		p.part(person.Listed(), periods)
		for who, id := range ids {
			place, ok := person.Place(id)
			if !ok { // no source of frames has one
				return nil, fmt.Errorf("dpkit: people: a row of nobody in the roster: %w", frames.ErrPerson)
			}
			p.put(place, periods, bags[who*periods:], by.place(id))
		}
		return p, nil
	}
	places := make([][16]byte, len(ids))
	order := make([]int, len(ids))
	for who, id := range ids {
		places[who], order[who] = by.place(id), who
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(bytes.Compare(places[a][:], places[b][:]), bytes.Compare(ids[a][:], ids[b][:]))
	})
	p.part(len(ids), periods)
	for place, who := range order {
		p.put(place, periods, bags[who*periods:], places[who])
	}
	return p, nil
}
