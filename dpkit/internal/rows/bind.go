package rows

import (
	"context"

	"github.com/dpkit-go/dpnb/frames"
)

// A fact is something that a pass is of: its states are read by a pass of the same facts alone.
type fact struct {
	what   string // shown in errors
	of     []any
	secret bool // depends on rows, or on draws: not even its hash is shown
}

// Bind returns the same rows, whose passes are of public facts: the chain, the columns, the mechanism. They must not change while a
// pass runs. They cost nothing until a state is written or read: what takes time to say may be a func() any.
func Bind(in Driver, what string, of ...any) Driver { return bound{in, fact{what, of, false}} }

// BindSecret is [Bind] for what depends on rows or draws, such as the point at which a pass takes gradients.
func BindSecret(in Driver, what string, of ...any) Driver { return bound{in, fact{what, of, true}} }

// Over are the rows of a source in this process, whose passes are of its columns.
func Over(in frames.Source) Driver {
	return Bind(InProcess{In: in}, "columns", in.Schema())
}

type bound struct {
	Driver
	to fact
}

func (d bound) Drive(ctx context.Context, begin func() Partial) (Partial, error) {
	all, err := d.Driver.Drive(ctx, func() Partial { return boundPartial{begin(), d.to} })
	if err != nil {
		return nil, err
	}
	return all.(boundPartial).Partial, nil
}

func (d bound) Gathered(ctx context.Context) (Driver, error) {
	in, err := d.Driver.Gathered(ctx)
	return bound{in, d.to}, err
}

// boundPartial is written with what it is of before it.
type boundPartial struct {
	Partial
	to fact
}

func (p boundPartial) Merge(next Partial) { p.Partial.Merge(next.(boundPartial).Partial) }

func (p boundPartial) Code(c *Coder) {
	c.fact(p.to)
	p.Partial.Code(c)
}
