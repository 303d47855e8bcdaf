package dpkit

import (
	"cmp"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/frames"
)

// table are the rows behind the steps of the plan, in this process.
func (pl *plan) table(in frames.Source) rows.Driver {
	return pl.bound(rows.InProcess{In: in, Memory: cmp.Or(pl.p.s.held, heldBytes)})
}

// bound are rows whose passes are of the chain of the plan.
func (pl *plan) bound(in rows.Driver) rows.Driver {
	return rows.Bind(in, "chain", func() any {
		var chain []stepIdentity
		for _, step := range pl.p.steps {
			k, _ := kind.KindFor(step)
			chain = append(chain, stepIdentity{k.Name, k.Law, kind.TextOf(step), codeOf(step)})
		}
		return chain
	})
}
