package pair

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
)

// TestErrorsNameThePackage: what this package refuses says so, and wraps the error that a caller asks for.
func TestErrorsNameThePackage(t *testing.T) {
	p := must[State](t)(Start(10, 1, accountant.ReplaceOne))
	two := must[State](t)(p.Group(1))
	q := Query{C: 1, Lipschitz: 1}
	for name, c := range map[string]struct {
		refuse func() error
		want   error
		says   string
	}{
		"state":          {func() error { _, err := Start(0, 1, accountant.ReplaceOne); return err }, ErrPair, "pair: rows: got 0"},
		"group":          {func() error { _, err := p.Group(-1); return err }, ErrPair, "pair: extra free rows: got -1"},
		"step":           {func() error { return StepBounds{K: math.NaN(), R: 1}.Validate() }, ErrPair, "pair: step: K: got NaN"},
		"propagation":    {func() error { _, err := p.Propagate(StepBounds{K: 1, A1: 1, AF: 1, AInf: 1, R: 1}); return err }, ErrPair, "pair: step: Affected: got 0"},
		"query":          {func() error { _, _, err := Query{}.Sensitivity(p); return err }, accountant.ErrParameter, "pair: query: C: got 0"},
		"GaussMix":       {func() error { _, err := GaussMixOn(two, GaussMixOptions{K: 1, Noise: 1}); return err }, accountant.ErrNoRoute, "pair: GaussMix: 2 free rows"},
		"exponential":    {func() error { _, err := ExponentialOn(p, q, -1); return err }, accountant.ErrParameter, "pair: exponential: eta: got -1"},
		"subsampled":     {func() error { _, err := SubsampledGaussianOn(two, q, 1, accountant.PoissonSampling(0.1)); return err }, accountant.ErrNoRoute, "pair: subsampled Gaussian: got a pair with 2"},
		"SGD":            {func() error { _, err := SGDIterationOn(two, q, 1, 1); return err }, accountant.ErrNoRoute, "pair: SGD by iteration: got a pair with 2"},
		"Laplace's own":  {func() error { _, err := LaplaceOn(p, q, -1); return err }, accountant.ErrParameter, "accountant: Laplace"},
		"Gaussian's own": {func() error { _, err := GaussianOn(p, q, -1); return err }, accountant.ErrParameter, "accountant: Gaussian"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := c.refuse(); !errors.Is(err, c.want) || !strings.HasPrefix(err.Error(), c.says) {
				t.Errorf("got %v, want %q that wraps %v", err, c.says, c.want)
			}
		})
	}
}
