package dpkit

import (
	"context"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// sparse is a step of the caller's own that writes no zeros, as if rows came with them.
type sparse struct{}

func (sparse) Check(in frames.Schema) (frames.Schema, error) { return in, nil }

func (sparse) Propagate(st stage.Stage) (stage.Propagation, error) {
	return stage.Propagation{Pair: st.Before, Role: stage.RolePublic, Taint: st.Taint, Scope: accountant.Scope{Kind: accountant.Unconditional}}, nil
}

func (sparse) Fit(context.Context, frames.Source, stage.Stage) (stage.Transform, error) {
	return stage.ByRow(func(dst, src []float64) {
		for j, x := range src {
			if x > 0.5 {
				dst[j] = x
			}
		}
	}), nil
}

// TestMapsThatWriteNoZeros: rows that a step of the caller's own leaves unwritten hold zeros, and nothing of other rows or of other tables, wherever its
// rows are held.
func TestMapsThatWriteNoZeros(t *testing.T) {
	s := must(frames.NewSchema(frames.Numeric("a", 0, 1), frames.Numeric("b", 0, 1), frames.Label("y", "no", "yes")))
	f := must(framesOf(s, 3000))
	for _, src := range []frames.Source{f, f.Blocks(77)} {
		for _, held := range []int{0, 1} {
			for _, more := range []func(Pipeline) Pipeline{func(p Pipeline) Pipeline { return p }, func(p Pipeline) Pipeline { return p.ClipColumns(0, 1, "a") }} {
				m := rowsAtEnd(t, more(must(Demo(src, 1, ReplaceOne)).Data().With(sparse{})), held)
				for i := range f.Rows() {
					b := &frames.Block{}
					f.ReadRange(b, i, 1)
					for j, x := range b.X {
						if got := m.Row(i)[j]; (got != 0) != (x > 0.5) || got > 1 {
							t.Fatalf("at most %d bytes: row %d: got %g for %g", held, i, got, x)
						}
					}
				}
			}
		}
	}
}
