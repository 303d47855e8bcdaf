package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant/pld"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// Losses is the law of a shift by Δ/b, the same in all directions. It holds for vectors, too; see
// [pld.NewLaplace].
func (e Laplace) Losses(rel Neighbours) ([]LossLaw, error) {
	if err := e.Neighbours.match("Laplace", rel); err != nil {
		return nil, err
	}
	if !(e.Sensitivity >= 0) || math.IsInf(e.Sensitivity, 1) || !(e.Scale >= 0) || math.IsInf(e.Scale, 1) {
		return nil, fmt.Errorf("accountant: Laplace: got sensitivity %g, scale %g, want finite numbers, at least 0: %w",
			e.Sensitivity, e.Scale, ErrParameter)
	}
	switch {
	case e.Sensitivity == 0:
		return nil, nil
	case e.Scale == 0:
		return []LossLaw{pld.Revealed()}, nil
	}
	ratio := quad.DivUp(e.Sensitivity, e.Scale)
	if math.IsInf(ratio, 1) {
		return []LossLaw{pld.Revealed()}, nil
	}
	return one(pld.NewLaplace(ratio))
}
