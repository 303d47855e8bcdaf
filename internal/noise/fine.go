package noise

// AddFineGaussian is [AddGaussian] with noise of a grid that is 2^finer times finer than that of the sums, 0 ≤ finer < 64: σ is in
// steps of the fine grid. Sums are clamped to ±2^62 of their own steps, and become ⌊sum + noise·2^-finer⌋.
//
// That is a function of sum·2^finer + noise, an integer that no word need hold, so that privacy is that of the fine grid: the distance
// to the Gaussian law is [GaussianTV] of the fine σ, 4^finer times less. The mean is half a step of the sums' grid below the sum.
func AddFineGaussian(s *Source, sums []int64, sigma uint64, finer int) {
	checkSigma(sigma)
	s.note("Gaussian", sigma, len(sums))
	s.Rekey()
	for i, sum := range sums {
		x := s.DiscreteGaussian(sigma)
		sums[i] = min(max(sum, -1<<62), 1<<62) + x>>finer
	}
}
