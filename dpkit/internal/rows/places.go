package rows

import (
	"context"

	"github.com/dpkit-go/dpnb/frames"
)

// Places are rows of people in memory, so many places for each person, one person's behind the other's: the rows of a person fill the first of
// theirs, and the others are empty. They take the memory of the rows that are there.
type Places struct {
	Domain frames.Schema
	Each   int // places of a person

	cols     int
	labelled bool
	madeOfBags
}

func (p *Places) Schema() frames.Schema { return p.Domain }

func (p *Places) Rows() int { return len(p.of) * p.Each }

// ReadRange writes n places, those from from on, to a block, whose memory is used again.
func (p *Places) ReadRange(b *frames.Block, from, n int) {
	to := from + n
	*b = frames.Block{First: from, Rows: n, Cols: p.cols, X: Grown(b.X, n*p.cols), Y: b.Y, Empty: Grown(b.Empty, n)}
	if p.labelled {
		b.Y = Grown(b.Y, n)
	} else {
		b.Y = nil
	}
	clear(b.X)
	clear(b.Y)
	for at := from; at < to; {
		who := at / p.Each
		end := min((who+1)*p.Each, to)
		of := p.of[who]
		rank := at % p.Each
		there := min(max(int(of.rows)-rank, 0), end-at)
		if there > 0 {
			rows, row := &p.pieces[of.piece], int(of.from)+rank
			copy(b.X[(at-from)*p.cols:], rows.x[row*p.cols:(row+there)*p.cols])
			if p.labelled {
				copy(b.Y[at-from:], rows.y[row:row+there])
			}
		}
		for i := range end - at {
			b.Empty[at-from+i] = i >= there
		}
		at = end
	}
}

func (p *Places) Scan(ctx context.Context, fn func(*frames.Block) error) error {
	b := &frames.Block{}
	for from, n := 0, p.Rows(); from < n; from += ChunkSize {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.ReadRange(b, from, min(ChunkSize, n-from))
		if err := fn(b); err != nil {
			return err
		}
	}
	return nil
}
