package rows

import (
	"context"

	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// OfPerson are the rows that somebody has in a second table, one each, or none: for each period of theirs, where they have such.
type OfPerson struct {
	rows   *Matrix
	absent []float64 // the cells of who has none, the label's last where the rows have one
	at     map[frames.PersonID]int
	each   int // rows of a person
}

// ByPerson finds the rows that [CollapsePeople] made by whose they are.
func ByPerson(rows *Matrix, absent []float64) *OfPerson {
	of := &OfPerson{rows: rows, absent: absent, at: make(map[frames.PersonID]int, len(rows.Who)), each: 1}
	if len(rows.Who) > 0 {
		of.each = rows.Rows() / len(rows.Who)
	}
	for i, id := range rows.Who {
		for k := range of.each { // who has no row is not found, nor is a place of a roster of whom nothing was read
			if !rows.IsEmpty(i*of.each + k) {
				of.at[id] = i
				break
			}
		}
	}
	return of
}

// row is the cells of somebody in a period, and the label.
func (of *OfPerson) row(id frames.PersonID, period int) (cells []float64, y float64) {
	if i, ok := of.at[id]; ok && period < of.each {
		if i = i*of.each + period; !of.rows.IsEmpty(i) {
			if of.rows.Y != nil {
				y = of.rows.Y[i]
			}
			return of.rows.Row(i), y
		}
	}
	if of.rows.Y != nil {
		y = of.absent[of.rows.Cols]
	}
	return of.absent[:of.rows.Cols], y
}

// JoinRows puts the second table's cells behind those of rows that [CollapsePeople] made, each at its place. Who has no row keeps none.
func JoinRows(ctx context.Context, in *Matrix, out frames.Schema, second *OfPerson) (*Matrix, error) {
	n, d := in.Rows(), in.Cols+second.rows.Cols
	m := &Matrix{Domain: out, Cols: d, X: make([]float64, n*d), Y: in.Y, Empty: in.Empty, Who: in.Who}
	if second.rows.Y != nil {
		m.Y = make([]float64, n)
	}
	each := n / max(1, len(in.Who))
	for i := range n {
		if i%ChunkSize == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if in.IsEmpty(i) {
			continue
		}
		cells, y := second.row(in.Who[i/each], i%each)
		copy(m.Row(i), in.Row(i))
		if copy(m.Row(i)[in.Cols:], cells); second.rows.Y != nil {
			m.Y[i] = y
		}
	}
	return m, nil
}

// Beside are rows of people with the cells behind them that their people have in a second table.
type Beside struct {
	In     frames.Source
	Domain frames.Schema
	Second *OfPerson
}

func (s *Beside) Schema() frames.Schema { return s.Domain }

func (s *Beside) Rows() int { return s.In.Rows() }

func (s *Beside) Scan(ctx context.Context, fn func(*frames.Block) error) error {
	person, _ := s.In.Schema().Person()
	out := &frames.Block{}
	return s.In.Scan(ctx, func(b *frames.Block) error {
		more := s.Second.rows.Cols
		*out = frames.Block{First: b.First, Rows: b.Rows, Cols: b.Cols + more, X: Grown(out.X, b.Rows*(b.Cols+more)), Y: b.Y, Person: b.Person, Empty: b.Empty}
		labelled := s.Second.rows.Y != nil
		if labelled {
			out.Y = make([]float64, b.Rows)
		}
		for i := range b.Rows {
			cells, y := s.Second.row(person.Split(b.Person[i]))
			copy(out.Row(i), b.Row(i))
			if copy(out.Row(i)[b.Cols:], cells); labelled {
				out.Y[i] = y
			}
		}
		return fn(out)
	})
}

// A Joiner is a step of this package that joins a second table of the same people.
type Joiner interface {
	stage.Preprocessor
	// Joined are the columns of the second table's rows, and the cells of somebody who has none there.
	Joined() (cols []frames.Column, absent []float64, err error)
}
