package glm

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/accountant/pdp"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/frames"
)

func (pl *CalibratedObjective) auditModel(ctx context.Context, in frames.Source, released any) ([]float64, error) {
	m := released.(models.LogisticModel)
	if len(m.Coef) != pl.D {
		return nil, fmt.Errorf("got a model of %d coefficients for %d columns, want the release of this plan: %w", len(m.Coef), pl.D, kind.ErrParameter)
	}
	return pl.Audit(ctx, in, append(append([]float64{}, m.Coef...), m.Intercept/pl.C))
}

// Audit computes the privacy loss of each row of in at the released coefficients theta, the constant one last, in units of this
// plan ([pdp.ObjectivePerturbation]). What it returns is private.
func (pl *CalibratedObjective) Audit(ctx context.Context, in frames.Source, theta []float64) ([]float64, error) {
	k := pl.D + 1
	at, err := pl.LossSums(ctx, rows.InProcess{In: in}, theta)
	if err != nil {
		return nil, err
	}
	for i := range k {
		for j := range i {
			at.Hessian[i*k+j] = at.Hessian[j*k+i]
		}
	}
	release := pdp.ObjectivePerturbation{Theta: theta, Sigma: pl.Sigma, Lambda: pl.Lambda, Loss: pdp.Logistic{}}
	a, err := release.AuditOf(at.Gradient, at.Hessian, in.Rows())
	if err != nil {
		return nil, err
	}
	return pl.Losses(ctx, in, a)
}

// Losses of all rows, as they entered the sums.
func (pl *CalibratedObjective) Losses(ctx context.Context, in frames.Source, a pdp.Audit) ([]float64, error) {
	return rows.EachLoss(ctx, in, pl.D+1, func(z, row []float64, y float64) float64 {
		copy(z, row)
		if size := num.Norm2(row); size > pl.R {
			for j := range row {
				z[j] *= pl.R / size
			}
		}
		z[pl.D] = pl.C
		return 2*y - 1
	}, func(x, y []float64) (pdp.Curator[[]float64], error) { return a.Losses(x, y, true) })
}
