package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
)

// Noise is the law of the noise that a release adds.
type Noise = query.Noise

const (
	// GaussianNoise is the default. It needs a δ.
	GaussianNoise = query.GaussianNoise
	// LaplaceNoise gives pure ε: leave δ at 0. Sensitivities are in the L1 norm, so that it pays for
	// few numbers at a time: one count, one column. A ledger adds up in Gaussian DP and charges the
	// Gaussian that dominates the release ([accountant.GDPOf]), which is dear: beside other
	// releases Gaussian noise of the same charge is smaller, and pure ε = 1 takes what (5.1, 1e-6)-DP takes.
	LaplaceNoise = query.LaplaceNoise
)

// Target is the (ε, δ) of one release. It has no defaults.
type Target = query.Target
