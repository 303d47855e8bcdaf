package gradient

import (
	"cmp"
	"context"
	"fmt"

	"gonum.org/v1/gonum/optimize"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/glm"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// Exact fits the model without noise by Newton's method.
func (l LogisticFit) Exact(ctx context.Context, in rows.Driver, st stage.Stage) (models.LogisticModel, error) {
	if err := l.check(st.In); err != nil {
		return models.LogisticModel{}, err
	}
	c := l.constant(st.Before.R)
	w, err := fitLogLossPublicly(ctx, in, st, c)
	if err != nil {
		return models.LogisticModel{}, err
	}
	return models.WithLaw(models.NewLogisticModel(st.In, w, c), exactLaw()), nil
}

// fitLogLossPublicly minimises the logistic loss of a label of two classes by Newton's method; the last coordinate is that of the
// constant feature c, and stays 0 without one.
func fitLogLossPublicly(ctx context.Context, in rows.Driver, st stage.Stage, c float64) ([]float64, error) {
	r, d := st.Before.R, st.In.Width()
	x, err := in.Gathered(ctx)
	if err != nil {
		return nil, err
	}
	n, err := present(ctx, x)
	if err != nil {
		return nil, err
	}
	f := glm.NewObjective(d, r, n, glm.LogisticLoss{Positive: 1})
	f.C = c
	f.Lambda = domain.PublicRidge * float64(n) * r * r
	f.Bound(0)
	return f.MinimisePublicly(ctx, x)
}

// present counts the rows of a public source that no step removed: at least one, or an error.
func present(ctx context.Context, in rows.Driver) (int, error) {
	n, err := rows.IntegerSums(ctx, in, 1, func() func([]int64, []float64, float64) {
		return func(n []int64, _ []float64, _ float64) { n[0]++ }
	})
	if err == nil && n[0] == 0 {
		err = fmt.Errorf("fit on public data: every row was removed")
	}
	return int(n[0]), err
}

// PublicFit is a problem without noise.
type PublicFit struct {
	Loss    Loss
	Margins int
	Label   labelScale
	D       int
	C       float64 // the constant feature; at 0 its coefficient stays 0
}

// FitPublicly minimises the mean of any loss by L-BFGS (gonum/optimize); there is a last coordinate for the constant feature if there is one.
func FitPublicly(ctx context.Context, in rows.Driver, p PublicFit) ([]float64, error) {
	rows, err := in.Gathered(ctx)
	if err != nil {
		return nil, err
	}
	count, err := present(ctx, rows)
	if err != nil {
		return nil, err
	}
	n := float64(count)
	width := p.D
	if p.C > 0 {
		width++
	}
	m, slopes := make([]float64, p.Margins), make([][]float64, p.Margins)
	cells := make([]float64, p.Margins)
	for k := range slopes {
		slopes[k] = cells[k : k+1]
	}
	var failed error
	loss := func(grad, w []float64) float64 {
		var f float64
		clear(grad)
		err := rows.InOrder(ctx, num.PresentRows(func(row []float64, y float64) {
			if p.Label.half > 0 {
				y = p.Label.of(y)
			}
			for k := range m {
				v := w[k*width : (k+1)*width]
				m[k] = 0
				if p.C > 0 {
					m[k] = v[p.D] * p.C
				}
				for j, z := range row {
					m[k] += z * v[j]
				}
				cells[k] = m[k]
			}
			f += p.Loss.Value(m, y)
			if grad == nil {
				return
			}
			p.Loss.Slopes(slopes, []float64{y})
			for k, g := range cells {
				part := grad[k*width : (k+1)*width]
				for j, z := range row {
					part[j] += g * z
				}
				if p.C > 0 {
					part[p.D] += g * p.C
				}
			}
		}))
		failed = cmp.Or(failed, err)
		for j, v := range w {
			f += domain.PublicRidge * n / 2 * v * v
			if grad != nil {
				grad[j] = (grad[j] + domain.PublicRidge*n*v) / n
			}
		}
		return f / n
	}
	problem := optimize.Problem{
		Func: func(w []float64) float64 { return loss(nil, w) },
		Grad: func(grad, w []float64) { loss(grad, w) },
		Status: func() (optimize.Status, error) {
			if err := cmp.Or(ctx.Err(), failed); err != nil {
				return optimize.Failure, err
			}
			return optimize.NotTerminated, nil
		},
	}
	res, err := optimize.Minimize(problem, make([]float64, p.Margins*width), &optimize.Settings{GradientThreshold: 1e-7, MajorIterations: 2000}, &optimize.LBFGS{})
	if err = cmp.Or(failed, err); err != nil && (res == nil || ctx.Err() != nil || failed != nil) {
		return nil, fmt.Errorf("fit on public data: %w", err)
	}
	return res.X, nil
}
