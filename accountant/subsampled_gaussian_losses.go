package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant/pld"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// Losses are the laws of one step on a Poisson sample: removal and addition, or the replacement of a row
// by the opposite one; see [pld.NewSubsampled] for the proof that they dominate. Without replacement the
// step has a law under replace-one; see [pld.NewFixedBatch]. The error wraps [ErrNoRoute] in
// other cases and where the common rows are displaced.
func (e SubsampledGaussian) Losses(rel Neighbours) ([]LossLaw, error) {
	const event = "SubsampledGaussian"
	if err := e.Neighbours.match(event, rel); err != nil {
		return nil, err
	}
	mu, err := noiseRatio(event, e.C, e.Sigma)
	if err != nil {
		return nil, err
	}
	if e.Shift != (DisplacedRows{}) {
		return nil, fmt.Errorf("accountant: %v: no law of its loss with displaced rows: %w", e, ErrNoRoute)
	}
	q := e.Sampling.Rate
	switch e.Sampling.Kind {
	case Poisson:
		if !(q >= 0 && q <= 1) {
			return nil, fmt.Errorf("accountant: %s: rate: got %g, want a number in [0, 1]: %w", event, q, ErrParameter)
		}
	case WithoutReplacement:
		b, n := e.Sampling.Batch, e.Sampling.Rows
		if n < 1 || b < 0 || b > n {
			return nil, fmt.Errorf("accountant: %s: got a batch of %d of %d rows, want at least one row and a batch of at most all: %w", event, b, n, ErrParameter)
		}
		if rel != ReplaceOne {
			return nil, fmt.Errorf("accountant: %v: no law of its loss under %v: %w", e, rel, ErrNoRoute)
		}
		q = quad.DivUp(float64(b), float64(n))
	default:
		return nil, fmt.Errorf("accountant: %s: sampling: got kind %d, want Poisson or WithoutReplacement: %w", event, e.Sampling.Kind, ErrParameter)
	}
	apart := 1.0 // distance of two rows, in units of C
	if rel == ReplaceOne {
		apart = 2
	}
	switch {
	case q == 0 || mu == 0:
		return nil, nil
	case !(mu < 1e100):
		return []LossLaw{pld.Revealed()}, nil
	case q == 1:
		return gaussianLosses(apart * mu)
	}
	s := math.Nextafter(1/max(mu, 1e-100), 0)
	switch {
	case e.Sampling.Kind == WithoutReplacement:
		return one(pld.NewFixedBatch(q, s))
	case rel == ReplaceOne:
		return one(pld.NewSubsampled(q, s, pld.Replace))
	}
	remove, err := pld.NewSubsampled(q, s, pld.Remove)
	if err != nil {
		return nil, err
	}
	add, err := pld.NewSubsampled(q, s, pld.Add)
	return []LossLaw{remove, add}, err
}
