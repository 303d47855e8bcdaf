package linear

import (
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// CentredFit is [AdaSSPFit] as [BestLinear] releases it: the same noise on the same sums, and a ridge that shrinks to the label's mean
// where the sums tell it from noise, in place of the middle of the label's bounds (docs/theory/mechanisms.md#a-ridge-that-shrinks-to-the-mean).
// It is a function of what is released.
type CentredFit struct {
	*AdaSSPFit
}

// told is how many deviations of noise a label's mean must be off the middle to be shrunk to at all. Where it is in the middle, noise says so
// once in 370 releases.
const told = 3

// toldOf is how much is kept of a mean that is so many deviations of its noise off the middle: x − told²/x of x (the nonnegative garrote;
// Breiman 1995, with Gao 1998), which is as near 0 as can be where noise could have said it, and nearly x far from it.
func toldOf(deviations float64) float64 {
	if !(math.Abs(deviations) > told) {
		return 0
	}
	return 1 - told*told/(deviations*deviations)
}

// centre is the model that a ridge shrinks to.
type centre struct {
	w []float64 // t·(x̄, c)
	// t is what is kept of the mean over the square of the row (x̄, c), slope its derivative by the mean, and direction how much of x̄ is kept.
	t, slope, direction float64
	square              float64
}

// meanNoise is the standard deviation of the noise on the label's mean among the sums, in units of the label's bound.
func (a *AdaSSPFit) meanNoise() float64 {
	return a.Sigma / (float64(a.N) * a.constantCell() * a.Height)
}

// centre reads the model off noisy sums; it has no coefficients where noise could have said the label's mean. The mean is put on all columns in
// proportion to their own means, as rows off the middle carry it with a far smaller model than the constant feature would, and noise
// on the sums grows with that: w = t·(x̄, c) says the mean at the mean row. x̄ is shrunk by its noise (James, Stein 1961).
func (a *AdaSSPFit) centre(noisy *NormalEquations) centre {
	n, c, p := float64(a.N), a.constantCell(), a.Coefficients()
	mean := noisy.Sum[(p-1)*noisy.Size+p] / (n * c * a.Height)
	kept := toldOf(mean / a.meanNoise())
	if kept == 0 {
		return centre{}
	}
	to := centre{w: make([]float64, p), slope: 2 - kept, square: c * c} // d(x − told²/x)/dx = 1 + told²/x²
	square := 0.0
	for j := range p - 1 {
		to.w[j] = noisy.Sum[j*noisy.Size+p-1] / (n * c)
		square += to.w[j] * to.w[j]
	}
	each := a.Sigma / math.Sqrt2 / (n * c)
	if all := float64(p-1) * each * each; square > all {
		to.direction = 1 - all/square
	}
	to.square += to.direction * to.direction * square
	to.t = num.Clamp(kept*mean, -1, 1) * a.Height / to.square
	for j := range p - 1 {
		to.w[j] *= to.direction * to.t
	}
	to.w[p-1] = to.t * c
	return to
}

// Fit draws as [AdaSSPFit.Fit] does.
func (f *CentredFit) Fit(m *NormalEquations, rng *noise.Source) (Coefficients, error) {
	return f.solve(f.noisy(m, rng))
}

// solve regresses on noisy sums, which it changes.
func (f *CentredFit) solve(noisy *NormalEquations) (Coefficients, error) {
	p := f.Coefficients()
	smallest := noisy.Smallest(p, 0)
	ridge := f.Ridge(smallest)
	to := f.centre(noisy)
	if to.w == nil {
		s, err := noisy.Solve(ridge)
		if err != nil {
			return Coefficients{}, err
		}
		return Coefficients{Method: models.AdaSSP, W: s.W, se: f.errors(s), law: f.law(noisy, s, s.W, smallest, to), Ridge: s.ridge, To: to.w}, nil
	}
	last := (p - 1) * noisy.Size
	noisy.Sum[last+p-1] = float64(f.N) * f.constantCell() * f.constantCell() // which is public
	for i := range p {
		row := noisy.Sum[i*noisy.Size : (i+1)*noisy.Size]
		for j, v := range to.w {
			row[p] -= row[j] * v
		}
	}
	s, err := noisy.Solve(ridge)
	if err != nil {
		return Coefficients{}, err
	}
	for j, v := range to.w {
		s.W[j] += v
	}
	return Coefficients{Method: models.AdaSSP, W: s.W, se: f.centredErrors(s, to), law: f.law(noisy, s, s.W, smallest, to), Ridge: s.ridge, To: to.w}, nil
}

// centredErrors are the standard deviations of w to first order. With u = w₀/t, M the noisy moments and the ridge r, and noise E on
// XᵀX, nothing on its last entry, and e on Xᵀv, w moves by M⁻¹(e − E w) + r·M⁻¹ dw₀, where
//
//	dw₀ = slope·e_c/(ncκ)·u + t·(du − 2u⟨u, du⟩/κ),   du_j = direction·E_jc/(nc),   κ = ‖u‖².
func (f *CentredFit) centredErrors(s ridgeSolution, to centre) []float64 {
	p := len(s.W)
	nc := float64(f.N) * f.constantCell()
	var square float64
	for _, v := range s.W {
		square += v * v
	}
	ofMean := s.ridge * to.slope / (nc * to.square)
	ofRow := s.ridge * to.t * to.direction / nc
	constant := s.W[p-1]
	se := make([]float64, p)
	for i := range p {
		row := s.inverse[i*p : (i+1)*p]
		var rows, along, atCentre float64 // ‖M⁻¹_i‖², ⟨M⁻¹_i, w⟩, ⟨M⁻¹_i, u⟩
		for j, v := range row {
			rows += v * v
			along += v * s.W[j]
			atCentre += v * to.w[j] / to.t
		}
		c := row[p-1]
		variance := rows*(1+square/2) + along*along/2 // as without a centre
		variance -= c * c * constant * constant       // no noise on n·c²
		variance += ofMean * atCentre * (2*c + ofMean*atCentre)
		for j := range p - 1 {
			without := -row[j]*constant - c*s.W[j]
			more := ofRow * (row[j] - 2*atCentre*to.w[j]/to.t/to.square)
			variance += more * (2*without + more) / 2
		}
		se[i] = f.Sigma * math.Sqrt(max(0, variance))
	}
	return se
}

// Bill is that of [AdaSSPFit.Bill], and says what the ridge shrinks to.
func (f *CentredFit) Bill(name string) (query.Bill, error) {
	b, err := f.AdaSSPFit.Bill(name)
	b.Cost.Reference += "; its ridge shrinks to the label's mean where that is told from noise"
	return b, err
}

// predicted is the error with as much of the uneven reference's mean as is told from its noise; in the middle of the bounds there is none.
func (f *CentredFit) predicted(p population) float64 {
	if !p.shrunk {
		return f.AdaSSPFit.predicted(p)
	}
	sd := f.meanNoise()
	kept := toldOf(math.Sqrt(offCentre) / sd)
	p.groups = append([]group(nil), p.groups...)
	p.groups[len(p.groups)-1].square *= (1 - kept) * (1 - kept) // that of the mean, which [LinearDomain.uneven] puts last
	return f.AdaSSPFit.predicted(p) + kept*kept*sd*sd
}
