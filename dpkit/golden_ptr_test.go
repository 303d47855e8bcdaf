package dpkit

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/internal/golden"
)

// ptr: thresholds of tests of a 1-Lipschitz statistic q ≥ 0, by the theorem and as published, where a dataset next
// to a bad one passes more often than δ for large ε.
func (g goldenHandlers) ptr(t *testing.T, raw json.RawMessage) {
	var group struct {
		Threshold string
		Cases     []struct {
			Eps   float64 `json:"eps_t"`
			Delta float64 `json:"delta_t"`
			T     float64
			Paper float64 `json:"paper_t"`
			Ratio float64 `json:"paper_pass_at_dist1_over_delta"`
		}
		Statistics map[string]string
		Example    *struct {
			N       int
			Gap     float64 `json:"delta_k"`
			Beta    float64
			Mode    string
			Q       float64
			Eps     float64 `json:"eps_t"`
			Delta   float64 `json:"delta_t"`
			T       float64
			Passing float64 `json:"pass_prob"`
		} `json:"pca_example"`
	}
	golden.Decode(t, raw, &group)
	// P(1 + Lap(1/ε) > x), a neighbour of a dataset with q = 0, and in general.
	pass := func(q, eps, x float64) float64 {
		if x > q {
			return math.Exp(-eps*(x-q)) / 2
		}
		return 1 - math.Exp(-eps*(q-x))/2
	}
	for _, c := range group.Cases {
		t.Run(fmt.Sprintf("ε = %g, δ = %g", c.Eps, c.Delta), func(t *testing.T) {
			got, err := accountant.TestThresholdLaplace(0, 1, c.Eps, c.Delta)
			if err != nil {
				t.Fatal(err)
			}
			paper := math.Log(2/c.Delta) / c.Eps
			g.Same(t, "threshold", got, c.T)
			g.Near(t, "the paper's", paper, c.Paper)
			g.Near(t, "its chance to pass over δ", pass(1, c.Eps, paper)/c.Delta, c.Ratio)
			if (c.Ratio > 1) != (c.Eps > math.Log(4)) {
				t.Errorf("the published threshold fails from ε = ln 4 on, at %g it has the ratio %g", c.Eps, c.Ratio)
			}
			g.AtMost(t, "our chance to pass", pass(1, c.Eps, got), c.Delta)
		})
	}
	// In words; each names a test that the library has, or the bound that its chains use in the test's place.
	tests := map[string]bool{"pca": true, "mean_imputation": true, "std": true, "dedup": true, "ridge": true, "trimmed_mean": true}
	for name := range group.Statistics {
		if !tests[name] {
			t.Errorf("unknown statistic %q", name)
		}
	}
	if c := group.Example; c != nil {
		q := max(0, c.Gap-c.Beta) * float64(c.N) / (2 * goldenPCA(t, c.Mode))
		g.Near(t, "statistic", q, c.Q)
		threshold := must(accountant.TestThresholdLaplace(0, 1, c.Eps, c.Delta))
		g.Same(t, "threshold", threshold, c.T)
		g.Near(t, "chance to pass", pass(q, c.Eps, threshold), c.Passing)
	}
}
