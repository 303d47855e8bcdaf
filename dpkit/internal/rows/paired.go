package rows

import (
	"context"

	"github.com/dpkit-go/dpnb/frames"
)

// Paired is each row that was kept of a person next to each that was kept of the same person in a second table, or next to none where there
// is none. A person has at most as many rows as the product of both public bounds.
type Paired struct {
	domain        frames.Schema
	first, second *Places
	person        frames.Column // of the first table
	absent        []float64     // cells of the second table where a person has no row there
	at            map[frames.PersonID]int
	rows          int
}

// Pair pairs rows that [BoundPeople] kept of two tables. person is the column of the first table that says whose a row is.
func Pair(out frames.Schema, person frames.Column, first, second *Places, absent []float64) *Paired {
	p := &Paired{domain: out, first: first, second: second, person: person, absent: absent[:second.cols], at: make(map[frames.PersonID]int, len(second.who))}
	for i, id := range second.who {
		p.at[id] = i
	}
	for who := range first.who {
		p.rows += p.rowsOf(who)
	}
	return p
}

// bags are the kept rows of the person at a place, one bag for each period.
func (p *Places) bags(who int) []made {
	each := len(p.of) / len(p.who)
	return p.of[who*each : (who+1)*each]
}

// row is the cells of a kept row.
func (p *Places) row(of made, i int) []float64 {
	at := int(of.from) + i
	return p.pieces[of.piece].x[at*p.cols : (at+1)*p.cols]
}

// others are the kept rows that the person at a place of the first table has in the second, in a period.
func (p *Paired) others(who, period int) made {
	if i, ok := p.at[p.first.who[who]]; ok {
		return p.second.bags(i)[period]
	}
	return made{}
}

// rowsOf is how many rows the person at a place has.
func (p *Paired) rowsOf(who int) (n int) {
	for period, of := range p.first.bags(who) {
		n += int(of.rows) * max(1, int(p.others(who, period).rows))
	}
	if n == 0 && p.person.Listed() == 0 { // a person whose rows an earlier step removed keeps a place; a list knows its own
		n = 1
	}
	return n
}

func (p *Paired) Schema() frames.Schema { return p.domain }

func (p *Paired) Rows() int { return p.rows }

func (p *Paired) Scan(ctx context.Context, fn func(*frames.Block) error) error {
	out := &pairedBlock{fn: fn, cols: p.domain.Width(), labelled: p.first.labelled}
	for who, id := range p.first.who {
		if err := ctx.Err(); err != nil {
			return err
		}
		some := false
		for period, of := range p.first.bags(who) {
			others := p.others(who, period)
			for i := range int(of.rows) {
				var y float64
				if p.first.labelled {
					y = p.first.pieces[of.piece].y[int(of.from)+i]
				}
				for j := range max(1, int(others.rows)) {
					cells := p.absent
					if others.rows > 0 {
						cells = p.second.row(others, j)
					}
					if err := out.add(p.person.InPeriod(id, period), p.first.row(of, i), cells, y); err != nil {
						return err
					}
					some = true
				}
			}
		}
		if !some && p.rowsOf(who) == 1 {
			if err := out.addEmpty(id); err != nil {
				return err
			}
		}
	}
	return out.give()
}

// pairedBlock gathers rows, and hands them out as blocks.
type pairedBlock struct {
	fn       func(*frames.Block) error
	cols     int
	labelled bool
	b        frames.Block
	empties  bool
}

func (o *pairedBlock) add(id frames.PersonID, first, second []float64, y float64) error {
	o.b.X = append(append(o.b.X, first...), second...)
	if o.labelled {
		o.b.Y = append(o.b.Y, y)
	}
	return o.added(id, false)
}

// addEmpty adds the place of a person without rows.
func (o *pairedBlock) addEmpty(id frames.PersonID) error {
	o.b.X = append(o.b.X, make([]float64, o.cols)...)
	if o.labelled {
		o.b.Y = append(o.b.Y, 0)
	}
	return o.added(id, true)
}

func (o *pairedBlock) added(id frames.PersonID, empty bool) error {
	o.b.Person, o.b.Empty = append(o.b.Person, id), append(o.b.Empty, empty)
	o.empties = o.empties || empty
	if o.b.Rows++; o.b.Rows == ChunkSize {
		return o.give()
	}
	return nil
}

// give hands out what was gathered, and uses its memory again.
func (o *pairedBlock) give() error {
	if o.b.Rows == 0 {
		return nil
	}
	b := o.b
	if b.Cols = o.cols; !o.empties {
		b.Empty = nil
	}
	err := o.fn(&b)
	o.b = frames.Block{First: b.First + b.Rows, X: o.b.X[:0], Y: o.b.Y[:0], Person: o.b.Person[:0], Empty: o.b.Empty[:0]}
	o.empties = false
	return err
}
