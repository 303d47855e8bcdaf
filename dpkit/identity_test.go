package dpkit

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/ledger"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// visits are rows of wards, ages and costs, with a label of choice.
func visits(t *testing.T, change func(cols []frames.Column, rows [][]float64)) *frames.Frame {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 3))
	cols := []frames.Column{frames.Category("ward", "a", "b", "c"), frames.Numeric("age", 0, 100), frames.Numeric("cost", 0, 500)}
	var rows [][]float64
	for range 60 {
		rows = append(rows, []float64{float64(r.IntN(3)), math.Floor(100 * r.Float64()), math.Floor(500 * r.Float64())})
	}
	if change != nil {
		change(cols, rows)
	}
	s := must(frames.NewSchema(cols...))
	d := len(s.Features())
	b := &frames.Block{Rows: len(rows), Cols: d}
	for _, row := range rows {
		b.X = append(b.X, row[:d]...)
		b.Y = append(b.Y, row[d:]...)
	}
	return must(frames.FromBlock(s, b))
}

// TestWhatAReleaseDoesNotReadMayChange: a release replays where the columns that it reads are the same, whatever happened to
// the others, and is refused as one on other data where they are not.
func TestWhatAReleaseDoesNotReadMayChange(t *testing.T) {
	ctx := context.Background()
	target := Target{Epsilon: 0.1, Delta: 1e-7}
	path := ledgerPath(t)
	wards := func(s *Session) Plan[Estimates] { return s.Data().Histogram("ward", target) }
	ages := func(s *Session) Plan[Estimates] { return s.Data().Select("age").Scale().Mean(target) }
	s := private(t, visits(t, nil), path, Budget{Epsilon: 3, Delta: 1e-4})
	must(wards(s).Release(ctx))
	must(ages(s).Release(ctx))
	for _, c := range []struct {
		name   string
		change func(cols []frames.Column, rows [][]float64)
		wards  bool // replays
		ages   bool
	}{
		{"nothing", nil, true, true},
		{"a label", func(c []frames.Column, _ [][]float64) { c[2] = frames.NumericLabel("cost", 0, 500) }, true, true},
		{"a corrected bound elsewhere", func(c []frames.Column, _ [][]float64) { c[2] = frames.Numeric("cost", 0, 900) }, true, true},
		{"cells elsewhere", func(_ []frames.Column, r [][]float64) { r[7][2]++ }, true, true},
		{"a bound of the ages", func(c []frames.Column, _ [][]float64) { c[1] = frames.Numeric("age", 0, 120) }, true, false},
		{"an age", func(_ []frames.Column, r [][]float64) { r[7][1] = 1 - min(r[7][1], 1) }, true, false},
		{"a ward", func(_ []frames.Column, r [][]float64) { r[7][0] = math.Mod(r[7][0]+1, 3) }, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := must(Open(visits(t, c.change), path))
			defer s.Close()
			for _, p := range []struct {
				plan    Plan[Estimates]
				replays bool
			}{{wards(s), c.wards}, {ages(s), c.ages}} {
				r, err := p.plan.Release(ctx)
				if p.replays && (err != nil || !r.Replayed) {
					t.Errorf("%v: replayed %v, %v", p.plan, r.Replayed, err)
				}
				if !p.replays && !errors.Is(err, ledger.ErrDataset) {
					t.Errorf("%v: got %v, want ErrDataset", p.plan, err)
				}
			}
		})
	}
}

// TestShardsReplayInAnyOrder: files of a table are read in another order, or from another format.
func TestShardsReplayInAnyOrder(t *testing.T) {
	ctx := context.Background()
	part := func(seed uint64) *frames.Frame { return tinyFrame(t, 40, seed) }
	path := ledgerPath(t)
	open := func(parts ...frames.Source) *Session {
		s := must(Create(must(frames.Concat(parts...)), Options{Ledger: path, Budget: Budget{Epsilon: 3, Delta: 1e-5}, Neighbours: ReplaceOne, Dataset: "test"}))
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	plan := func(s *Session) Plan[LogisticModel] {
		return standard(s, ByGradient{Epsilon: 1, Delta: 1e-6, Steps: 5})
	}
	first := must(plan(open(part(1), part(2), part(3))).Release(ctx))
	again := must(plan(open(part(3), part(1), part(2))).Release(ctx))
	if !again.Replayed || !slices.Equal(first.Value.Coef, again.Value.Coef) {
		t.Error("another order of shards is not replayed")
	}
	if _, err := plan(open(part(3), part(1), part(1))).Release(ctx); !errors.Is(err, ledger.ErrDataset) {
		t.Errorf("got %v, want ErrDataset", err)
	}
}

// TestReadsAreAll: what a plan does not read changes neither its exact result nor its price.
func TestReadsAreAll(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	unread := 0
	for name, f := range frozenData(t) {
		if name == "boundless" || name == "zeroed" { // the former reads all, the latter is people again
			continue
		}
		s := must(Demo(f, 1, ReplaceOne))
		plans := frozenPlans(s, name)
		for i, c := range plans {
			q, err := c.plan.quote()
			if err != nil {
				continue
			}
			read := q.reads(s.schema, c.plan.m)
			if len(read) == 0 {
				t.Errorf("%s/%s reads nothing", name, c.name)
			}
			others := slices.DeleteFunc(domain.DataColumns(s.schema), func(c frames.Column) bool { return slices.Contains(read, c.Name) })
			if len(others) == 0 {
				continue
			}
			unread++
			other := frozenPlans(must(Demo(spoilt(t, f, others), 1, ReplaceOne)), name)[i]
			a, errA := c.plan.release(ctx)
			b, errB := other.plan.release(ctx)
			if errors.Is(errA, ErrTestFailed) != errors.Is(errB, ErrTestFailed) || (errA == nil) != (errB == nil) {
				t.Errorf("%s/%s: %v, and %v where others change", name, c.name, errA, errB)
			}
			if va, vb := measured(a.Value, errA != nil), measured(b.Value, errB != nil); va != vb {
				t.Errorf("%s/%s reads %q: got %+v, and %+v where others change", name, c.name, read, va, vb)
			}
			if a.Cost.Release.Sensitivity != b.Cost.Release.Sensitivity || a.Cost.Release.Sigma != b.Cost.Release.Sigma {
				t.Errorf("%s/%s reads %q: its price changes with others", name, c.name, read)
			}
		}
	}
	if unread < 10 {
		t.Errorf("%d plans leave columns unread: the test tests little", unread)
	}
}

// spoilt is the frame with other cells and other bounds in some columns.
func spoilt(t *testing.T, f *frames.Frame, others []frames.Column) *frames.Frame {
	t.Helper()
	s := f.Schema()
	cols := s.Columns()
	change := map[int]bool{}
	label := false
	for i, c := range cols {
		if !slices.ContainsFunc(others, func(o frames.Column) bool { return o.Name == c.Name }) {
			continue
		}
		if len(c.Levels) == 0 {
			cols[i].Lo, cols[i].Hi = c.Lo-1, c.Hi+7
		}
		if j, feature := s.FeatureIndex(c.Name); feature {
			change[j] = true
		} else {
			label = true
		}
	}
	out := &frames.Block{}
	err := f.Scan(context.Background(), func(b *frames.Block) error {
		out.Cols = b.Cols
		for i := range b.Rows {
			for j, x := range b.Row(i) {
				if c := s.Features()[j]; change[j] && len(c.Levels) > 0 {
					x = float64((out.Rows + i) % len(c.Levels))
				} else if change[j] {
					x = c.Hi + 7*float64(i%2)
				}
				out.X = append(out.X, x)
			}
			y := 0.0
			if b.Y != nil {
				y = b.Y[i]
			}
			if label {
				y = float64(i % 2)
			}
			out.Y = append(out.Y, y)
		}
		out.Rows += b.Rows
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return must(frames.FromBlock(must(frames.NewSchema(cols...)), out))
}

// TestIdentityOfOtherModules: a step of a caller's own is told apart by its registered name and law, and refused without.
func TestIdentityOfOtherModules(t *testing.T) {
	s := private(t, tinyFrame(t, 40, 1), ledgerPath(t), Budget{Epsilon: 3, Delta: 1e-5})
	chain := s.Data().OneHot().Impute(Midpoint{})
	if _, err := chain.With(stranger{}).Mean(Target{Epsilon: 1, Delta: 1e-6}).Release(t.Context()); !errors.Is(err, ErrParameter) || !strings.Contains(err.Error(), "stage.Register[dpkit.stranger]") {
		t.Errorf("got %v, want that it is not registered", err)
	}
	if st := must(s.Status()); st.Releases != 0 {
		t.Error("charged for a step that nobody registered")
	}
	text := chain.With(halve{2}).Mean(Target{Epsilon: 1, Delta: 1e-6}).String()
	if !strings.Contains(text, `With("test.dpnb/halve", halve{Times: 2})`) {
		t.Errorf("got %s", text)
	}
	first := must(chain.With(halve{2}).Mean(Target{Epsilon: 1, Delta: 1e-6}).Release(t.Context()))
	again := must(must(Parse[Estimates](s, text)).Release(t.Context()))
	if first.Replayed || !again.Replayed {
		t.Errorf("replayed %v, then %v", first.Replayed, again.Replayed)
	}
	if errHalve != nil {
		t.Error(errHalve)
	}
	for _, c := range []struct {
		name string
		err  error
		says string
	}{
		{"twice", stage.Register[halve]("test.dpnb/halve2", 1), "already"},
		{"taken", stage.Register[plainStep]("test.dpnb/halve", 1), "already"},
		{"no path", stage.Register[stranger]("halve", 1), "path of a module"},
		{"one of ours", stage.Register[stranger]("impute/mean", 1), "path of a module"},
		{"no law", stage.Register[stranger]("test.dpnb/s", 0), "law"},
		{"a pointer", stage.Register[*stranger]("test.dpnb/s", 1), "struct"},
		{"a hidden field", stage.Register[hidden]("test.dpnb/s", 1), "not exported"},
		{"an embedded field", stage.Register[stranger]("test.dpnb/s", 1), "not exported"},
		{"a function", stage.Register[functional]("test.dpnb/s", 1), "field F"},
	} {
		if !errors.Is(c.err, ErrParameter) || !strings.Contains(c.err.Error(), c.says) {
			t.Errorf("%s: got %v, want %q", c.name, c.err, c.says)
		}
	}
}

type (
	stranger struct{ halve }
	hidden   struct {
		Plain
		secret int
	}
	plainStep  struct{ Plain }
	functional struct {
		Plain
		F func()
	}
	// Plain is a step without parameters.
	Plain struct{}
)

var _ = hidden{}.secret

func (Plain) Check(in frames.Schema) (frames.Schema, error) { return in, nil }

func (Plain) Propagate(st stage.Stage) (stage.Propagation, error) {
	return stage.Columnwise(st, stage.Bounds{K: 1, R: st.Before.R}, "")
}

func (Plain) Fit(context.Context, frames.Source, stage.Stage) (stage.Transform, error) {
	return stage.ByRow(func(dst, src []float64) { copy(dst, src) }), nil
}

// TestEarlierLedgerGoesOn: new releases are charged to a ledger of version 1 under today's identities, and replay.
func TestEarlierLedgerGoesOn(t *testing.T) {
	s, path := thawed(t, frozenDirs[0], "people")
	plan := func(s *Session) Plan[Estimates] {
		return s.Data().Histogram("work", Target{Epsilon: 0.01, Delta: 1e-9})
	}
	before := must(s.Status()).Releases
	if r := must(plan(s).Release(t.Context())); r.Replayed {
		t.Error("replayed what was never released")
	}
	again := must(Open(frozenData(t)["people"], path))
	defer again.Close()
	if r := must(plan(again).Release(t.Context())); !r.Replayed {
		t.Error("charged again")
	}
	if after := must(again.Status()).Releases; after != before+1 {
		t.Errorf("%d releases, before %d", after, before)
	}
	other := must(Open(frozenData(t)["zeroed"], path))
	defer other.Close()
	if _, err := plan(other).Release(t.Context()); !errors.Is(err, ledger.ErrDataset) {
		t.Errorf("other rows: got %v, want ErrDataset", err)
	}
}

// TestBelieved: what a step of another package rests on is named, in a replay too.
func TestBelieved(t *testing.T) {
	if g := believed(2, steps.Scale{}); g.Kind != accountant.Unconditional {
		t.Errorf("a step of this package: %v", g)
	}
	if g := believed(2, struct{ stage.Preprocessor }{steps.Scale{}}); g.Kind != accountant.Conditional || !strings.Contains(g.String(), "the bounds that step 2") {
		t.Errorf("a step of the caller's own: %v", g)
	}
}
