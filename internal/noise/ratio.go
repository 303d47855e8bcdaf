package noise

const (
	// RatioSigma is the least σ, in steps, for which [RatioTau] is proved.
	RatioSigma = 1 << 28
	// RatioTau bounds the logarithm of a ratio. For every σ ≥ [RatioSigma] there is a kernel T, which commutes with integer shifts, such that
	// the law of [Source.DiscreteGaussian] and N(0, σ′²) T, σ′ = σ√(1 − 64/σ²) ≥ σ(1 − [RatioShrink]), have
	// probabilities within a factor e^(±RatioTau) of each other, at every integer.
	//
	// Proof. Let T take y to the integer k with probability ρ(k−y)/Σ_j ρ(j−y), ρ(x) = exp(−x²/128). By Poisson summation Σ_j ρ(j−y) =
	// 8√(2π)(1 + θ(y)), |θ| ≤ 2Σ_{i≥1} exp(−128π²i²) < e^−1262. The integral over y of the density of N(0, σ′²) times ρ(k−y) is in
	// proportion to exp(−k²/2σ²), as σ′² + 64 = σ². So both laws, normalised, are within (1+θ)/(1−θ) < exp(2^-1000). ∎
	//
	// A mechanism of n draws in which each is added to integers is then, at each output, within e^(±n·RatioTau) of one with continuous noise of
	// σ′ and post-processing. Such a ratio e^τ has no factor e^ε. Claim: if P₀(S) ≤ w Q₀(S) + B for a w > 0, and P, Q are within e^τ of
	// P₀, Q₀, then P(S) ≤ w Q(S) + e^τ B + 2τ. Proof: P(S) ≤ e^τ P₀(S) ≤ e^τ(w e^τ Q(S) + B). Where w e^2τ Q(S) ≤ 1 that is at most
	// w Q(S) + (1 − e^−2τ) + e^τ B; elsewhere P(S) ≤ 1 ≤ w Q(S) + (1 − e^−2τ). ∎
	RatioTau = 0x1p-1000
	// RatioReach is the number of steps that T moves y by, but for a probability below 2^-900, whatever y is: the sum of ρ(x) over
	// |x| ≥ 288 is below 4·exp(−648), and 8√(2π)(1 − θ) > 16.
	RatioReach = 288
	// RatioShrink is by how much σ′ is below σ, relatively, at most.
	RatioShrink = 0x1p-50
)

// Negligible bounds the δ that the samplers of a release cost where they have [RatioSigma] steps: 5·[RatioTau] for each draw, whatever the
// bound B ≤ 2 of the mechanism with continuous noise is, and 2^-900 for each where [RatioReach] is used, of 2^90 draws at most. It is below the last
// digit of every δ that is printed; a release and a ledger keep far more than all of it back (accountant.SamplerShare).
const Negligible = 0x1p-800
