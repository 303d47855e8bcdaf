package pdp

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// GaussMix is a release of the inner products W of k Gaussian mixtures of the rows z (Lev et al. 2025): by their law, a
// Wishart one with k degrees of freedom and the matrix Σ = Σ_i z zᵀ + σ²I.
type GaussMix struct {
	Inner []float64 // W, m×m and symmetric, row by row
	Rows  int       // k
	Sigma float64   // σ, above 0
}

// MixtureAudit is what the curator learns from a Gaussian mixture and its data. It prints as its shape.
type MixtureAudit struct {
	k, m   int
	factor Curator[[]float64] // the Cholesky factor of Σ
	middle Curator[[]float64] // Σ⁻¹WΣ⁻¹
}

// Audit takes Σ_i z zᵀ over the data, m×m and row by row. Errors wrap [ErrParameter].
func (g GaussMix) Audit(gram []float64) (MixtureAudit, error) {
	m := int(math.Round(math.Sqrt(float64(len(g.Inner)))))
	if err := mixtureShape(g.Rows, g.Sigma, m, len(gram)); err != nil {
		return MixtureAudit{}, err
	}
	if m*m != len(g.Inner) {
		return MixtureAudit{}, fmt.Errorf("pdp: GaussMix: got %d inner products, want a square number: %w", len(g.Inner), ErrParameter)
	}
	factor, inverse, err := covariance(gram, m, g.Sigma)
	if err != nil {
		return MixtureAudit{}, err
	}
	middle := times(times(inverse, g.Inner, m), inverse, m)
	return MixtureAudit{g.Rows, m, sealed(factor), sealed(middle)}, nil
}

// Loss is the loss of a row z of m numbers. With t = zᵀΣ⁻¹z and q = zᵀΣ⁻¹WΣ⁻¹z it is
//
//	(k/2) ln(1−t) + q/(2(1−t))  for a member,   (k/2) ln(1+t) − q/(2(1+t))  for another row,
//
// the logarithm of the ratio of Wishart densities |Σ|^(−k/2) exp(−tr(Σ⁻¹W)/2) by the formulas for a change of rank one.
// Errors wrap [ErrParameter].
func (a MixtureAudit) Loss(z []float64, member bool) (Curator[float64], error) {
	t, err := a.leverage(z)
	if err != nil {
		return Curator[float64]{}, err
	}
	middle, _ := a.middle.Open()
	k, q := float64(a.k), form(middle, z)
	if member {
		return finite("GaussMix", k/2*math.Log1p(-t)+q/(2*(1-t)))
	}
	return finite("GaussMix", k/2*math.Log1p(t)-q/(2*(1+t)))
}

// PDP is the per-instance privacy of a member z before the run, rounded up: the least ε with (ε, δ)-DP between the data
// with the row and without it. It is that of the mechanism at γ = 1/t, t = zᵀΣ⁻¹z. Errors wrap [ErrParameter] or
// [accountant.ErrDelta].
func (a MixtureAudit) PDP(z []float64, delta float64) (Curator[float64], error) {
	t, err := a.leverage(z)
	if err != nil {
		return Curator[float64]{}, err
	}
	t = quad.Inflate(t, 0x1p-40*float64(a.m))
	if t == 0 {
		return sealed(0.0), nil
	}
	e := accountant.GaussMix{K: a.k, Gamma: max(1, 1/t), Neighbours: accountant.AddRemove}
	bound, err := accountant.EpsilonOf(e, accountant.AddRemove, delta)
	if err != nil {
		return Curator[float64]{}, err
	}
	return sealed(bound.Epsilon), nil
}

func (a MixtureAudit) leverage(z []float64) (float64, error) {
	factor, ok := a.factor.Open()
	if !ok || len(z) != a.m {
		return 0, fmt.Errorf("pdp: mixture: got a row of %d numbers for %d columns, want as many: %w", len(z), a.m, ErrParameter)
	}
	t := inverseForm(factor, z)
	if !(t >= 0) || math.IsInf(t, 1) {
		return 0, fmt.Errorf("pdp: mixture: got a row that is not finite or too large: %w", ErrParameter)
	}
	return t, nil
}

// String names the shape alone.
func (a MixtureAudit) String() string {
	return fmt.Sprintf("pdp audit of a mixture of %d rows with %d columns, for the curator only", a.k, a.m)
}

// Format prints [MixtureAudit.String] for every verb.
func (a MixtureAudit) Format(f fmt.State, _ rune) { fmt.Fprint(f, a.String()) }

// LinearMixing is a release of the least-squares coefficients w of a Gaussian mixture of rows (x, v) alone, without the
// mixture. They have a multivariate t law with the density
//
//	|Σ_xx|^((1−ν)/2) |Σ|^(ν/2) s(w)^(−(k+1)/2) times a constant,  s(w) = (−w, 1)Σ(−w, 1)ᵀ,  ν = k − d + 1
//
// (Lev et al. 2025; about the ridge solution of Σ with v_r = |Σ|/|Σ_xx| as residual, s = v_r + (w−w_r)ᵀΣ_xx(w−w_r)).
type LinearMixing struct {
	Coef  []float64 // w, of length d
	Rows  int       // k ≥ d
	Sigma float64   // σ, above 0
}

// CoefficientAudit is what the curator learns from such coefficients and their data. It prints as its shape.
type CoefficientAudit struct {
	release     LinearMixing
	all, former Curator[[]float64] // Cholesky factors of Σ and of Σ_xx
	residual    Curator[float64]   // s(w)
}

// Audit takes Σ_i z zᵀ for the rows z = (x, v), (d+1)×(d+1) and row by row. Errors wrap [ErrParameter].
func (l LinearMixing) Audit(gram []float64) (CoefficientAudit, error) {
	d := len(l.Coef)
	m := d + 1
	if err := mixtureShape(min(d, l.Rows-d+1), l.Sigma, m, len(gram)); err != nil {
		return CoefficientAudit{}, err
	}
	all, _, err := covariance(gram, m, l.Sigma)
	if err != nil {
		return CoefficientAudit{}, err
	}
	former := make([]float64, d*d)
	for i := range d {
		copy(former[i*d:i*d+i+1], all[i*m:i*m+i+1]) // the leading block's factor is the factor's leading block
	}
	// s(w) = ‖Lᵀ(−w, 1)‖².
	s := 0.0
	for j := range m {
		v := all[d*m+j]
		for i := j; i < d; i++ {
			v -= l.Coef[i] * all[i*m+j]
		}
		s += v * v
	}
	return CoefficientAudit{l, sealed(all), sealed(former), sealed(s)}, nil
}

// Loss is the loss of a member (x, v), or of another row. With t and t_x the leverages of (x, v) in Σ and of x in Σ_xx,
// and r = v − xᵀw, it is for a member
//
//	((ν−1)/2) ln(1−t_x) − (ν/2) ln(1−t) + ((k+1)/2) ln(1 − r²/s),
//
// and for another row ((ν−1)/2) ln(1+t_x) − (ν/2) ln(1+t) + ((k+1)/2) ln(1 + r²/s). Errors wrap [ErrParameter].
func (a CoefficientAudit) Loss(x []float64, v float64, member bool) (Curator[float64], error) {
	all, ok := a.all.Open()
	former, _ := a.former.Open()
	s, _ := a.residual.Open()
	if d := len(a.release.Coef); !ok || len(x) != d {
		return Curator[float64]{}, fmt.Errorf("pdp: LinearMixing: got a row of %d features, want %d: %w", len(x), d, ErrParameter)
	}
	z := append(append(make([]float64, 0, len(x)+1), x...), v)
	r := v - dot(x, a.release.Coef)
	sign := 1.0
	if member {
		sign = -1
	}
	k, nu := float64(a.release.Rows), float64(a.release.Rows-len(x)+1)
	return finite("LinearMixing", (nu-1)/2*math.Log1p(sign*inverseForm(former, x))-
		nu/2*math.Log1p(sign*inverseForm(all, z))+(k+1)/2*math.Log1p(sign*r*r/s))
}

// String names the shape alone.
func (a CoefficientAudit) String() string {
	return fmt.Sprintf("pdp audit of %d coefficients of a mixture, for the curator only", len(a.release.Coef))
}

// Format prints [CoefficientAudit.String] for every verb.
func (a CoefficientAudit) Format(f fmt.State, _ rune) { fmt.Fprint(f, a.String()) }

func mixtureShape(k int, sigma float64, m, gram int) error {
	if k < 1 || m < 1 || gram != m*m {
		return fmt.Errorf("pdp: mixture: got a sketch of too few rows or no coefficients (%d), %d columns and a Gram matrix of %d numbers, want at least one of each and a matrix of the columns: %w", k, m, gram, ErrParameter)
	}
	if !(sigma > 0) || math.IsInf(sigma, 1) {
		return fmt.Errorf("pdp: mixture: sigma: got %g, want a positive finite number: %w", sigma, ErrParameter)
	}
	return nil
}

// covariance returns the Cholesky factor and the inverse of gram + σ²I.
func covariance(gram []float64, m int, sigma float64) (factor, inverse []float64, err error) {
	factor = append(factor, gram...)
	for i := range m {
		factor[i*m+i] += sigma * sigma
	}
	if !factorise(factor, m) {
		return nil, nil, fmt.Errorf("pdp: mixture: the Gram matrix and σ² have no Cholesky factor in float64: %w", ErrParameter)
	}
	half := inverted(factor, m) // Σ⁻¹ = L⁻ᵀL⁻¹
	inverse = make([]float64, m*m)
	for k := range m {
		row := half[k*m : k*m+k+1]
		for i, v := range row {
			for j, u := range row {
				inverse[i*m+j] += v * u
			}
		}
	}
	return factor, inverse, nil
}

// times is the product of two m×m matrices.
func times(a, b []float64, m int) []float64 {
	out := make([]float64, m*m)
	for i := range m {
		for k := range m {
			f := a[i*m+k]
			for j, v := range b[k*m : (k+1)*m] {
				out[i*m+j] += f * v
			}
		}
	}
	return out
}

// form is zᵀAz.
func form(a, z []float64) float64 {
	sum := 0.0
	for i, v := range z {
		sum += v * dot(z, a[i*len(z):(i+1)*len(z)])
	}
	return sum
}

// finite seals a loss.
func finite(what string, loss float64) (Curator[float64], error) {
	if math.IsNaN(loss - loss) {
		return Curator[float64]{}, fmt.Errorf("pdp: %s: got a row, an output or data that are not finite, or a member that is not in the data: %w", what, ErrParameter)
	}
	return sealed(loss), nil
}
