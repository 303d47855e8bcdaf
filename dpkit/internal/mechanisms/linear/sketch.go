package linear

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/sketch"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// Sketching is a Gaussian mixture of the rows: k draws of N(0, ZᵀZ + σ²I) for the rows z of the features and the scaled
// numeric label (Lev et al. 2025, Algorithm 2). What is released are the draws' inner products, which tell as much as the
// draws do.
type Sketching struct {
	Epsilon, Delta float64 // target; no defaults
	Rows           int     // k; 0: 8 for each column
	LabelScale     float64 // bound on the scaled label, in units of R; 0: 1
	// ReleaseEigenvalue spends a part of the budget on the smallest eigenvalue of ZᵀZ and adds less noise where that is
	// large.
	ReleaseEigenvalue bool
	// Intercept puts a column beside the features that is half the bound on a row's norm in every row, as fits have it: regressions on the
	// sketch then have an intercept of the rows' own. A row is longer by it, and the noise larger.
	Intercept bool
}

// SketchRelease is the mechanism of [Sketching]: the inner products of a Gaussian mixture of the rows are released, and
// nothing is fitted to them.
type SketchRelease struct {
	Sketching `dp:"inline"`
}

// Kind: version 1 of the law released eigenvalues that were led astray.
func (s SketchRelease) Kind() kind.Kind {
	k := kind.Kind{Name: "gaussmix", Law: 1, Call: "GaussMix", Was: "dpkit.sketching"}
	if s.ReleaseEigenvalue {
		k.Law = 2
	}
	return k
}

func (s SketchRelease) linear() LeastSquares {
	scale := cmp.Or(s.LabelScale, 1)
	return LeastSquares{Settings{
		Epsilon: s.Epsilon, Delta: s.Delta, Method: models.LinearMixing, NoIntercept: !s.Intercept,
		LabelScale: scale, Rows: s.Rows, ReleaseEigenvalue: s.ReleaseEigenvalue,
	}}
}

func (s SketchRelease) settle(st stage.Stage) (*SketchFit, error) {
	if err := s.check(st.In); err != nil {
		return nil, err
	}
	f, err := s.linear().Prepare(st)
	if err != nil {
		return nil, err
	}
	return f.(*SketchFit), nil
}

// check reports a column that has the name of the constant one.
func (s SketchRelease) check(in frames.Schema) error {
	if _, taken := in.Column(sketch.ConstantColumn); taken && s.Intercept {
		return fmt.Errorf("column %q: Intercept adds one of that name: rename yours: %w", sketch.ConstantColumn, stage.ErrColumn)
	}
	return nil
}

// Settle is that of a regression on the sketch, which is released in place of it.
func (s SketchRelease) Settle(st stage.Stage) (mechanism.Settled[sketch.Sketch], error) {
	x, err := s.settle(st)
	if err != nil {
		return mechanism.Settled[sketch.Sketch]{}, err
	}
	b, err := x.Bill(kind.Describe(s))
	out := mechanism.ReadOnce(b, x.NormalEquations, func(m *NormalEquations, rng *noise.Source) (sketch.Sketch, error) {
		rng.Rekey()
		variance := x.drawnVariance(m, rng)
		l, err := x.factorAt(m, variance)
		if err != nil {
			return sketch.Sketch{}, err
		}
		w, err := x.InnerProducts(l, rng)
		if err != nil {
			return sketch.Sketch{}, err
		}
		return x.LinearDomain.sketch(st.In, w, x.k, variance+x.Share).Covered(x.blur.Sigma), nil
	})
	out.Audit = x.auditSketch
	out.Predicted = x.population().prediction(x)
	return out, err
}

func (g *LinearDomain) sketch(in frames.Schema, w *NormalEquations, k int, variance float64) sketch.Sketch {
	s := sketch.Sketch{Inner: w.Sum, Rows: k, Sigma: math.Sqrt(variance), LabelMid: g.mid, LabelUnit: g.to, Constant: g.constantCell()}
	for _, f := range in.Features() {
		s.Columns = append(s.Columns, f.Name)
	}
	if g.constant > 0 {
		s.Columns = append(s.Columns, sketch.ConstantColumn)
	}
	label, _ := in.Label()
	s.Columns = append(s.Columns, label.Name)
	return s
}

// Exact returns the inner products of the rows themselves.
func (s SketchRelease) Exact(ctx context.Context, in rows.Driver, st stage.Stage) (sketch.Sketch, error) {
	if err := s.check(st.In); err != nil {
		return sketch.Sketch{}, err
	}
	l := s.linear()
	if err := l.Check(st.In); err != nil {
		return sketch.Sketch{}, err
	}
	dom, err := LinearDomainOf(st, l.LabelScale, s.Intercept)
	if err != nil {
		return sketch.Sketch{}, err
	}
	m, err := dom.NormalEquations(ctx, in)
	if err != nil {
		return sketch.Sketch{}, err
	}
	return dom.sketch(st.In, m, st.Before.N, 0), nil
}
