package linear

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/origin"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
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
}

// Sketch holds the inner products of a Gaussian mixture.
type Sketch struct {
	Columns []string  `json:"columns"` // features, then the label
	Inner   []float64 `json:"inner"`   // row-major and symmetric, one row for each column
	Rows    int       `json:"rows"`    // k
	// Sigma is the noise on each cell of the sketch; with ReleaseEigenvalue the largest that it can be.
	Sigma float64 `json:"sigma"`
	// The label column holds (y − LabelMid)/LabelUnit.
	LabelMid  float64 `json:"label_mid"`
	LabelUnit float64 `json:"label_unit"`
	origin.Provenance
}

// String tells the sketch's shape.
func (s Sketch) String() string {
	return origin.Under(s.Provenance, fmt.Sprintf("Gaussian mixture of %d rows on %d columns", s.Rows, len(s.Columns)))
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
		Epsilon: s.Epsilon, Delta: s.Delta, Method: models.LinearMixing, NoIntercept: true,
		LabelScale: scale, Rows: s.Rows, ReleaseEigenvalue: s.ReleaseEigenvalue,
	}}
}

func (s SketchRelease) settle(st stage.Stage) (*SketchFit, error) {
	f, err := s.linear().Prepare(st)
	if err != nil {
		return nil, err
	}
	return f.(*SketchFit), nil
}

// Settle is that of a regression on the sketch without a constant feature.
func (s SketchRelease) Settle(st stage.Stage) (mechanism.Settled[Sketch], error) {
	x, err := s.settle(st)
	if err != nil {
		return mechanism.Settled[Sketch]{}, err
	}
	b, err := x.Bill(kind.Describe(s))
	out := mechanism.ReadOnce(b, x.NormalEquations, func(m *NormalEquations, rng *noise.Source) (Sketch, error) {
		rng.Rekey()
		l, err := x.Factor(m, rng)
		if err != nil {
			return Sketch{}, err
		}
		w, err := x.InnerProducts(l, rng)
		if err != nil {
			return Sketch{}, err
		}
		return x.LinearDomain.sketch(st.In, w, x.k, x.Variance()+x.Share), nil
	})
	out.Audit = x.auditSketch
	return out, err
}

func (g *LinearDomain) sketch(in frames.Schema, w *NormalEquations, k int, variance float64) Sketch {
	s := Sketch{Inner: w.Sum, Rows: k, Sigma: math.Sqrt(variance), LabelMid: g.mid, LabelUnit: g.to}
	for _, f := range in.Features() {
		s.Columns = append(s.Columns, f.Name)
	}
	label, _ := in.Label()
	s.Columns = append(s.Columns, label.Name)
	return s
}

// Exact returns the inner products of the rows themselves.
func (s SketchRelease) Exact(ctx context.Context, in rows.Driver, st stage.Stage) (Sketch, error) {
	l := s.linear()
	if err := l.Check(st.In); err != nil {
		return Sketch{}, err
	}
	dom, err := LinearDomainOf(st, l.LabelScale, false)
	if err != nil {
		return Sketch{}, err
	}
	m, err := dom.NormalEquations(ctx, in)
	if err != nil {
		return Sketch{}, err
	}
	return dom.sketch(st.In, m, st.Before.N, 0), nil
}
