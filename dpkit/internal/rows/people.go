package rows

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"hash"
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

// CollapsePeople makes one row of the rows of each person, in the order of their places. Of the rows that are read about as many cells as may
// be held are in memory at a time. Rows of a person are ordered as if the cells that nothing reads were not there.
func CollapsePeople(ctx context.Context, in frames.Source, st stage.Stage, key PlaceKey, held int, unread []Blank, row func(dst []float64, y *float64, of Bag)) (*Matrix, error) {
	d := st.Out.Width()
	_, labelled := st.Out.Label()
	rows, err := makeOfBags(ctx, in, key, held, unread, func() bagFunc {
		return func(out *piece, of Bag, _ [16]byte) {
			var y float64
			at := len(out.x)
			out.x = append(out.x, make([]float64, d)...)
			if row(out.x[at:at+d:at+d], &y, of.ordered()); labelled {
				out.y = append(out.y, y)
			}
			out.rows++
		}
	})
	if err != nil {
		return nil, err
	}
	n := len(rows.of)
	out := &Matrix{Domain: st.Out, Cols: d, X: make([]float64, n*d), Who: rows.who}
	if labelled {
		out.Y = make([]float64, n)
	}
	if slices.ContainsFunc(rows.of, func(p made) bool { return p.rows == 0 }) {
		out.Empty = make([]bool, n)
	}
	for i, of := range rows.of {
		if of.rows == 0 {
			out.Empty[i] = true
			continue
		}
		p := &rows.pieces[of.piece]
		copy(out.Row(i), p.x[int(of.from)*d:])
		if labelled {
			out.Y[i] = p.y[of.from]
		}
	}
	return out, nil
}
