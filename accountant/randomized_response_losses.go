package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant/pld"
)

// Losses is the law of k-ary randomised response between two answers, the same in all directions.
func (e RandomizedResponse) Losses(rel Neighbours) ([]LossLaw, error) {
	if err := e.Neighbours.match("RandomizedResponse", rel); err != nil {
		return nil, err
	}
	if e.K < 2 || !(e.Epsilon >= 0) {
		return nil, fmt.Errorf("accountant: RandomizedResponse: got k = %d, epsilon %g, want k of at least 2, epsilon at least 0: %w",
			e.K, e.Epsilon, ErrParameter)
	}
	switch {
	case e.Epsilon == 0:
		return nil, nil
	case math.IsInf(e.Epsilon, 1):
		return []LossLaw{pld.Revealed()}, nil
	}
	return one(pld.NewRandomizedResponse(e.K, e.Epsilon))
}
