package linear

import (
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant/pdp"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/sketch"
	"github.com/dpkit-go/dpnb/frames"
)

func (x *SketchFit) auditSketch(ctx context.Context, in frames.Source, released any) ([]float64, error) {
	if x.eigenvalue {
		return nil, fmt.Errorf("ReleaseEigenvalue: the noise follows a private draw that is not kept; leave it out: %w", kind.ErrParameter)
	}
	gram, err := x.NormalEquations(ctx, rows.InProcess{In: in})
	if err != nil {
		return nil, err
	}
	g := pdp.GaussMix{Inner: released.(sketch.Sketch).Inner, Rows: x.k, Sigma: math.Sqrt(x.Variance() + x.Share)}
	a, err := g.Audit(gram.Sum)
	if err != nil {
		return nil, err
	}
	return x.eachRow(ctx, in, func(z []float64) (pdp.Curator[float64], error) { return a.Loss(z, true) })
}

// auditOfLinear computes the losses of a fit by LinearMixing whose coefficients alone were drawn, and refuses those of others.
func auditOfLinear(f LinearFit) func(ctx context.Context, in frames.Source, released any) ([]float64, error) {
	x, ok := f.(*SketchFit)
	if ok && x.only {
		return x.auditCoefficients
	}
	return func(context.Context, frames.Source, any) ([]float64, error) {
		return nil, fmt.Errorf("the coefficients alone tell less than was drawn, and their law has no closed form; release Gram or GaussMix and regress on that, or fit by LinearMixing with CoefficientsOnly: %w", kind.ErrParameter)
	}
}

func (x *SketchFit) auditCoefficients(ctx context.Context, in frames.Source, released any) ([]float64, error) {
	w, err := x.unscaled(released.(models.LinearModel))
	if err != nil {
		return nil, err
	}
	gram, err := x.NormalEquations(ctx, rows.InProcess{In: in})
	if err != nil {
		return nil, err
	}
	a, err := pdp.LinearMixing{Coef: w, Rows: x.k, Sigma: math.Sqrt(x.Variance() + x.Share)}.Audit(gram.Sum)
	if err != nil {
		return nil, err
	}
	p := x.Coefficients()
	return x.eachRow(ctx, in, func(z []float64) (pdp.Curator[float64], error) { return a.Loss(z[:p], z[p], true) })
}

// unscaled are the coefficients of a model in the domain's units.
func (g *LinearDomain) unscaled(m models.LinearModel) ([]float64, error) {
	if len(m.Coef) != g.D {
		return nil, fmt.Errorf("got a model of %d coefficients for %d columns, want the release of this plan: %w", len(m.Coef), g.D, kind.ErrParameter)
	}
	w := make([]float64, 0, g.Coefficients())
	for _, v := range m.Coef {
		w = append(w, v/g.to)
	}
	if g.constant > 0 {
		w = append(w, (m.Intercept-g.mid)/g.to/g.constant)
	}
	return w, nil
}

// eachRow asks for the loss of every row of the domain.
func (g *LinearDomain) eachRow(ctx context.Context, in frames.Source, ask func(z []float64) (pdp.Curator[float64], error)) ([]float64, error) {
	m := g.Size()
	return rows.EachLoss(ctx, in, m, func(z, row []float64, y float64) float64 {
		g.row(z, row, y)
		return 0
	}, func(x, y []float64) (pdp.Curator[[]float64], error) {
		losses := make([]float64, len(y))
		for i := range losses {
			one, err := ask(x[i*m : (i+1)*m])
			if err != nil {
				return pdp.Curator[[]float64]{}, err
			}
			losses[i], _ = one.Open()
		}
		return pdp.Seal(losses), nil
	})
}

// row writes a row as it entered the sum: features, the constant and the label, on the domain's grid.
func (g *LinearDomain) row(z, features []float64, y float64) {
	g.Rounded(z, features, y)
	for j := range z {
		z[j] *= g.H
	}
}
