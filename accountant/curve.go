package accountant

// Curve is a bound on the Rényi divergence D_α in nats as a function of the real order α > 1.
// It is +Inf at orders where no bound is known. Curves round up.
type Curve func(alpha float64) float64

// Profile is a privacy profile: the smallest known δ for which (ε, δ)-DP holds at ε. Rounded up.
type Profile func(epsilon float64) float64
