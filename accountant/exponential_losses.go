package accountant

import (
	"github.com/dpkit-go/dpnb/accountant/pld"
)

// Losses is the law of the pair that has the profile of all mechanisms of that range, the same in all directions; see
// [pld.NewBoundedRange].
func (e Exponential) Losses(rel Neighbours) ([]LossLaw, error) {
	if err := e.validate(rel); err != nil {
		return nil, err
	}
	if e.Epsilon == 0 {
		return nil, nil
	}
	return one(pld.NewBoundedRange(e.Epsilon))
}
