package dpkit

import (
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// TestSamplerIsTheOnePriced: the accountant may not import the sampler, and bounds the distance of its
// law from the Gaussian on its own. The two bounds, proved apart, must agree; the sampler's covers its
// truncation too, which a Rényi curve cannot.
func TestSamplerIsTheOnePriced(t *testing.T) {
	for _, sigma := range []uint64{1, 2, 10, 1000, 1 << 30, 1 << 50, noise.MaxSigma} {
		e := accountant.DiscreteGaussian{Sensitivity: 1, Sigma: 1, Neighbours: ReplaceOne, GridSigma: float64(sigma), Coordinates: 3}
		_, tv, err := e.GDP(ReplaceOne)
		if err != nil {
			t.Fatal(err)
		}
		drawn := 3 * noise.GaussianTV(sigma)
		if tv < 0.5*drawn || tv > 2*drawn {
			t.Errorf("σ = %d: priced at total variation %g, the sampler's bound is %g", sigma, tv, drawn)
		}
	}
}
