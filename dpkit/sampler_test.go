package dpkit

import (
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// TestSamplerIsTheOnePriced: the accountant may not import the sampler, and prices discrete noise of any number of steps that it draws without a
// distance of laws, by next to nothing above continuous noise.
func TestSamplerIsTheOnePriced(t *testing.T) {
	for _, sigma := range []uint64{1, 2, 10, 1000, noise.RatioSigma, 1 << 50, noise.MaxSigma} {
		e := accountant.DiscreteGaussian{Sensitivity: 1, Sigma: 1, Neighbours: ReplaceOne, GridSigma: float64(sigma), Coordinates: 3}
		mu, tv, err := e.GDP(ReplaceOne)
		if err != nil {
			t.Fatal(err)
		}
		if most := 1 + 0.25/float64(sigma*sigma) + 2/float64(sigma) + 0x1p-51; tv != 0 || !(mu > 1 && mu <= most) {
			t.Errorf("σ = %d: μ = %v up to a total variation of %g, want at most %v", sigma, mu, tv, most)
		}
	}
}
