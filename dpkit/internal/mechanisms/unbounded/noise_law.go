package unbounded

import (
	"math"

	"github.com/dpkit-go/dpnb/dpkit/coefficient"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/internal/linalg"
)

// noiseLaw bounds the noise in the coefficients of column m − 1 on the columns before it. In the
// coordinates in which A⁻¹ = ΛQ has a lower triangular Λ, the noise on the moments is again symmetric, and θ = Λ_x⁻ᵀ(c + wφ) for the
// coefficients φ there, c and w being Λ's last row: what noise does to φ is known (docs/theory/mechanisms.md#uncertainty-of-coefficients).
func (j *jointMoments) noiseLaw(w []float64) (*coefficient.Law, error) {
	raised := &coefficient.Law{Law: coefficient.OfRaisedSums}
	if !j.definite {
		return raised, nil
	}
	m, p := j.m, j.m-1
	basis, err := linalg.LowerFactor(j.inverse, m)
	if err != nil {
		return nil, err
	}
	x := make([]float64, p*p) // Λ_x
	for i := range p {
		copy(x[i*p:(i+1)*p], basis[i*m:i*m+p])
	}
	last, rest := basis[p*m:p*m+p], math.Abs(basis[p*m+p])
	root := make([]float64, p*p) // Λ_x⁻¹ times the factor of the moments of x
	column := make([]float64, p)
	for c := range p {
		for i := range p {
			column[i] = j.lower[i*m+c]
		}
		solved, err := linalg.SolveLower(x, column, p)
		if err != nil {
			return nil, err
		}
		for i, v := range solved {
			root[i*p+c] = v
		}
	}
	moments := rows.Product(linalg.Dense(root, p, p), linalg.Dense(root, p, p).T())
	values := (&rows.Gram{D: p, Total: moments}).Eigen(0).Values
	phi := make([]float64, p) // (Λ_xᵀθ − c)/w
	for k := range p {
		for i := range p {
			phi[k] += x[i*p+k] * w[i]
		}
		phi[k] = (phi[k] - last[k]) / rest
	}
	sigma := math.Sqrt2 * j.s
	l := &coefficient.Law{
		Law: coefficient.ByClippedSums, Freedom: p,
		Moments: &coefficient.Moments{Least: values[p-1] / sigma * (1 - 0x1p-30), Seen: values[p-1] / sigma, Size: num.Norm2(phi), Right: 0.5, Fixed: true, Ways: 1},
	}
	unit := make([]float64, p)
	for i := range p {
		unit[i] = 1
		d, err := linalg.SolveLower(x, unit, p)
		if err != nil {
			return nil, err
		}
		unit[i] = 0
		a, err := linalg.SolvePositive(moments, d, p)
		if err != nil {
			return raised, nil // not above the noise as floating point has it
		}
		along := 0.0
		for k, v := range a {
			along += v * phi[k]
		}
		l.Scales = append(l.Scales, rest*sigma*num.Norm2(a))
		l.Moments.Along, l.Moments.Units = append(l.Moments.Along, rest*sigma*math.Abs(along)), append(l.Moments.Units, rest*num.Norm2(d))
	}
	return l, nil
}
