package accountant

import (
	"math"
	"testing"
)

func init() {
	GoldenOnPair = map[string]func(*testing.T, GoldenArgs) float64{
		"gaussmix_state": func(t *testing.T, a GoldenArgs) float64 {
			rel := ReplaceOne
			if a.Adj == "addrm" {
				rel = AddRemove
			}
			p := Pair{Neighbours: rel, N: 1000, R: a.R, F: 1, M: 999, T1: 10, TF: a.TF, TInf: a.TF, DFree: math.Inf(1)}
			g := must[GaussMix](t)(GaussMixOn(p, GaussMixOptions{K: a.K, Noise: a.V}))
			return curveOf(t, g, rel)(a.Alpha)
		},
		"gaussmix_shift_only": func(t *testing.T, a GoldenArgs) float64 {
			p := Pair{Neighbours: ReplaceOne, N: 1000, R: 1, M: 999, T1: 10, TF: a.TF, TInf: a.TF, DFree: math.Inf(1)}
			g := must[GaussMix](t)(GaussMixOn(p, GaussMixOptions{K: a.K, Noise: a.V}))
			return curveOf(t, g, ReplaceOne)(a.Alpha)
		},
		"ssp_S": func(t *testing.T, a GoldenArgs) float64 {
			p := Pair{Neighbours: ReplaceOne, N: 1000, R: a.R, F: a.F, M: 999, T1: a.T1, TF: a.T1, TInf: a.T1, DFree: math.Inf(1)}
			return must[float64](t)(GramSensitivity(p))
		},
	}
	GoldenGaussiansOnPair = func(t *testing.T, example GoldenExample, e GoldenWorked, sigma float64) (with, without Gaussian) {
		p := Pair{Neighbours: ReplaceOne, N: int(example.N), R: example.R, F: 1, M: e.M, T1: e.T1, TF: e.TF, TInf: e.TI, DFree: math.Inf(1)}
		query := Query{C: 1, Lipschitz: example.Mu}
		with = must[Gaussian](t)(GaussianOn(p, query, sigma))
		p.F = 0
		return with, must[Gaussian](t)(GaussianOn(p, query, sigma))
	}
}
