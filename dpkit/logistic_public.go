package dpkit

import (
	"cmp"
	"context"
	"fmt"

	"gonum.org/v1/gonum/optimize"
)

// publicRidge is the L2 penalty of the fit on public data, relative to a row: small, so that it
// only makes the optimum unique.
const publicRidge = 1e-6

// Exact fits the model without noise by Newton's method.
func (l logistic) Exact(ctx context.Context, in driver, st Stage) (LogisticModel, error) {
	if err := l.check(st.In); err != nil {
		return LogisticModel{}, err
	}
	c := l.constant(st.Before.R)
	w, err := fitLogLossPublicly(ctx, in, st, c)
	if err != nil {
		return LogisticModel{}, err
	}
	return newLogisticModel(st.In, w, c), nil
}

// fitLogLossPublicly minimises the logistic loss of a label of two classes by Newton's method; the last coordinate is that of the
// constant feature c, and stays 0 without one.
func fitLogLossPublicly(ctx context.Context, in driver, st Stage, c float64) ([]float64, error) {
	r, d := st.Before.R, len(st.In.Features())
	x, err := in.gathered(ctx)
	if err != nil {
		return nil, err
	}
	n, err := present(ctx, x)
	if err != nil {
		return nil, err
	}
	f := newObjective(d, r, n, logisticLoss{positive: 1})
	f.c = c
	f.lambda = publicRidge * float64(n) * r * r
	f.bound(0)
	return f.minimisePublicly(ctx, x)
}

// present counts the rows of a public source that no step removed: at least one, or an error.
func present(ctx context.Context, in driver) (int, error) {
	n, err := integerSums(ctx, in, 1, func() func([]int64, []float64, float64) {
		return func(n []int64, _ []float64, _ float64) { n[0]++ }
	})
	if err == nil && n[0] == 0 {
		err = fmt.Errorf("fit on public data: every row was removed")
	}
	return int(n[0]), err
}

// publicFit is a problem without noise.
type publicFit struct {
	loss    Loss
	margins int
	label   labelScale
	d       int
	c       float64 // the constant feature; at 0 its coefficient stays 0
}

// fitPublicly minimises the mean of any loss by L-BFGS (gonum/optimize); there is a last coordinate for the constant feature if there is one.
func fitPublicly(ctx context.Context, in driver, p publicFit) ([]float64, error) {
	rows, err := in.gathered(ctx)
	if err != nil {
		return nil, err
	}
	count, err := present(ctx, rows)
	if err != nil {
		return nil, err
	}
	n := float64(count)
	width := p.d
	if p.c > 0 {
		width++
	}
	m, slopes := make([]float64, p.margins), make([][]float64, p.margins)
	cells := make([]float64, p.margins)
	for k := range slopes {
		slopes[k] = cells[k : k+1]
	}
	var failed error
	loss := func(grad, w []float64) float64 {
		var f float64
		clear(grad)
		err := rows.inOrder(ctx, presentRows(func(row []float64, y float64) {
			if p.label.half > 0 {
				y = p.label.of(y)
			}
			for k := range m {
				v := w[k*width : (k+1)*width]
				m[k] = 0
				if p.c > 0 {
					m[k] = v[p.d] * p.c
				}
				for j, z := range row {
					m[k] += z * v[j]
				}
				cells[k] = m[k]
			}
			f += p.loss.value(m, y)
			if grad == nil {
				return
			}
			p.loss.slopes(slopes, []float64{y})
			for k, g := range cells {
				part := grad[k*width : (k+1)*width]
				for j, z := range row {
					part[j] += g * z
				}
				if p.c > 0 {
					part[p.d] += g * p.c
				}
			}
		}))
		failed = cmp.Or(failed, err)
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
			if err := cmp.Or(ctx.Err(), failed); err != nil {
				return optimize.Failure, err
			}
			return optimize.NotTerminated, nil
		},
	}
	res, err := optimize.Minimize(problem, make([]float64, p.margins*width), &optimize.Settings{GradientThreshold: 1e-7, MajorIterations: 2000}, &optimize.LBFGS{})
	if err = cmp.Or(failed, err); err != nil && (res == nil || ctx.Err() != nil || failed != nil) {
		return nil, fmt.Errorf("fit on public data: %w", err)
	}
	return res.X, nil
}
