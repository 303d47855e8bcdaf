package mechanism

import (
	"context"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// Broken is a mechanism that was asked for in a way that means nothing: the chain goes on, and says so where it is priced.
type Broken[V any] struct {
	Call string `dp:"-"`
	Err  error  `dp:"-"`
}

// Kind is that of no release: none is made.
func (b Broken[V]) Kind() kind.Kind { return kind.Kind{Name: "broken", Law: 1, Call: b.Call} }

func (b Broken[V]) Settle(stage.Stage) (Settled[V], error) { return Settled[V]{}, b.Err }

func (b Broken[V]) Exact(context.Context, rows.Driver, stage.Stage) (v V, err error) {
	return v, b.Err
}
