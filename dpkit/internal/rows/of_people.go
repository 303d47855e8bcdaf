package rows

import (
	"context"

	"github.com/dpkit-go/dpnb/frames"
)

// OfPeople are rows that are made of all rows of each person, anew whenever they are read. Of rows that lie elsewhere they are made of a shard, or
// of a bucket, that holds all rows of its people: their order among all is then that of these, and who is in a roster without rows in one
// has empty places in it.
type OfPeople struct {
	In     frames.Source
	Domain frames.Schema
	Places int // of all people
	Make   func(ctx context.Context, in frames.Source) (frames.Source, error)
}

func (p *OfPeople) Schema() frames.Schema { return p.Domain }

func (p *OfPeople) Rows() int { return p.Places }

func (p *OfPeople) Scan(ctx context.Context, fn func(*frames.Block) error) error {
	made, err := p.Make(ctx, p.In)
	if err != nil {
		return err
	}
	return made.Scan(ctx, fn)
}

// MadeOfPeople says whether rows are made of those of people.
func MadeOfPeople(in frames.Source) bool {
	for {
		switch s := in.(type) {
		case *Mapped:
			in = s.In
		case *OfSide:
			in = s.In
		case *Kept:
			in = s.In
		default:
			_, ok := in.(*OfPeople)
			return ok
		}
	}
}
