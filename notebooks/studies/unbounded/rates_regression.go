package unbounded

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

// bound is c of Theorem 8.1.1: labels are clipped at ±3.
const bound = 3

// exactCoef is the least squares estimate of the rows through the origin, in white coordinates: (XᵀX)⁻¹ Xᵀy of the thesis.
func exactCoef(white [][]float64, y []float64) ([]float64, error) {
	d := len(white[0])
	right := mat.NewVecDense(d, nil)
	for i, r := range white {
		for j, v := range r {
			right.SetVec(j, right.AtVec(j)+v*y[i]/float64(len(white)))
		}
	}
	var w mat.VecDense
	if err := w.SolveVec(moment(white), right); err != nil {
		return nil, err
	}
	return w.RawVector().Data, nil
}

func distance(a, b []float64) float64 {
	var s float64
	for j := range a {
		s += (a[j] - b[j]) * (a[j] - b[j])
	}
	return math.Sqrt(s)
}

func length(a []float64) float64 { return distance(a, make([]float64, len(a))) }

// fitted is the private estimate in one release, in white coordinates.
func (p population) fitted(ctx context.Context, y []float64, label frames.Column, seed uint64, o dpkit.Unbounded) ([]float64, error) {
	f, err := p.frame(ctx, y, label)
	if err != nil {
		return nil, err
	}
	s, err := dpkit.Demo(f, seed, dpkit.ReplaceOne)
	if err != nil {
		return nil, err
	}
	r, err := s.Data().FitUnbounded(dpkit.UnboundedLinear{Unbounded: o, NoIntercept: true}).Release(ctx)
	return p.whiteCoef(r.Value.Coef), err
}

// sizes declares ranges ten times too wide on either side.
func (s RateSetting) sizes(o dpkit.Unbounded) dpkit.Unbounded {
	o.Smallest, o.Largest = 0.1, 10*(math.Sqrt(s.Kappa)+s.Far)
	return o
}

// linearOnce: in two releases as in Chapter 7, Σ and then Σ′, of which Σ is a block; and in one.
func linearOnce(ctx context.Context, s RateSetting, seed uint64) (map[string]float64, error) {
	rng := rand.New(rand.NewPCG(seed, 5))
	p := draw(rng, s.Rows, s.Columns, s.Kappa)
	y := p.linear()
	for i := range y {
		y[i] += rng.NormFloat64()
	}
	whole, err := target(s.Epsilon, 1)
	if err != nil {
		return nil, err
	}
	exact, err := exactCoef(p.white(), y)
	if err != nil {
		return nil, err
	}
	w, err := p.fitted(ctx, y, frames.UnboundedLabel("y"), seed, s.sizes(whole))
	if err != nil {
		return nil, err
	}
	half, err := target(s.Epsilon, 2)
	if err != nil {
		return nil, err
	}
	first, err := released(ctx, p.x, seed, s.sizes(half), false)
	if err != nil {
		return nil, err
	}
	joint := make([][]float64, s.Rows)
	for i, x := range p.x {
		joint[i] = append(append(make([]float64, 0, s.Columns+1), x...), y[i])
	}
	second, err := released(ctx, joint, seed+1<<32, s.sizes(half), false)
	if err != nil {
		return nil, err
	}
	last := mat.NewVecDense(s.Columns, nil)
	for j := range s.Columns {
		last.SetVec(j, second.Matrix[j*(s.Columns+1)+s.Columns])
	}
	two, err := p.solve(first.Matrix, last)
	if err != nil {
		return nil, err
	}
	truth := p.whiteCoef(p.beta)
	size := length(truth)
	return map[string]float64{
		Noise: distance(w, exact) / size, TwoReleases: distance(two, exact) / size, Sample: distance(exact, truth) / size,
	}, nil
}

// solve returns Σ^½ M⁻¹ v, computed in white coordinates.
func (p population) solve(m []float64, v *mat.VecDense) ([]float64, error) {
	var turned, w mat.VecDense
	turned.MulVec(p.q.T(), v)
	for k, sd := range p.sd {
		turned.SetVec(k, turned.AtVec(k)/sd)
	}
	if err := w.SolveVec(p.whiteMoment(m), &turned); err != nil {
		return nil, err
	}
	return w.RawVector().Data, nil
}

// leastOnce: labels in [−c, c] that are no linear function of the features, by Algorithm 2, mean and covariance of x
// and then the mean of y·x, and in one release.
func leastOnce(ctx context.Context, s RateSetting, seed uint64) (map[string]float64, error) {
	rng := rand.New(rand.NewPCG(seed, 6))
	p := draw(rng, s.Rows, s.Columns, s.Kappa)
	y := p.linear()
	for i := range y {
		y[i] = min(max(y[i]+rng.NormFloat64(), -bound), bound)
	}
	p.move(rng, s.Far)
	whole, err := target(s.Epsilon, 1)
	if err != nil {
		return nil, err
	}
	exact, err := exactCoef(p.white(), y)
	if err != nil {
		return nil, err
	}
	w, err := p.fitted(ctx, y, frames.NumericLabel("y", -bound, bound), seed, s.sizes(whole))
	if err != nil {
		return nil, err
	}
	half, err := target(s.Epsilon, 2)
	if err != nil {
		return nil, err
	}
	first, err := released(ctx, p.x, seed, s.sizes(half), true)
	if err != nil {
		return nil, err
	}
	products := make([][]float64, s.Rows)
	for i, x := range p.x {
		products[i] = make([]float64, s.Columns)
		for j, v := range x {
			products[i][j] = v * y[i]
		}
	}
	second, err := released(ctx, products, seed+1<<32, s.sizes(half), true)
	if err != nil {
		return nil, err
	}
	m := first.Matrix
	for i, a := range first.Mean {
		for j, b := range first.Mean {
			m[i*s.Columns+j] += a * b
		}
	}
	two, err := p.solve(m, mat.NewVecDense(s.Columns, second.Mean))
	if err != nil {
		return nil, err
	}
	size := length(exact)
	return map[string]float64{Noise: distance(w, exact) / size, TwoReleases: distance(two, exact) / size}, nil
}

// LogisticFactor is k of Theorem 8.1.2 without n/(n−d−1): 2 E f′(⟨β, x⟩) for f logistic and ⟨β, x⟩ ~ N(0, sd²).
func LogisticFactor(sd float64) float64 {
	var s float64
	const step = 1.0 / 64
	for i := -8 * 64; i <= 8*64; i++ { // the trapezoidal rule is exact to rounding here
		z := float64(i) * step
		c := math.Cosh(sd * z / 2)
		s += step * math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) / (4 * c * c)
	}
	return 2 * s
}

// binaryOnce: two classes by a logistic link; least squares of ±1 against k times the true coefficients.
func binaryOnce(ctx context.Context, s RateSetting, seed uint64) (map[string]float64, error) {
	rng := rand.New(rand.NewPCG(seed, 7))
	p := draw(rng, s.Rows, s.Columns, s.Kappa)
	eta := p.linear()
	class, sign := make([]float64, s.Rows), make([]float64, s.Rows)
	for i, e := range eta {
		if rng.Float64() < 1/(1+math.Exp(-e)) {
			class[i] = 1
		}
		sign[i] = 2*class[i] - 1
	}
	o, err := target(s.Epsilon, 1)
	if err != nil {
		return nil, err
	}
	exact, err := exactCoef(p.white(), sign)
	if err != nil {
		return nil, err
	}
	w, err := p.fitted(ctx, class, frames.Label("y", "no", "yes"), seed, s.sizes(o))
	if err != nil {
		return nil, err
	}
	truth := p.whiteCoef(p.beta)
	k := LogisticFactor(length(truth))
	for j := range truth {
		truth[j] *= k
	}
	size := length(truth)
	return map[string]float64{Noise: distance(w, exact) / size, Sample: distance(exact, truth) / size}, nil
}
