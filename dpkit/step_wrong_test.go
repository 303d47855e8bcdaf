package dpkit

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/attack"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// wrongMaxAbs divides every feature by its largest absolute value in the data, at least Floor, and claims so many times what that
// displaces rows by: 1 is right.
type wrongMaxAbs struct{ Floor, Claim float64 }

func (m wrongMaxAbs) Check(in frames.Schema) (frames.Schema, error) {
	if err := domain.EncodedFeatures(in, ""); err != nil {
		return in, err
	}
	return domain.Replaced(in, numericFeatures(in), func(c frames.Column) frames.Column { c.Lo, c.Hi = -1, 1; return c })
}

// Propagate: a common value is at most both maxima, so that it moves by |x||1/M − 1/M'| ≤ 1 when a row is replaced, and by |M − M'|/Floor
// when rows are displaced, where the maxima move by min(tF, √d·t∞) in ℓ2 over the columns.
func (m wrongMaxAbs) Propagate(st stage.Stage) (stage.Propagation, error) {
	p := st.Before
	n, root := float64(p.N), math.Sqrt(float64(len(st.In.Features())))
	r, h := stage.Up(min(root, p.R/m.Floor)), stage.Up(min(p.TF, root*p.TInf)/m.Floor)
	q, err := p.Propagate(pair.StepBounds{
		K: stage.Up(1 / m.Floor), A1: m.Claim * n * r, AF: m.Claim * stage.Up(math.Sqrt(n)*r), AInf: m.Claim * r,
		H1: stage.Up(n * h), HF: stage.Up(math.Sqrt(n) * h), HInf: h, Affected: p.N - p.F, R: r, Jump: stage.Rounding(len(st.In.Features()), r), ResetFree: true,
	})
	return stage.Propagation{
		Pair: q, Taint: st.Taint.With(domain.ColumnNames(domain.UnitsOf(st.In), st.In)...), Scope: accountant.Scope{Kind: accountant.Unconditional}, Role: stage.RoleDeployed,
	}, err
}

func (m wrongMaxAbs) Fit(ctx context.Context, in frames.Source, st stage.Stage) (stage.Transform, error) {
	most := slices.Repeat([]float64{m.Floor}, len(st.In.Features()))
	err := stage.ScanRows(ctx, in, func(row []float64, _ float64) {
		for j, x := range row {
			most[j] = max(most[j], math.Abs(x))
		}
	})
	return stage.ByRow(func(dst, src []float64) {
		for j, x := range src {
			dst[j] = x / most[j]
		}
	}), err
}

// TestWrongStepIsFound: the attack on every step catches a step whose bounds are a thousand times too small, and one whose are half
// of what is right, under both relations and behind another step; with right bounds it finds nothing to say.
func TestWrongStepIsFound(t *testing.T) {
	t.Parallel()
	found := func(claim float64, rel accountant.Neighbours, before func(Pipeline) Pipeline) error {
		chain := before(Pipeline{}).With(wrongMaxAbs{0.01, claim})
		_, err := attack.Search(t.Context(), chainSubject(chain.steps, attack.Subject{Schema: squareDomain(1), Neighbours: rel}), attack.Options{Seed: 1})
		return err
	}
	for _, rel := range []accountant.Neighbours{ReplaceOne, AddRemove} {
		for name, before := range map[string]func(Pipeline) Pipeline{
			"first":     func(p Pipeline) Pipeline { return p },
			"in a ball": func(p Pipeline) Pipeline { return p.ClipNorm(0.9) },
			"of less":   func(p Pipeline) Pipeline { return p.ClipColumns(-0.5, 1, "x") },
		} {
			if err := found(1, rel, before); err != nil {
				t.Errorf("%v, %s, right bounds: %v", rel, name, err)
			}
			if _, ok := attack.AsBreach(found(1e-3, rel, before)); !ok {
				t.Errorf("%v, %s: a thousandth of the bounds is not found", rel, name)
			}
		}
		b, ok := attack.AsBreach(found(0.49, rel, func(p Pipeline) Pipeline { return p }))
		if !ok || !strings.Contains(b.Error(), "measured") || !strings.Contains(b.Error(), "claimed behind the step") {
			t.Errorf("%v: half of the bounds: %v", rel, b)
		}
	}
}

// TestDisplacedRowsFurtherThanTheFreeOne: a displaced row may move the moments of a private scale by more than a free row whose
// displacement is known to be small.
func TestDisplacedRowsFurtherThanTheFreeOne(t *testing.T) {
	s := chainSubject(Pipeline{}.Standardize(PrivateStandard{Share: 0.1, Floor: 0.01}).steps, attack.Subject{
		Schema: squareDomain(1), Neighbours: AddRemove, Displaced: []string{"x", "z"}, Narrow: true,
	})
	p := must(attack.ParsePair([]string{"1 * 1 1 -1 / none", "1 * 1 1 -1 / -1 -1 -1"}, 3))
	if _, err := attack.Search(t.Context(), s, attack.Options{Pairs: 1, Rows: []int{2}, Replay: []attack.Pair{p}}); err != nil {
		t.Error(err)
	}
}
