package noise

import "math"

// Normal returns a standard normal in floating point (Marsaglia and Bray 1964, polar method).
// Never use it as the noise of an additive mechanism: use [Source.DiscreteGaussian]. It serves
// simulations, and samplers that charge for its error and round to a public grid last.
//
// Error, to first order: u and v are uniform on cells of width 2^-51. There is a coupling with
// an exact normal z* where E|z-z*| ≤ 2^-47 except on an event of probability 2^-49 (a cell that
// the unit circle cuts). The largest |z| is about 12.
func (s *Source) Normal() float64 {
	if s.spared {
		z := s.spare
		s.spare, s.spared = 0, false
		return z
	}
	for {
		u, v := s.centred(), s.centred()
		r2 := u*u + v*v
		if r2 >= 1 {
			continue
		}
		g := math.Sqrt(-2 * math.Log(r2) / r2)
		s.spare, s.spared = v*g, true
		return u * g
	}
}

// centred returns a uniform odd multiple of 2^-52 in (-1, 1): symmetric, and never zero.
func (s *Source) centred() float64 {
	return (float64(s.Uint64()>>12)+0.5)*0x1p-51 - 1
}
