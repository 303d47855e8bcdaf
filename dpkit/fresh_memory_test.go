package dpkit

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	memory "github.com/dpkit-go/dpnb/internal/fresh"
)

// poisons are what memory may hold that nobody cleared.
var poisons = []float64{math.NaN(), 1e300, -3}

// TestMechanismsReadWhatWasWritten: every kind of release, behind every way to its rows, some of which an earlier step removed, has the bits that it has
// where tables are cleared.
func TestMechanismsReadWhatWasWritten(t *testing.T) {
	data, behind := entryData(t), 0
	for _, e := range mechanismEntries() {
		first := data[e.data].Schema().Features()[0]
		some := Between(first.Name, first.Lo, (first.Lo+first.Hi)/2)
		if len(first.Levels) > 0 {
			some = Is(first.Name, first.Levels[0])
		}
		for name, end := range map[string]func(Pipeline) *plan{
			"": e.end, " beside": e.beside, " behind removed rows": func(p Pipeline) *plan { return e.end(p.Where(some)) },
		} {
			if end == nil || name == " beside" && e.beside == nil {
				continue
			}
			released := func(src frames.Source) (string, error) {
				r, err := end(must(Demo(src, 1, e.rel)).Data()).release(t.Context())
				return fmt.Sprint(string(must(json.Marshal(r.Value))), err), err
			}
			for _, src := range []frames.Source{data[e.data], data[e.data].Blocks(333)} {
				want, err := released(src)
				if name == " behind removed rows" && err == nil {
					behind++
				}
				clean := memory.Poison(poisons[0])
				got, _ := released(src)
				clean()
				if got != want {
					t.Errorf("%s%s: got %s, want %s", e.kind, name, got, want)
				}
			}
		}
	}
	if behind < len(mechanismEntries()) {
		t.Errorf("%d releases behind removed rows, of %d kinds from two sources", behind, len(mechanismEntries()))
	}
}

// TestStepsReadWhatWasWritten: so do the rows behind every kind of step, some of which an earlier one removed, from memory and from a source that
// is read in order.
func TestStepsReadWhatWasWritten(t *testing.T) {
	ran := map[string]bool{}
	for name, e := range stepEntries() {
		for _, a := range e.attacks {
			schema := a.domain(1)
			f, err := framesOf(schema, 300)
			if err != nil {
				continue // of columns that no block has
			}
			first := schema.Features()[0]
			for _, src := range []frames.Source{f, f.Blocks(77)} {
				for way, before := range map[string]func(Pipeline) Pipeline{
					"":                    func(p Pipeline) Pipeline { return p },
					"behind removed rows": func(p Pipeline) Pipeline { return p.Where(Or(Between(first.Name, first.Lo, (first.Lo+first.Hi)/2))) },
				} {
					p := a.chain(before(must(Demo(src, 1, ReplaceOne)).Data()), 1)
					stages, _, err := p.trace()
					if err != nil || slices.ContainsFunc(stages, func(s stageOf) bool { return s.Role == stage.RolePrivate }) { // whose fit wants a release
						continue
					}
					for _, held := range []int{0, 1, 300 * 4 * 8} {
						want := rowsAtEnd(t, p, held)
						for _, x := range poisons {
							clean := memory.Poison(x)
							got := rowsAtEnd(t, p, held)
							clean()
							if !sameBits(got.X, want.X) || !slices.Equal(got.Y, want.Y) || !slices.Equal(got.Empty, want.Empty) {
								t.Errorf("%s, %s %s: at most %d bytes, memory of %g: other rows", name, a.name, way, held, x)
							}
						}
					}
					ran[name+way] = true
				}
			}
		}
	}
	if len(ran) < len(stepEntries()) {
		t.Errorf("%d kinds and ways ran", len(ran))
	}
}

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
				clean := memory.Poison(7)
				m := rowsAtEnd(t, more(must(Demo(src, 1, ReplaceOne)).Data().With(sparse{})), held)
				clean()
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
