package accountant

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

// lossEvent builds the events of the numerical accountant's entries and their relation.
func (in goldenInputs) lossEvent() (Event, Neighbours, error) {
	rel := AddRemove
	switch in.Neighbours {
	case "", "add_remove":
	case "replace":
		rel = ReplaceOne
	default:
		return nil, 0, fmt.Errorf("unknown relation %q", in.Neighbours)
	}
	if len(in.Parts) > 0 {
		var parts []Event
		for _, p := range in.Parts {
			p.Neighbours = in.Neighbours
			e, _, err := p.lossEvent()
			if err != nil {
				return nil, 0, err
			}
			parts = append(parts, Repeat(e, max(p.Count, 1)))
		}
		return Compose(parts...), rel, nil
	}
	switch {
	case in.Mechanism == "laplace":
		return Laplace{Sensitivity: 1, Scale: in.B, Neighbours: rel}, rel, nil
	case in.Mechanism == "pure_dp":
		return PureDP{Epsilon: in.Eps, Neighbours: rel}, rel, nil
	case in.Mechanism == "gaussian" && in.Sampling == "poisson":
		return poissonStep(*in.Q, in.Sigma, rel), rel, nil
	case in.Mechanism == "gaussian":
		return Gaussian{Sensitivity: 1, Sigma: in.Sigma, Neighbours: rel}, rel, nil
	case in.Mechanism == "discrete_gaussian":
		return DiscreteGaussian{Sensitivity: 1, Sigma: in.Sigma, Neighbours: rel, GridSigma: in.Sigma, Coordinates: 1}, rel, nil
	}
	return nil, 0, fmt.Errorf("unknown mechanism %q", in.Mechanism)
}

func poissonStep(q, sigma float64, rel Neighbours) SubsampledGaussian {
	return SubsampledGaussian{C: 1, Sigma: sigma, Sampling: Sampling{Kind: Poisson, Rate: q}, Neighbours: rel}
}

// goldenPLD checks the two bounds against each other and returns the upper one.
func goldenPLD(in goldenInputs) ([]float64, error) {
	e, rel, err := in.lossEvent()
	if err != nil {
		return nil, err
	}
	upper, lower, err := EpsilonPLD(e, rel, in.Delta)
	if err == nil && !(lower <= upper && upper-lower <= 1e-4*upper) {
		err = fmt.Errorf("bounds %g and %g", lower, upper)
	}
	return []float64{upper}, err
}

func goldenPLDDelta(in goldenInputs) ([]float64, error) {
	e, rel, err := in.lossEvent()
	if err != nil {
		return nil, err
	}
	d, err := PLD(e, rel)
	if err != nil {
		return nil, err
	}
	upper, _, err := d.Delta(in.Epsilon)
	return []float64{upper}, err
}

// goldenPLDHandlers are the entries of the numerical accountant.
func goldenPLDHandlers() map[[3]string]goldenHandler {
	h := map[[3]string]goldenHandler{
		{"discrete", "delta", "discrete_gaussian"}:    goldenPLDDelta,
		{"edge", "epsilon", "composition of laplace"}: goldenPLD,
	}
	for _, parts := range []string{
		"laplace", "poisson gaussian", "gaussian, laplace, poisson gaussian", "gaussian, laplace",
		"discrete_gaussian", "pure_dp",
	} {
		h[[3]string{"pld", "epsilon", "composition of " + parts}] = goldenPLD
	}
	return h
}

// TestCalibratePLDGolden finds the tight noise of DP-SGD: not below the stated limit, within the tolerance.
func TestCalibratePLDGolden(t *testing.T) {
	raw, err := os.ReadFile("../testdata/golden/accounting.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct{ Refs []goldenEntry }
	if err := json.Unmarshal(raw, &golden); err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, e := range golden.Refs {
		if !strings.HasPrefix(e.ID, "cal.dpsgd_pld.") {
			continue
		}
		checked++
		t.Run(e.ID, func(t *testing.T) {
			in := e.Inputs
			evaluations := 0
			sigma, err := CalibratePLD(Budget{Epsilon: in.Epsilon, Delta: in.Delta}, AddRemove, func(sigma float64) Event {
				evaluations++
				return Repeat(poissonStep(*in.Q, sigma, AddRemove), *in.Steps)
			}, CalibratePLDOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if lo, hi := float64(e.Lower[0]), float64(e.Value[0])*(1+e.RTol); !(sigma >= lo && sigma <= hi) {
				t.Errorf("σ = %.8g, want one in [%.8g, %.8g]", sigma, lo, hi)
			}
			t.Logf("σ = %.8g, tight %.8g, %d events", sigma, float64(e.Value[0]), evaluations)
		})
	}
	if checked < 4 {
		t.Fatalf("checked %d entries, want at least 4", checked)
	}
}
