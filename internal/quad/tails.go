package quad

import "math"

// UnevenTails returns how far an interval around a standard normal variable reaches up and down so that the variable is outside with
// a probability of rho, where it reaches further down by lead: Φ(−up) + Φ(−up−lead) = rho. Both are rounded up. A lead beyond
// 50 counts as 50; with it, all of rho is above.
func UnevenTails(rho, lead float64) (up, down float64) {
	lead = max(-50, min(lead, 50))
	// The nearer end alone leaves at most rho outside, and at least half of it.
	lo, hi := -NormalQuantile(rho)+max(0, -lead)-1e-9, -NormalQuantile(rho/2)+max(0, -lead)+1e-9
	for range 45 {
		if mid := (lo + hi) / 2; NormalCDF(-mid)+NormalCDF(-mid-lead) > rho {
			lo = mid
		} else {
			hi = mid
		}
	}
	hi += 0x1p-40 * (1 + math.Abs(hi))
	return hi, hi + lead
}
