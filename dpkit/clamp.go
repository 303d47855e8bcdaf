package dpkit

func clamp(x, lo, hi float64) float64 { return min(max(x, lo), hi) }
