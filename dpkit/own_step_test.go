package dpkit_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// ownStep is a step of another module, which copies rows and reports any scope.
type ownStep struct {
	Kind accountant.ScopeKind
	On   []string
}

func (o ownStep) Check(in frames.Schema) (frames.Schema, error) { return in, nil }

func (o ownStep) Propagate(st stage.Stage) (stage.Propagation, error) {
	return stage.Propagation{Pair: st.Before, Taint: st.Taint, Scope: accountant.Scope{Kind: o.Kind, On: o.On}, Role: stage.RolePublic}, nil
}

func (o ownStep) Fit(context.Context, frames.Source, stage.Stage) (stage.Transform, error) {
	return stage.ByRow(func(dst, src []float64) { copy(dst, src) }), nil
}

func init() {
	if err := stage.Register[ownStep]("example.com/own/step", 1); err != nil {
		panic(err)
	}
}

// unknownStep is one that nobody registered: it has a price, and no releases.
type unknownStep struct{ ownStep }

func (unknownStep) String() string { return "mypkg/foo" }

func ownFrame(t *testing.T) *frames.Frame {
	t.Helper()
	s, err := frames.NewSchema(frames.Numeric("x", -1, 1), frames.Numeric("z", 0, 2))
	if err != nil {
		t.Fatal(err)
	}
	b := &frames.Block{Rows: 40, Cols: 2}
	for i := range b.Rows {
		b.X = append(b.X, float64(i%3)-1, float64(i%2))
	}
	f, err := frames.FromBlock(s, b)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

var ownTarget = dpkit.Target{Epsilon: 1, Delta: 1e-6}

// TestOwnStepsAreNamed: whatever scope a step of the caller's own reports, the guarantee is conditional on its bounds, in the
// cost, in the release and in the ledger.
func TestOwnStepsAreNamed(t *testing.T) {
	f := ownFrame(t)
	const first, third, unknown = "the bounds that step 1, example.com/own/step, states", "the bounds that step 3, example.com/own/step, states", "the bounds that step 1, mypkg/foo, states"
	fine := ownStep{Kind: accountant.Unconditional}
	for _, c := range []struct {
		name     string
		build    func(dpkit.Pipeline) dpkit.Pipeline
		want     []string // nil: unconditional
		released bool
	}{
		{"none", func(p dpkit.Pipeline) dpkit.Pipeline { return p.Scale().PCA(dpkit.SoftThreshold{Lambda: 0.1}) }, nil, true},
		{"unconditional", func(p dpkit.Pipeline) dpkit.Pipeline { return p.With(fine).Scale() }, []string{first}, true},
		{"tested", func(p dpkit.Pipeline) dpkit.Pipeline {
			return p.With(ownStep{accountant.Tested, []string{"a gap"}})
		}, []string{"a gap", first}, true},
		{"two, and a declaration", func(p dpkit.Pipeline) dpkit.Pipeline {
			return p.With(fine).Scale().With(ownStep{accountant.Conditional, []string{"all is well"}})
		}, []string{first, "all is well", third}, true},
		{"not registered", func(p dpkit.Pipeline) dpkit.Pipeline { return p.With(unknownStep{fine}) }, []string{unknown}, false},
		{"by pointer", func(p dpkit.Pipeline) dpkit.Pipeline { return p.With(&unknownStep{fine}) }, []string{unknown}, false},
		{"unnamed type", func(p dpkit.Pipeline) dpkit.Pipeline { return p.With(struct{ unknownStep }{unknownStep{fine}}) }, []string{unknown}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := accountant.Scope{Kind: accountant.Unconditional}
			if c.want != nil {
				want = accountant.Scope{Kind: accountant.Conditional, On: c.want}
			}
			same := func(where string, got accountant.Scope) {
				t.Helper()
				if got.Kind != want.Kind || !slices.Equal(got.On, want.On) {
					t.Errorf("%s: got %v, want %v", where, got, want)
				}
			}
			o := dpkit.Options{Ledger: filepath.Join(t.TempDir(), "own.ledger"), Budget: dpkit.Budget{Epsilon: 3, Delta: 1e-5}, Neighbours: dpkit.ReplaceOne, Dataset: t.Name()}
			s, err := dpkit.Create(f, o)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			plan := c.build(s.Data()).Mean(ownTarget)
			cost, err := plan.Cost()
			if err != nil {
				t.Fatal(err)
			}
			same("cost", cost.Guarantee.Scope)
			if !c.released {
				return
			}
			for range 2 { // the second time from the ledger
				r, err := plan.Release(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				same("release", r.Guarantee.Scope)
				if got := slices.Sorted(slices.Values(r.Status.Scope.On)); r.Status.Scope.Kind != want.Kind || !slices.Equal(got, slices.Sorted(slices.Values(want.On))) {
					t.Errorf("ledger: got %v, want %v", r.Status.Scope, want)
				}
				if c.want != nil && !strings.Contains(r.String(), "conditional on "+strings.Join(c.want, "; ")) {
					t.Errorf("the release says %v", r)
				}
			}
		})
	}
}

// TestInvalidScopeIsRefused: before anything is charged, with what to do.
func TestInvalidScopeIsRefused(t *testing.T) {
	s, err := dpkit.Create(ownFrame(t), dpkit.Options{
		Ledger: filepath.Join(t.TempDir(), "own.ledger"), Budget: dpkit.Budget{Epsilon: 3, Delta: 1e-5}, Neighbours: dpkit.ReplaceOne, Dataset: t.Name(),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for name, scope := range map[string]accountant.Scope{
		"none":                      {},
		"a list and no kind":        {On: []string{"a"}},
		"unconditional with a list": {Kind: accountant.Unconditional, On: []string{"a"}},
		"conditional on nothing":    {Kind: accountant.Conditional},
		"tested on nothing":         {Kind: accountant.Tested},
		"no such kind":              {Kind: 77, On: []string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			plan := s.Data().Scale().With(ownStep{scope.Kind, scope.On}).Mean(ownTarget)
			_, costErr := plan.Cost()
			_, err := plan.Release(t.Context())
			for _, err := range []error{costErr, err} {
				if !errors.Is(err, dpkit.ErrParameter) || !strings.Contains(err.Error(), ": scope of its Propagation") || !strings.Contains(err.Error(), "accountant.Unconditional") {
					t.Errorf("got %v, want ErrParameter with the step and the fix", err)
				}
			}
		})
	}
	if st, err := s.Status(); err != nil || st.Releases != 0 || st.Spent.Epsilon != 0 {
		t.Errorf("charged: %+v, %v", st, err)
	}
}
