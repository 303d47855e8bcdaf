package glm

import (
	"context"

	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
)

const (
	mostApproach   = 40   // passes of an approach
	leastSecants   = 4    // steps between two Hessians
	slowSquared    = 0.01 // a Hessian pays where two steps leave more than that of the gradient
	mostOfGradient = 2    // of the first one: an approach whose gradient is larger leads nowhere
)

// MinimiseLogistic is [Objective.Minimise] of the logistic loss, with less to do at most points: a gradient takes a fifth of what it takes with its
// Hessian. Steps are those of BFGS, which learns from gradients how the Hessian has changed since it was last computed (Nocedal, Wright 2006, §6.1);
// the first is no longer than that to the minimum of a bound of the objective, as ℓ″ is nowhere larger than at 0 (Böhning, Lindsay 1988). Nothing is
// asked of them but that few are needed in practice: what ends them is the norm of the gradient that Minimise wants, and where that is not met in so
// many passes Minimise begins anew.
func (f *Objective) MinimiseLogistic(ctx context.Context, table rows.Driver, b []float64) ([]float64, error) {
	if w, err := f.approach(ctx, table, b); w != nil || err != nil {
		return w, err
	}
	return f.Minimise(ctx, table, b)
}

// approach returns what [Objective.Minimise] may, or nil.
func (f *Objective) approach(ctx context.Context, table rows.Driver, b []float64) ([]float64, error) {
	var squares rowSquares
	if n := table.Resident(); n > 0 {
		squares.of = make([]float64, n)
	}
	var q *secants
	var norms []float64 // of gradients
	curved, since := true, 0
	w := make([]float64, f.D+1)
	var step, before []float64
	for range mostApproach {
		at, err := f.logisticSums(ctx, table, w, b, curved, squares)
		if err != nil {
			return nil, err
		}
		squares.known = true
		norm := num.Norm2(at.Gradient)
		if norm <= f.Tolerance && num.Norm2(w) <= f.MaxNorm {
			return w, nil
		}
		if norms = append(norms, norm); !(norm <= mostOfGradient*norms[0]) {
			return nil, nil
		}
		if curved {
			if q, since = newSecants(f, at.Hessian), 0; q == nil {
				return nil, nil
			}
		} else {
			since++
			if !q.learn(step, at.Gradient, before) {
				return nil, nil
			}
		}
		if step = q.solve(at.Gradient); step == nil {
			return nil, nil
		}
		next := make([]float64, len(w))
		for j := range w {
			next[j] = w[j] - step[j]
			step[j] = -step[j]
		}
		last := len(norms) - 1
		curved = since >= leastSecants && norm > slowSquared*norms[last-2] && norm*norm > f.Tolerance*norms[last-1]
		w, before = next, at.Gradient
	}
	return nil, nil
}

// logisticSums are the derivatives of F at w, with the Hessian of the losses where that is asked for.
func (f *Objective) logisticSums(ctx context.Context, table rows.Driver, w, b []float64, curved bool, squares rowSquares) (derivatives, error) {
	d, err := f.drivenLogistic(ctx, table, w, curved, squares)
	for j := range w {
		d.Gradient[j] += f.Lambda*w[j] + b[j]
	}
	return d, err
}

// drivenLogistic are those of the losses alone.
func (f *Objective) drivenLogistic(ctx context.Context, table rows.Driver, w []float64, curved bool, squares rowSquares) (derivatives, error) {
	which := 0.0
	if curved {
		which = 1
	}
	ctx = rows.AtPoint(ctx, append([]float64{float64(f.Which), which}, w...)...)
	s, err := rows.Drive(ctx, table, func() *logisticSums { return newLogisticSums(f, w, curved, squares) })
	d := derivatives{Gradient: make([]float64, len(w))}
	if err == nil {
		err = s.err
	}
	if err != nil {
		return d, err
	}
	s.settle()
	for j := range w {
		d.Gradient[j] = s.grad.Sum(j)
	}
	if curved {
		d.Hessian, err = s.hessian.Total(len(w))
	}
	return d, err
}

// secants solve with a Hessian that was computed, and what was learned since: the inverse of BFGS, by two loops (Nocedal 1980).
type secants struct {
	lower []float64 // Cholesky's factor of the Hessian
	of    []secant
}

// secant is a step, how it changed the gradient, and 1/⟨s, y⟩.
type secant struct {
	s, y []float64
	rho  float64
}

// newSecants know the Hessian of the losses alone; nil where it cannot be factored.
func newSecants(f *Objective, hessian []float64) *secants {
	lower := f.factored(hessian, f.D+1)
	if lower == nil {
		return nil
	}
	return &secants{lower: lower}
}

// learn takes in a step, and the gradients behind and before it. It reports false where those are not of a convex objective.
func (q *secants) learn(step, now, before []float64) bool {
	y := make([]float64, len(step))
	for j := range y {
		y[j] = now[j] - before[j]
	}
	sy := Dot(step, y)
	if !(sy > 0) {
		return false
	}
	q.of = append(q.of, secant{step, y, 1 / sy})
	return true
}

// solve is the inverse, times g; nil where that fails.
func (q *secants) solve(g []float64) []float64 {
	v := append([]float64(nil), g...)
	along := make([]float64, len(q.of))
	for i := len(q.of) - 1; i >= 0; i-- {
		p := q.of[i]
		along[i] = p.rho * Dot(p.s, v)
		for j := range v {
			v[j] -= along[i] * p.y[j]
		}
	}
	if v = solved(q.lower, v); v == nil {
		return nil
	}
	for i, p := range q.of {
		back := along[i] - p.rho*Dot(p.y, v)
		for j := range v {
			v[j] += back * p.s[j]
		}
	}
	return v
}
