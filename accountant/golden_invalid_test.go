package accountant

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// goldenInvalid returns an error for each case that was accepted. A case is "argument=value", or one that is said in words.
func goldenInvalid(in goldenInputs) ([]float64, error) {
	if len(in.Cases) == 0 {
		return nil, fmt.Errorf("no cases")
	}
	sentinels := []error{ErrParameter, ErrDelta, ErrEpsilon, ErrOrder}
	for _, name := range in.Cases {
		err := invalidCase(name)
		if errors.Is(err, errNoCheck) || !slices.ContainsFunc(sentinels, func(s error) bool { return errors.Is(err, s) }) {
			return nil, fmt.Errorf("%s: got %w, want an error with a sentinel", name, err)
		}
	}
	return nil, nil
}

var errNoCheck = errors.New("no such check")

// invalidCase uses an invalid argument and returns the error, which must name it.
func invalidCase(name string) error {
	price := func(e Event) error {
		_, err := EpsilonOf(e, AddRemove, 1e-6)
		return err
	}
	switch name {
	case "empty order list":
		return price(RDPTable{Neighbours: AddRemove})
	case "mismatched orders/rdp length":
		return price(RDPTable{Orders: []float64{2, 3}, Values: []float64{1}, Neighbours: AddRemove})
	case "sigma=0 -> Inf not panic":
		g, err := EpsilonOf(Gaussian{Sensitivity: 1, Neighbours: AddRemove}, AddRemove, 1e-6)
		if err != nil || !math.IsInf(g.Epsilon, 1) {
			return fmt.Errorf("ε = %g, %w", g.Epsilon, err)
		}
		return ErrParameter // as it should be
	case "order<=1 except the KL limit":
		name = "order=1"
	}
	argument, text, _ := strings.Cut(name, "=")
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return fmt.Errorf("%q: %w", name, errNoCheck)
	}
	one := Gaussian{Sensitivity: 1, Sigma: 1, Neighbours: AddRemove}
	named := argument // in the error's text
	switch argument {
	case "sigma":
		err = price(Gaussian{Sensitivity: 1, Sigma: v, Neighbours: AddRemove})
	case "q":
		named = "rate"
		err = price(SubsampledGaussian{C: 1, Sigma: 1, Sampling: PoissonSampling(v), Neighbours: AddRemove})
	case "delta":
		_, err = EpsilonOf(one, AddRemove, v)
	case "eps":
		named = "epsilon"
		_, err = DeltaOf(one, AddRemove, v)
	case "order":
		_, err = Curve(func(float64) float64 { return 1 }).EpsilonAt(v, 1e-6)
	case "steps", "k":
		n := int(v)
		if float64(n) != v {
			return fmt.Errorf("%q: want an integer: %w", name, errNoCheck)
		}
		if named = "answers"; argument == "steps" {
			named = "count"
			err = price(Repeat(one, n))
		} else {
			err = price(RandomizedResponse{K: n, Epsilon: 1, Neighbours: AddRemove})
		}
	case "b":
		named = "scale"
		err = price(Laplace{Sensitivity: 1, Scale: v, Neighbours: AddRemove})
	case "p_truth":
		named = "truth"
		_, err = TruthfulResponse(2, v, AddRemove)
	case "rho":
		err = price(ZCDP{Rho: v, Neighbours: AddRemove})
	default:
		return fmt.Errorf("%q: %w", name, errNoCheck)
	}
	if err != nil && !strings.Contains(strings.ToLower(err.Error()), named) {
		return fmt.Errorf("%q does not name %q: %w", err.Error(), named, errNoCheck)
	}
	return err
}
