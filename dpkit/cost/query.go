package cost

// Query is one private query of a step, paid from the target of the release.
type Query struct {
	Name        string  `json:"name"`
	Share       float64 `json:"share"`           // of the release's μ²
	Delta       float64 `json:"delta,omitempty"` // probability that a test passes wrongly
	Event       string  `json:"event"`
	Sensitivity float64 `json:"sensitivity"`
	Sigma       float64 `json:"sigma"` // noise on each coordinate of the answer
	// Threshold is the least noisy statistic with which a test passes; 0 for a private fit.
	Threshold float64 `json:"threshold,omitempty"`
}
