package dpkit

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// TestOptionsByPointer: an option that is given by a pointer is the option.
func TestOptionsByPointer(t *testing.T) {
	d := must(Demo(tinyFrame(t, 60, 1), 1, ReplaceOne)).Data().Select("age").Scale()
	for _, c := range []struct{ got, want interface{ String() string } }{
		{d.Standardize(&RMS{Floor: 0.1}), d.Standardize(RMS{Floor: 0.1})},
		{d.Standardize(&PrivateRMS{Share: 0.1, Floor: 0.1}), d.Standardize(PrivateRMS{Share: 0.1, Floor: 0.1})},
		{d.PCA(&SoftThreshold{Lambda: 0.1}), d.PCA(SoftThreshold{Lambda: 0.1})},
		{d.Impute(&Mean{Pad: 9}), d.Impute(Mean{Pad: 9})},
		{
			d.FitConvex(&LogLoss{}, ByGradient{Epsilon: 1, Delta: 1e-6, Solver: &PoissonSampling{Rate: 0.1}}),
			d.FitConvex(LogLoss{}, ByGradient{Epsilon: 1, Delta: 1e-6, Solver: PoissonSampling{Rate: 0.1}}),
		},
	} {
		if c.got.String() != c.want.String() {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
}

// TestOddColumnNames: a ledger is bound to columns whose names it would not take.
func TestOddColumnNames(t *testing.T) {
	for _, name := range []string{"prix\u00a0moyen", "a\u200bb", strings.Repeat("x", 201)} {
		b := &frames.Block{Rows: 40, Cols: 1, X: make([]float64, 40)}
		f := must(frames.FromBlock(must(frames.NewSchema(frames.Numeric(name, 0, 1))), b))
		s := private(t, f, ledgerPath(t), Budget{Epsilon: 2, Delta: 1e-5})
		plan := s.Data().Mean(Target{Epsilon: 1, Delta: 1e-6})
		must(plan.Release(t.Context()))
		if r := must(plan.Release(t.Context())); !r.Replayed {
			t.Errorf("%q is not replayed", name)
		}
	}
}

// embedded is a step of another module whose option embeds a type of this package.
type embedded struct {
	Option struct {
		Representative
		Width float64
	}
}

func (embedded) Check(in frames.Schema) (frames.Schema, error) { return in, nil }

func (embedded) Propagate(st stage.Stage) (stage.Propagation, error) {
	return stage.Columnwise(st, stage.Bounds{K: 1, R: st.Before.R}, "")
}

func (embedded) Fit(context.Context, frames.Source, stage.Stage) (stage.Transform, error) {
	return stage.ByRow(func(dst, src []float64) { copy(dst, src) }), nil
}

// Größe is a step with names of its author's language.
type Größe struct {
	Plain
	Größe float64
}

type endless struct {
	Plain
	Kids []endless
}

func TestTextsOfOtherModules(t *testing.T) {
	if err := errors.Join(stage.Register[embedded]("test.dpnb/embedded", 1), stage.Register[Größe]("test.dpnb/größe", 1)); err != nil {
		t.Fatal(err)
	}
	var a, b embedded
	a.Option.Representative, a.Option.Width = CellSmallest, 1
	b.Option.Representative, b.Option.Width = CellSmallest, 2
	if kind.TextOf(a) == kind.TextOf(b) {
		t.Errorf("%s is of two steps", kind.TextOf(a))
	}
	s := must(Demo(tinyFrame(t, 30, 1), 1, ReplaceOne))
	for _, step := range []stage.Preprocessor{a, b, Größe{Größe: 2}} {
		text := s.Data().With(step).String()
		if p, err := ParsePipeline(s, text); err != nil || p.steps[0] != step {
			t.Errorf("%s: got %v, %v", text, p, err)
		}
	}
	if err := stage.Register[endless]("test.dpnb/endless", 1); !errors.Is(err, ErrParameter) {
		t.Errorf("got %v, want that a type within itself is refused", err)
	}
	_, err := s.Data().With(&halve{1}).plan0().chainIdentity()
	if !errors.Is(err, ErrParameter) || !strings.Contains(err.Error(), "pass it by value") {
		t.Errorf("a pointer: got %v", err)
	}
	if _, err := ParsePipeline(s, strings.Repeat("Scale().", 5000)+"Scale()"); !errors.Is(err, ErrParameter) || !strings.Contains(err.Error(), "steps") {
		t.Errorf("5000 steps: got %v", err)
	}
}

// TestVersionsDoNotShowWhatIsAlike: from the ledger's file alone nobody sees which columns two versions have in common.
func TestVersionsDoNotShowWhatIsAlike(t *testing.T) {
	path := ledgerPath(t)
	seen := map[string]bool{}
	for _, version := range []string{"", "2025", "2026"} {
		s := must(Create(tinyFrame(t, 60, 1), Options{Ledger: path, Budget: Budget{Epsilon: 3, Delta: 1e-5}, Neighbours: ReplaceOne, Dataset: "test", Version: version}))
		must(s.Data().Histogram("work", Target{Epsilon: 0.1, Delta: 1e-7}).Named(version).Release(t.Context()))
		sum := must(s.boundFingerprint(t.Context(), "work"))
		if !strings.Contains(string(must(os.ReadFile(path))), sum) || seen[sum] {
			t.Errorf("version %q: the ledger is not bound to the column, or as another version is", version)
		}
		seen[sum] = true
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestConcatIsFixed: what a caller does with the list of files later changes no rows of the session.
func TestConcatIsFixed(t *testing.T) {
	parts := []frames.Source{tinyFrame(t, 30, 1), tinyFrame(t, 30, 2)}
	s := must(Demo(must(frames.Concat(parts...)), 1, ReplaceOne))
	plan := s.Data().Histogram("work", Target{Epsilon: 1, Delta: 1e-6})
	a := must(plan.Release(t.Context()))
	parts[1] = tinyFrame(t, 30, 3)
	if b := must(plan.Release(t.Context())); measured(a.Value, false) != measured(b.Value, false) {
		t.Error("the rows of the session changed")
	}
}
