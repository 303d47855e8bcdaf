package unbounded

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/notebooks/studies/lab"
)

// What the rates study measures, by the statements of Milionis's thesis.
const (
	CovarianceRate = "covariance"        // Lemma 6.2.1
	NeededRate     = "rows needed"       // Lemma 6.2.1: the rows at which the noise stops to matter
	MeanRate       = "mean"              // Lemma 6.2.2
	LinearRate     = "linear regression" // Theorem 7.0.1
	LeastRate      = "least squares"     // Theorem 8.1.1
	BinaryRate     = "binary regression" // Theorem 8.1.2
)

// Errors of the rates study. "noise" is the distance of the private estimate from the one of the same rows
// without noise, "sample" the distance of that from the truth.
const (
	SpectralNoise   = "noise, spectral norm"
	FrobeniusNoise  = "noise, Frobenius norm"
	SpectralSample  = "sample, spectral norm"
	FrobeniusSample = "sample, Frobenius norm"
	Noise           = "noise"
	Sample          = "sample"
	TwoReleases     = "noise, in two releases"
	WeakNoise       = "noise, weak contraction (0.7)"
	NaiveNoise      = "noise, naive"
	NoiseLaplace    = "noise, Laplace bins"
	PureNoise       = "noise, pure ε"
	RowsAdaptive    = "rows, adaptive"
	RowsWeak        = "rows, weak contraction (0.7)"
)

// RateSetting is a setting of the rates study. Epsilon is that of the thesis: a release is ρ-zCDP with ρ = ε²/2.
type RateSetting struct {
	Rows    int     `json:"rows"`
	Columns int     `json:"columns"`
	Kappa   float64 `json:"kappa"`
	Epsilon float64 `json:"epsilon"`
	Far     float64 `json:"far"` // norm of the features' mean, in units of their smallest standard deviation
}

// RatePoint is a setting with lower quartile, median and upper quartile of every error over the runs.
type RatePoint struct {
	RateSetting
	Errors map[string][3]float64 `json:"errors"`
}

// Rates is what a run of the rates study stores.
type Rates struct {
	Seed   uint64                            `json:"seed"`
	Runs   int                               `json:"runs"`
	Delta  float64                           `json:"delta"`
	Sweeps map[string]map[string][]RatePoint `json:"sweeps"` // by what is measured, then by what varies
}

// RateBase is the setting around which one parameter at a time varies.
var RateBase = RateSetting{Rows: 100_000, Columns: 5, Kappa: 1e4, Epsilon: 1}

// NeededError is the relative spectral error by noise of [NeededRate].
const NeededError = 0.25

func vary[T any](set func(*RateSetting, T), values ...T) (out []RateSetting) {
	for _, v := range values {
		s := RateBase
		set(&s, v)
		out = append(out, s)
	}
	return out
}

// RateSweeps are the settings of the rates study.
func RateSweeps() map[string]map[string][]RateSetting {
	rows := vary(func(s *RateSetting, n int) { s.Rows = n }, 5_000, 10_000, 30_000, 100_000, 300_000)
	epsilons := vary(func(s *RateSetting, e float64) { s.Epsilon = e }, 0.1, 0.2, 0.5, 1, 2, 4)
	columns := func(d ...int) []RateSetting { return vary(func(s *RateSetting, d int) { s.Columns = d }, d...) }
	kappas := func(k ...float64) []RateSetting { return vary(func(s *RateSetting, k float64) { s.Kappa = k }, k...) }
	far := func(r ...float64) []RateSetting { return vary(func(s *RateSetting, r float64) { s.Far = r }, r...) }
	plain := func(settings []RateSetting) []RateSetting { // the mean is measured after preconditioning: κ = 1
		out := slices.Clone(settings)
		for i := range out {
			out[i].Kappa = 1
		}
		return out
	}
	return map[string]map[string][]RateSetting{
		CovarianceRate: {
			"rows": rows, "epsilon": epsilons, "columns": columns(2, 4, 8, 16, 32, 64),
			"kappa": kappas(1, 1e3, 1e6, 1e9, 1e12),
		},
		NeededRate: {"kappa": neededSettings(kappas(1, 1e2, 1e4, 1e6, 1e8, 1e12))},
		MeanRate: {
			"rows": plain(rows), "epsilon": plain(epsilons), "columns": plain(columns(1, 2, 4, 8, 16, 32, 64)),
			"far": plain(far(0, 1e2, 1e4, 1e6, 1e8)),
		},
		LinearRate: {"rows": rows[1:], "kappa": kappas(1, 1e2, 1e4, 1e6, 1e8)},
		LeastRate:  {"rows": rows[1:], "columns": columns(2, 4, 8, 16, 32), "far": far(0, 1, 1e1, 1e2, 1e3, 1e4)},
		BinaryRate: {"rows": rows[1:]},
	}
}

// neededSettings lowers ε, so that the rows needed are many enough for their own scatter not to matter.
func neededSettings(settings []RateSetting) []RateSetting {
	for i := range settings {
		settings[i].Epsilon = 0.3
	}
	return settings
}

// RateOnce measures one run at a setting.
func RateOnce(ctx context.Context, what string, s RateSetting, seed uint64) (map[string]float64, error) {
	switch what {
	case CovarianceRate:
		return covarianceOnce(ctx, s, seed)
	case MeanRate:
		return meanOnce(ctx, s, seed)
	case LinearRate:
		return linearOnce(ctx, s, seed)
	case LeastRate:
		return leastOnce(ctx, s, seed)
	case BinaryRate:
		return binaryOnce(ctx, s, seed)
	}
	return nil, fmt.Errorf("unbounded study: no rate %q", what)
}

// RateAt measures runs at a setting and returns their quartiles.
func RateAt(ctx context.Context, what string, s RateSetting, seed uint64, runs int) (RatePoint, error) {
	p := RatePoint{RateSetting: s, Errors: map[string][3]float64{}}
	if what == NeededRate {
		return p, needed(ctx, &p, seed, runs)
	}
	all := map[string][]float64{}
	for run := range runs {
		e, err := RateOnce(ctx, what, s, seed+uint64(run))
		if err != nil {
			return p, fmt.Errorf("unbounded study: %s, %+v: %w", what, s, err)
		}
		for k, v := range e {
			all[k] = append(all[k], v)
		}
	}
	for k, v := range all {
		lo, median, hi := Point{Errors: map[string][]float64{k: v}}.Quartiles(k)
		p.Errors[k] = [3]float64{lab.Round(lo), lab.Round(median), lab.Round(hi)}
	}
	return p, nil
}

// RunRates makes the rates study. Progress may be nil.
func RunRates(ctx context.Context, seed uint64, runs int, progress func(string)) (Rates, error) {
	r := Rates{Seed: seed, Runs: runs, Delta: delta, Sweeps: map[string]map[string][]RatePoint{}}
	for what, sweeps := range RateSweeps() {
		r.Sweeps[what] = map[string][]RatePoint{}
		for name, settings := range sweeps {
			for _, s := range settings {
				p, err := RateAt(ctx, what, s, seed, runs)
				if err != nil {
					return r, err
				}
				r.Sweeps[what][name] = append(r.Sweeps[what][name], p)
			}
			if progress != nil {
				progress(what + " against " + name)
			}
		}
	}
	return r, nil
}

// target is the (ε, δ) at which the library spends ρ = ε²/2 of the thesis, or as many parts of it.
func target(epsilon, parts float64) (dpkit.Unbounded, error) {
	mu := epsilon / math.Sqrt(parts)
	g, err := accountant.EpsilonOf(accountant.Gaussian{Sensitivity: mu, Sigma: 1, Neighbours: dpkit.ReplaceOne}, dpkit.ReplaceOne, delta)
	return dpkit.Unbounded{Epsilon: g.Epsilon * (1 + 1e-6), Delta: delta}, err
}

//go:embed rates.json
var storedRates []byte

// StoredRates returns the results of the full rates study.
func StoredRates() (r Rates, err error) {
	return r, json.Unmarshal(storedRates, &r)
}
