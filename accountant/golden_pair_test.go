package accountant_test

import (
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
)

// The golden functions of the calculus that price an event on a pair state, which the tests inside of package accountant cannot import.

func init() {
	accountant.GoldenOnPair = map[string]func(*testing.T, accountant.GoldenArgs) float64{
		"gaussmix_state": func(t *testing.T, a accountant.GoldenArgs) float64 {
			rel := accountant.ReplaceOne
			if a.Adj == "addrm" {
				rel = accountant.AddRemove
			}
			p := pair.State{Neighbours: rel, N: 1000, R: a.R, F: 1, M: 999, T1: 10, TF: a.TF, TInf: a.TF, DFree: math.Inf(1)}
			g := must[accountant.GaussMix](t)(pair.GaussMixOn(p, pair.GaussMixOptions{K: a.K, Noise: a.V}))
			return must[accountant.Curve](t)(g.RDP(rel))(a.Alpha)
		},
		"gaussmix_shift_only": func(t *testing.T, a accountant.GoldenArgs) float64 {
			p := pair.State{Neighbours: accountant.ReplaceOne, N: 1000, R: 1, M: 999, T1: 10, TF: a.TF, TInf: a.TF, DFree: math.Inf(1)}
			g := must[accountant.GaussMix](t)(pair.GaussMixOn(p, pair.GaussMixOptions{K: a.K, Noise: a.V}))
			return must[accountant.Curve](t)(g.RDP(accountant.ReplaceOne))(a.Alpha)
		},
		"ssp_S": func(t *testing.T, a accountant.GoldenArgs) float64 {
			p := pair.State{Neighbours: accountant.ReplaceOne, N: 1000, R: a.R, F: a.F, M: 999, T1: a.T1, TF: a.T1, TInf: a.T1, DFree: math.Inf(1)}
			return must[float64](t)(pair.GramSensitivity(p))
		},
	}
	accountant.GoldenGaussiansOnPair = func(t *testing.T, example accountant.GoldenExample, e accountant.GoldenWorked, sigma float64) (with, without accountant.Gaussian) {
		p := pair.State{Neighbours: accountant.ReplaceOne, N: int(example.N), R: example.R, F: 1, M: e.M, T1: e.T1, TF: e.TF, TInf: e.TI, DFree: math.Inf(1)}
		query := pair.Query{C: 1, Lipschitz: example.Mu}
		with = must[accountant.Gaussian](t)(pair.GaussianOn(p, query, sigma))
		p.F = 0
		return with, must[accountant.Gaussian](t)(pair.GaussianOn(p, query, sigma))
	}
}

func must[T any](t *testing.T) func(T, error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
