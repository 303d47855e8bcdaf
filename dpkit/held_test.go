package dpkit

import (
	"context"
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// TestCostSaysWhatIsHeld: the tables that a chain holds are counted from public sizes, and what it streams instead.
func TestCostSaysWhatIsHeld(t *testing.T) {
	schema := must(frames.NewSchema(frames.Numeric("x", -1, 1).MayMiss(), frames.Numeric("z", 0, 4), frames.NumericLabel("y", 0, 1)))
	var b frames.Block
	for i := range 1000 {
		b.X, b.Y = append(b.X, math.Sin(float64(i)), float64(i%5)), append(b.Y, float64(i%2))
	}
	b.Rows, b.Cols = 1000, 2
	f := must(frames.FromBlock(schema, &b))
	target := Target{Epsilon: 1, Delta: 1e-6}
	for _, c := range []struct {
		name   string
		memory int
		build  func(p Pipeline) Pipeline
		want   cost.Held
	}{
		{"one column", 1 << 20, func(p Pipeline) Pipeline { return p.Select("z") }, cost.Held{Bytes: 8 * 2000}},
		{"one table", 1 << 20, func(p Pipeline) Pipeline { return p.Impute(Mean{}) }, cost.Held{Bytes: 8 * 3000}},
		{"narrower", 1 << 20, func(p Pipeline) Pipeline { return p.Impute(Mean{}).Select("x") }, cost.Held{Bytes: 8 * 3000}},
		{"wider", 1 << 20, func(p Pipeline) Pipeline { return p.Select("x").Indicate().Impute(Mean{}).Select("x") }, cost.Held{Bytes: 8 * 3000}},
		{"written over", 1 << 20, func(p Pipeline) Pipeline { return p.Impute(Mean{}).Scale().ClipNorm(1) }, cost.Held{Bytes: 8 * 3000}},
		{"duplicates", 1 << 20, func(p Pipeline) Pipeline { return p.Dedup(Exact{}).Impute(Mean{}).Scale() }, cost.Held{Bytes: 8 * 3000}},
		{"a step of another module", 1 << 20, func(p Pipeline) Pipeline { return p.Impute(Mean{}).with(foreignCopy{}).Scale() }, cost.Held{Bytes: 8 * 6000}},
		{"streamed", 16, func(p Pipeline) Pipeline { return p.Impute(Mean{}).Select("x") }, cost.Held{Streamed: 2}},
		{"the wider one streamed", 8 * 1000, func(p Pipeline) Pipeline { return p.Impute(Mean{}).Select("x") }, cost.Held{Bytes: 8 * 2000, Streamed: 1}},
		{"half of the memory each", 16 * 2000, func(p Pipeline) Pipeline { return p.Impute(Mean{}).with(foreignCopy{}) }, cost.Held{Bytes: 8 * 6000}},
		{"less than half of it", 16*2000 - 1, func(p Pipeline) Pipeline { return p.Impute(Mean{}).with(foreignCopy{}) }, cost.Held{Streamed: 2}},
		{"Dedup holds its rows", 16, func(p Pipeline) Pipeline { return p.Select("z").Dedup(Exact{}) }, cost.Held{Bytes: 8 * 2000, Streamed: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := demo(t, f)
			must(0, s.Memory(c.memory))
			got := must(c.build(s.Data()).Mean(target).Cost()).Held
			if got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
			if says := got.String(); (says != "") != (c.want.Streamed > 0) {
				t.Errorf("%+v says %q", got, says)
			}
		})
	}
	if says := (cost.Held{Bytes: 1 << 30}).String(); !strings.Contains(says, "1074 MB") {
		t.Errorf("got %q", says)
	}
	if err := demo(t, f).Memory(15); !errors.Is(err, ErrParameter) {
		t.Errorf("15 bytes: got %v, want ErrParameter", err)
	}
}

// TestCostSaysWhatIsHeldOfASource: a file that a step is fitted to is read into memory, and so are rows over which a mechanism passes again, unless they are more
// than may be held.
func TestCostSaysWhatIsHeldOfASource(t *testing.T) {
	schema := must(frames.NewSchema(frames.Numeric("x", 0, 1), frames.Numeric("z", 0, 1), frames.Label("y", "no", "yes")))
	b := &frames.Block{Rows: 1000, Cols: 2, X: make([]float64, 2000), Y: make([]float64, 1000)}
	f := must(frames.FromBlock(schema, b))
	const table = 8 * 3000
	held := func(src frames.Source, memory int, cost func(p Pipeline) (Cost, error)) cost.Held {
		s := must(Demo(src, 1, ReplaceOne))
		must(0, s.Memory(memory))
		return must(cost(s.Data())).Held
	}
	sums := func(p Pipeline) (Cost, error) { return p.Sum(Target{Epsilon: 1, Delta: 1e-6}).Cost() }
	fitted := func(p Pipeline) (Cost, error) { return p.MaxAbs(0.1).Sum(Target{Epsilon: 1, Delta: 1e-6}).Cost() }
	again := func(p Pipeline) (Cost, error) { return p.FitLogistic(ByObjective{Epsilon: 1, Delta: 1e-6}).Cost() }
	for _, c := range []struct {
		name   string
		src    frames.Source
		memory int
		cost   func(p Pipeline) (Cost, error)
		want   cost.Held
	}{
		{"sums of a frame", f, 1 << 20, sums, cost.Held{}},
		{"sums of a file", f.Blocks(100), 1 << 20, sums, cost.Held{}},
		{"a step that is fitted to a frame", f, 1 << 20, fitted, cost.Held{Bytes: table}},
		{"a step that is fitted to a file", f.Blocks(100), 1 << 20, fitted, cost.Held{Bytes: table}},
		{"a file larger than memory", f.Blocks(100), 8000, fitted, cost.Held{Streamed: 1}},
		{"many passes over a frame", f, 1 << 20, again, cost.Held{Bytes: table}},
		{"many passes over a file larger than memory", f.Blocks(100), 8000, again, cost.Held{}},
	} {
		if got := held(c.src, c.memory, c.cost); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

// foreignCopy is a step of another module that copies rows.
type foreignCopy struct{}

func (foreignCopy) Check(in frames.Schema) (frames.Schema, error) { return in, nil }

func (foreignCopy) Propagate(st stage.Stage) (stage.Propagation, error) {
	return stage.Propagation{Pair: st.Before, Taint: st.Taint, Scope: accountant.Scope{Kind: accountant.Unconditional}, Role: stage.RolePublic}, nil
}

func (foreignCopy) Fit(context.Context, frames.Source, stage.Stage) (stage.Transform, error) {
	return stage.ByRow(func(dst, src []float64) { copy(dst, src) }), nil
}

// TestChainsHoldOneTable: all that a chain allocates while it is fitted and applied, freed or not, is about the table that its cost says it holds, whether
// steps make rows wider, narrower or leave some out. It is not parallel: others would be counted.
func TestChainsHoldOneTable(t *testing.T) {
	const n = 40_000
	schema := must(frames.NewSchema(frames.Category("c", "a", "b", "c", "d", "e", "f"), frames.Numeric("x", -1, 1).MayMiss(), frames.Numeric("z", 0, 4), frames.NumericLabel("y", 0, 1)))
	b := &frames.Block{Rows: n, Cols: 3}
	for i := range n {
		x := math.Sin(float64(i))
		if i%7 == 0 {
			x = math.NaN()
		}
		b.X, b.Y = append(b.X, float64(i%6), x, float64(i%5)), append(b.Y, float64(i%2))
	}
	f := must(frames.FromBlock(schema, b))
	for _, c := range []struct {
		name  string
		src   frames.Source
		build func(p Pipeline) Pipeline
	}{
		{"all widths", f, func(p Pipeline) Pipeline {
			return p.Indicate().Impute(Mean{}).OneHot().Scale().PCA(SoftThreshold{Lambda: 0.05}).Select("x", "z").ClipNorm(1)
		}},
		{"a file", f.Blocks(1000), func(p Pipeline) Pipeline {
			return p.Impute(Mean{}).OneHot().Scale().PCA(SoftThreshold{Lambda: 0.05}).Select("x", "z").ClipNorm(1)
		}},
		{"rows left out", f, func(p Pipeline) Pipeline { return p.Impute(Mean{}).Where(Between("z", 1, 4)).OneHot().Scale() }},
		{"a side", f, func(p Pipeline) Pipeline {
			train, _ := p.Indicate().Holdout(0.3)
			return train.Impute(Mean{}).OneHot().Scale()
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := c.build(must(Demo(c.src, 1, ReplaceOne)).Data())
			says := must(p.Gram(Target{Epsilon: 1, Delta: 1e-6}).Cost()).Held
			if says.Streamed > 0 || says.Bytes < 8*n*4 {
				t.Fatalf("got %+v, want a table that is held", says)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			appliedWithin(t, p, 0)
			runtime.ReadMemStats(&after)
			if got, most := int64(after.TotalAlloc-before.TotalAlloc), says.Bytes*5/4+12<<20; got > most {
				t.Errorf("got %d bytes, want at most %d: a table of %d and some chunks", got, most, says.Bytes)
			}
		})
	}
}
