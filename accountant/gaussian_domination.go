package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// GDPOf reads an event as μ-GDP up to a total variation tv, for a currency in which it is to be added to
// Gaussian releases: what a [GDPer] says of itself; for [Laplace], [Exponential] and [PureDP] the least μ
// of a Gaussian that dominates them; for other events of pure ε-DP
//
//	μ = 2 Φ⁻¹(e^ε/(1 + e^ε)),
//
// rounded up; and for compositions of such the root of the sum of μ². Proof: the trade-off function of
// ε-DP is the larger of 1 − e^ε α and e^−ε (1 − α) (Wasserman, Zhou 2010; Dong, Roth, Su 2022). That of
// μ-GDP is convex, is 1 at 0 and, by the choice of μ, meets it at its corner α = 1/(1 + e^ε): left of the
// corner it is below the chord, which is the first line, and right of it by symmetry. ∎ For small ε, μ is
// 1.25 ε, where [ByZCDP] takes pure noise for ε: where most releases are pure another currency is cheaper.
//
// The error wraps [ErrNoRoute] where no Gaussian dominates the event that is not far dearer than its
// curve, as of subsampled steps, whose largest losses are those of all rows: their amplification is lost
// in this currency. Others wrap [ErrNeighbours] or [ErrParameter].
func GDPOf(e Event, rel Neighbours) (mu, tv float64, err error) {
	if e == nil {
		return math.NaN(), math.NaN(), fmt.Errorf("accountant: GDP: event: got nil, want an event: %w", ErrParameter)
	}
	if s, ok := e.(stated); ok {
		if err := s.validate(rel); err != nil {
			return math.NaN(), math.NaN(), err
		}
		return GDPOf(s.of, rel)
	}
	if c, ok := e.(gaussianCovered); ok {
		return c.gdp(rel)
	}
	if c, ok := e.(covered); ok {
		mu, err = c.gaussianCover(rel)
		return mu, 0, err
	}
	if mu, tv, err = gdpOf(e, rel); err == nil || optional(err) != nil {
		return mu, tv, err
	}
	switch e := e.(type) {
	case composition:
		square := 0.0
		tv = 0
		for i, part := range e.parts {
			m, v, err := GDPOf(part, rel)
			if err != nil {
				return math.NaN(), math.NaN(), fmt.Errorf("accountant: Compose: event %d of %d: %w", i+1, len(e.parts), err)
			}
			square = quad.AddUp(square, quad.MulUp(m, m))
			tv = quad.AddUp(tv, v)
		}
		return quad.SqrtUp(square), min(1, tv), nil
	case repetition:
		if err := e.validate(); err != nil {
			return math.NaN(), math.NaN(), err
		}
		if mu, tv, err = GDPOf(e.of, rel); err != nil {
			return math.NaN(), math.NaN(), err
		}
		n := float64(e.n)
		return quad.MulUp(quad.SqrtUp(n), mu), min(1, quad.MulUp(n, tv)), nil
	}
	curve, err := e.RDP(rel)
	if err != nil {
		return math.NaN(), math.NaN(), err
	}
	epsilon := curve(math.Inf(1))
	if !(epsilon < math.Inf(1)) {
		return math.NaN(), math.NaN(), fmt.Errorf("accountant: %v: neither dominated by a Gaussian nor pure: %w", e, ErrNoRoute)
	}
	return pureMu(epsilon), 0, nil
}

// pureMu is 2 Φ⁻¹(e^ε/(1 + e^ε)), rounded up.
func pureMu(epsilon float64) float64 {
	const margin = 0x1p-44
	switch {
	case epsilon <= 0:
		return 0
	case epsilon < 1: // Φ(μ/2) − ½ = erf(μ/√8)/2 is tanh(ε/2)/2
		return quad.Inflate(2*math.Sqrt2*math.Erfinv(math.Tanh(epsilon/2)), margin)
	case epsilon < 600:
		return quad.Inflate(-2*quad.NormalQuantile(1/(1+math.Exp(epsilon))), margin)
	default: // Φ(−x) ≤ e^(−x²/2)/2
		return quad.Inflate(math.Sqrt(8*(epsilon-math.Ln2+0x1p-50)), margin)
	}
}
