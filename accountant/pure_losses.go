package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant/pld"
)

// Losses is the law of randomised response (Kairouz, Oh, Viswanath 2015, Theorem 3.4), the same in all
// directions.
func (e PureDP) Losses(rel Neighbours) ([]LossLaw, error) {
	if err := e.Neighbours.match("PureDP", rel); err != nil {
		return nil, err
	}
	return pureLosses("PureDP", e.Epsilon, 0)
}

// Losses is the law of randomised response that reveals its input with probability δ (Kairouz, Oh,
// Viswanath 2015, Theorem 3.4), the same in all directions.
func (e ApproxDP) Losses(rel Neighbours) ([]LossLaw, error) {
	if err := e.Neighbours.match("ApproxDP", rel); err != nil {
		return nil, err
	}
	return pureLosses("ApproxDP", e.Epsilon, e.Delta)
}

func pureLosses(event string, epsilon, delta float64) ([]LossLaw, error) {
	if !(epsilon >= 0) || !(delta >= 0 && delta <= 1) {
		return nil, fmt.Errorf("accountant: %s: got epsilon %g, delta %g, want epsilon at least 0, delta in [0, 1]: %w",
			event, epsilon, delta, ErrParameter)
	}
	switch {
	case epsilon == 0 && delta == 0:
		return nil, nil
	case math.IsInf(epsilon, 1) || delta == 1:
		return []LossLaw{pld.Revealed()}, nil
	case epsilon == 0:
		return one(pld.NewFailure(delta))
	}
	return one(pld.NewPure(epsilon, delta))
}
