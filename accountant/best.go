package accountant

import (
	"fmt"

	"github.com/dpkit-go/dpnb/accountant/pld"
)

// BestOptions say how hard [Best] works. The zero value asks for the defaults.
type BestOptions struct {
	// RelTol is the width that the bounds of the numerical accountant aim for, relative to its result;
	// 0 stands for 1e-4.
	RelTol float64
	// MaxPoints bounds the length of its transforms; 0 stands for 2^20.
	MaxPoints int
}

// Best is [EpsilonOf] with the numerical accountant ([PLD]) among the routes. It is asked only for events
// that have dominating pairs and no exact profile, and wins where its upper bound is the least ε.
func Best(e Event, rel Neighbours, delta float64, o BestOptions) (Guarantee, error) {
	best, err := EpsilonOf(e, rel, delta)
	if err != nil {
		return Guarantee{}, err
	}
	d, err := numerical(e, rel, o)
	if d == nil || err != nil {
		return best, err
	}
	upper, lower, err := d.Epsilon(delta)
	if err != nil {
		return Guarantee{}, err
	}
	if upper < best.Epsilon {
		best.Epsilon, best.Route = upper, pldName(upper, lower)
	}
	return best, nil
}

// BestDelta is [DeltaOf] with the numerical accountant among the routes; see [Best].
func BestDelta(e Event, rel Neighbours, epsilon float64, o BestOptions) (Guarantee, error) {
	best, err := DeltaOf(e, rel, epsilon)
	if err != nil {
		return Guarantee{}, err
	}
	d, err := numerical(e, rel, o)
	if d == nil || err != nil {
		return best, err
	}
	upper, lower, err := d.Delta(epsilon)
	if err != nil {
		return Guarantee{}, err
	}
	if upper < best.Delta {
		best.Delta, best.Route = upper, pldName(upper, lower)
	}
	return best, nil
}

// numerical returns the event's loss distribution; nil where it has none or its profile is exact.
func numerical(e Event, rel Neighbours, o BestOptions) (*LossDistribution, error) {
	if exact, err := hasExactProfile(e, rel); exact || err != nil {
		return nil, err
	}
	d, err := PLD(e, rel)
	if err != nil {
		return nil, optional(err)
	}
	return d.With(pld.Options{RelTol: o.RelTol, MaxPoints: o.MaxPoints}), nil
}

func hasExactProfile(e Event, rel Neighbours) (bool, error) {
	_, tv, err := gdpOf(e, rel)
	if err == nil {
		return tv == 0, nil
	}
	if optional(err) != nil {
		return false, err
	}
	_, err = profileOf(e, rel)
	return err == nil, optional(err)
}

// pldName names the route with the relative width of its bounds, rounded up, where the lower one tells something: within
// half of the result.
func pldName(upper, lower float64) string {
	width := 0.0
	if upper > 0 {
		width = (upper - lower) / upper
	}
	if !(width <= 0.5) {
		return "PLD, an upper bound"
	}
	return fmt.Sprintf("PLD, within %.1g", 1.05*width)
}
