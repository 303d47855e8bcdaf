package dpkit

import (
	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/glm"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/gradient"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/linear"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
)

// The mechanisms that can end a chain in place of one, each set where its releases are made, so that a program holds those of its own.

// otherEnd is an ending with the same type of value.
func otherEnd[V any](pl *plan, m mechanism.Mechanism[V]) ending {
	return ending{plan: newPlan(pl.p, m).plan()}
}

// listedEnd is an ending that is not recommended.
func listedEnd[V any](pl *plan, m mechanism.Mechanism[V], note string) ending {
	e := otherEnd(pl, m)
	e.listed, e.note = true, note
	return e
}

// logisticEnds are the ways to fit a logistic model, and other linear classifiers.
func logisticEnds(pl *plan) []ending {
	var t accountant.Budget
	noIntercept := false
	switch m := pl.m.(type) {
	case gradient.LogisticFit:
		t, noIntercept = accountant.Budget{Epsilon: m.Epsilon, Delta: m.Delta}, m.NoIntercept
	case glm.MixingFit:
		t, noIntercept = accountant.Budget{Epsilon: m.Epsilon, Delta: m.Delta}, m.NoIntercept
	case glm.ObjectiveFit:
		t = m.Budget()
	default:
		return nil
	}
	objective := ByObjective{Epsilon: t.Epsilon, Delta: t.Delta}
	ends := []ending{otherEnd(pl, ByGradient{Epsilon: t.Epsilon, Delta: t.Delta, NoIntercept: noIntercept}.Logistic())}
	if !noIntercept {
		ends = append(ends, otherEnd(pl, objective.Logistic()))
	}
	ends = append(ends, otherEnd(pl, ByMixing{Epsilon: t.Epsilon, Delta: t.Delta, NoIntercept: noIntercept}.Logistic()))
	if !noIntercept {
		ends = append(ends, listedEnd[ClassModel](pl, glm.HingeFit{ByObjective: objective}, "another type of model: classes without probabilities"))
	}
	return ends
}

// linearEnds are the ways to fit a linear model by least squares.
func linearEnds(pl *plan) []ending {
	fit, ok := pl.m.(linear.Fit)
	if !ok || fit.How == nil {
		return nil
	}
	s := fit.How.Settings()
	var ends []ending
	for _, how := range []linear.Method{
		BestLinear{Epsilon: s.Epsilon, Delta: s.Delta, NoIntercept: s.NoIntercept},
		AdaSSP{Epsilon: s.Epsilon, Delta: s.Delta, NoIntercept: s.NoIntercept},
		LinearMixing{Epsilon: s.Epsilon, Delta: s.Delta, NoIntercept: s.NoIntercept},
		OutputPerturbation{Epsilon: s.Epsilon, Delta: s.Delta, NoIntercept: s.NoIntercept},
		RelativeGaussianDescent{Epsilon: s.Epsilon, Delta: s.Delta, NoIntercept: s.NoIntercept},
	} {
		ends = append(ends, otherEnd[LinearModel](pl, linear.Fit{How: how}))
	}
	return ends
}

// noiseEnds are other laws of the noise on numbers: pure ε, which promises more than (ε, δ) does, in place of a Gaussian. The other way there
// is no δ to give.
func noiseEnds[V any](pl *plan) (ends []ending) {
	t, ok := query.AimOf(pl.m)
	if !ok || t.Noise.Pure() || t.Margin != 0 || t.Level != 0 {
		return nil
	}
	for _, law := range []Noise{NoiseLaplace, NoiseGeometric} {
		if _, ok := pl.m.(query.OfIntegers); law == NoiseGeometric && !ok {
			continue
		}
		if m, ok := query.AimedAt(pl.m, Target{Epsilon: t.Epsilon, Noise: law}).(mechanism.Mechanism[V]); ok {
			e := otherEnd(pl, m)
			e.note = "pure ε: a δ of 0"
			ends = append(ends, e)
		}
	}
	return ends
}
