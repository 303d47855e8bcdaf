package dpkit

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/optimize"

	"github.com/dpkit-go/dpnb/frames"
)

// publicRidge is the L2 penalty of the fit on public data, relative to a row: small, so that it
// only makes the optimum unique.
const publicRidge = 1e-6

// RunPublic fits the model without noise by L-BFGS (gonum/optimize).
func (l logistic) RunPublic(ctx context.Context, in frames.Source, st Stage) (LogisticModel, error) {
	if err := l.check(st.In); err != nil {
		return LogisticModel{}, err
	}
	d := len(st.In.Features())
	c := l.constant(st.Before.R) // at 0 the last coordinate stays 0
	x, err := designOf(ctx, in, d)
	if err != nil {
		return LogisticModel{}, err
	}
	n := 0.0
	for i := range x.Rows() {
		if !x.isEmpty(i) {
			n++
		}
	}
	if n == 0 {
		return LogisticModel{}, fmt.Errorf("fit on public data: every row was removed")
	}
	loss := func(grad, w []float64) float64 {
		var f float64
		clear(grad)
		for i := range x.Rows() {
			if x.isEmpty(i) {
				continue
			}
			row := x.row(i)
			m := w[d] * c
			for j, v := range row {
				m += v * w[j]
			}
			y := 2*x.y[i] - 1
			f += softplus(-y * m)
			if grad != nil {
				g := -y * sigmoid(-y*m)
				for j, v := range row {
					grad[j] += g * v
				}
				grad[d] += g * c
			}
		}
		for j, v := range w {
			f += publicRidge * n / 2 * v * v
			if grad != nil {
				grad[j] = (grad[j] + publicRidge*n*v) / n
			}
		}
		return f / n
	}
	problem := optimize.Problem{
		Func: func(w []float64) float64 { return loss(nil, w) },
		Grad: func(grad, w []float64) { loss(grad, w) },
		Status: func() (optimize.Status, error) {
			if err := ctx.Err(); err != nil {
				return optimize.Failure, err
			}
			return optimize.NotTerminated, nil
		},
	}
	res, err := optimize.Minimize(problem, make([]float64, d+1), &optimize.Settings{GradientThreshold: 1e-7, MajorIterations: 2000}, &optimize.LBFGS{})
	if err != nil && (res == nil || ctx.Err() != nil) {
		return LogisticModel{}, fmt.Errorf("fit on public data: %w", err)
	}
	return newLogisticModel(st.In, res.X, c), nil
}

func softplus(z float64) float64 { return max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) }
