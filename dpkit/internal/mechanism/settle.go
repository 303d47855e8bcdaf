package mechanism

import (
	"context"
	"errors"
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// A Mechanism is what a release ends a chain with. It settles once on a pair state, from public facts alone: what is priced is
// what is drawn. V is what it releases: plain data that survives JSON. Every mechanism is of this package, as the noise is: it
// reaches rows by passes alone, over rows that a step may have removed.
type Mechanism[V any] interface {
	// Settle calibrates the mechanism.
	Settle(st stage.Stage) (Settled[V], error)
	// Exact computes the same without noise, for data that its owner declared public: nothing is priced there.
	Exact(ctx context.Context, table rows.Driver, st stage.Stage) (V, error)
}

// Settled is a mechanism that was calibrated: public facts, which never change. It may be drawn from by several goroutines
// at once.
type Settled[V any] struct {
	Bill query.Bill
	// Read makes the passes over the rows that no draw comes before.
	Read func(ctx context.Context, table rows.Driver) (Draws[V], error)
	// Audit computes what a release cost each row; nil where the law of the release has no closed form.
	Audit func(ctx context.Context, in frames.Source, released any) ([]float64, error)
	// Predicted is the error that the mechanism expects.
	Predicted Prediction
	// Unread says why public facts make the value alone: Read reads no row, Bill is of an event that costs nothing, and a release charges
	// nothing. "" of a release of rows.
	Unread string
	// Once says that no draw passes over the rows again.
	Once bool
	// Packs says that passes take packed rows ([rows.Packed]), and all of them.
	Packs bool
	// Again makes one of the passes that draws make, at a point that [rows.AtPoint] told of it: a few passes, so that other processes can make
	// them. nil where draws make none, or more.
	Again func(ctx context.Context, table rows.Driver, point []float64) error
}

// Draws makes releases of rows that were read, as many as are asked for: each from the noise alone, without a trace of those
// before. It may pass over the rows again, as far as passes depend on draws.
type Draws[V any] func(ctx context.Context, rng *noise.Source) (V, error)

// ReadOnce settles a mechanism that reads the rows before any draw, and draws from what came of it. draw must leave that as it is.
func ReadOnce[V, F any](b query.Bill, read func(ctx context.Context, table rows.Driver) (F, error), draw func(of F, rng *noise.Source) (V, error)) Settled[V] {
	return Settled[V]{Bill: b, Once: true, Read: func(ctx context.Context, table rows.Driver) (Draws[V], error) {
		of, err := read(ctx, table)
		return func(_ context.Context, rng *noise.Source) (V, error) { return draw(of, rng) }, err
	}}
}

// ErrPoint is the error of a point at which a mechanism makes no pass.
var ErrPoint = errors.New("no point of a pass of this release: run the same version of dpnb everywhere")

// DrawnAs makes a value of what is drawn.
func DrawnAs[V, W any](read func(ctx context.Context, table rows.Driver) (Draws[W], error), value func(w W) V) func(ctx context.Context, table rows.Driver) (Draws[V], error) {
	return func(ctx context.Context, table rows.Driver) (Draws[V], error) {
		draw, err := read(ctx, table)
		return func(ctx context.Context, rng *noise.Source) (v V, err error) {
			w, err := draw(ctx, rng)
			if err != nil {
				return v, err
			}
			return value(w), nil
		}, err
	}
}

// A Releaser is a mechanism of any value: what it makes is a *V.
type Releaser interface {
	// Zero is a new *V, into which a stored release is read.
	Zero() any
	// Settle is that of the mechanism.
	Settle(st stage.Stage) (Settled[any], error)
	// Exact is that of the mechanism, and a *V too.
	Exact(ctx context.Context, table rows.Driver, st stage.Stage) (any, error)
}

// Typed is the only [Releaser]: of a mechanism of one type.
type Typed[V any] struct{ M Mechanism[V] }

func (t Typed[V]) Zero() any { return new(V) }

func (t Typed[V]) Settle(st stage.Stage) (Settled[any], error) {
	s, err := t.M.Settle(st)
	read := func(ctx context.Context, table rows.Driver) (Draws[any], error) {
		return s.readAny(ctx, passesOf(t.M, st, table))
	}
	out := Settled[any]{Bill: s.Bill, Read: read, Audit: s.Audit, Predicted: s.Predicted, Unread: s.Unread, Once: s.Once, Packs: s.Packs}
	if s.Again != nil {
		out.Again = func(ctx context.Context, table rows.Driver, point []float64) error {
			return s.Again(ctx, passesOf(t.M, st, table), point)
		}
	}
	return out, err
}

// passesOf are rows whose passes are of a mechanism and of all that it settles by. Its public settings are in its text.
func passesOf(m any, st stage.Stage, table rows.Driver) rows.Driver {
	k, _ := kind.KindFor(m)
	table = rows.Bind(table, "columns and pair state", st.In, st.Before, st.Taint, st.Empty, st.Unordered, st.Spent)
	return rows.Bind(table, fmt.Sprintf("release %s %d", k.Name, k.Law), func() any { return kind.TextOf(m) })
}

func (t Typed[V]) Exact(ctx context.Context, table rows.Driver, st stage.Stage) (any, error) {
	v, err := t.M.Exact(ctx, passesOf(t.M, st, table), st)
	return &v, err
}

func (s Settled[V]) readAny(ctx context.Context, table rows.Driver) (Draws[any], error) {
	draw, err := s.Read(ctx, table)
	return func(ctx context.Context, rng *noise.Source) (any, error) {
		v, err := draw(ctx, rng)
		return &v, err
	}, err
}
