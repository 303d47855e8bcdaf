package dpkit

import (
	"reflect"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/choice"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/correlation"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/glm"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/gradient"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/linear"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/local"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/reports"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/scores"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/tables"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/unbounded"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// What [Parse] knows. The lists are functions, so that a program that parses no plan does not hold every step.

// knownSteps are the steps of this package, each with the option that tells it from others of the same call.
func knownSteps() []kind.Kinded {
	filters := []SpectralFilter{SoftThreshold{}, Tikhonov{}, Ramp{}}
	all := []kind.Kinded{
		steps.Bin{},
		steps.Bound{},
		steps.Calendar{},
		steps.CellMeans{},
		steps.Centering{},
		steps.ClipNorm{},
		steps.ClipColumns{},
		steps.Codebook{},
		steps.ExactDedup{},
		steps.GridDedup{},
		steps.BallDedup{},
		steps.FrequencyEncode{},
		steps.Holdout{},
		steps.MaxAbs{},
		steps.MidpointImpute{},
		steps.FixedImpute{},
		steps.MeanImpute{},
		steps.MedianImpute{},
		steps.PrivateMeanImpute{},
		steps.RidgeImpute{},
		steps.TrimmedImpute{},
		steps.Indicate{},
		steps.Join{},
		steps.JoinPeople{},
		steps.Mutation{},
		steps.OneHot{},
		steps.Ordinal{},
		steps.PerPerson{},
		steps.Projector{},
		steps.PrivatePCA{},
		steps.QuantileBin{},
		steps.Quantize{},
		steps.BallQuantize{},
		steps.RankTransform{},
		steps.Scale{},
		steps.Choose{Keep: true},
		steps.Choose{},
		steps.SoftSelection{},
		steps.TargetEncode{},
		steps.Where{},
		steps.SmoothWinsor{},
		steps.PublicWinsor{},
		steps.PrivateWinsor{},
		steps.Standardize{How: Standard{}},
		steps.Standardize{How: RMS{}},
		steps.PrivateScale{Standardize: steps.Standardize{How: PrivateStandard{}}},
		steps.PrivateScale{Standardize: steps.Standardize{How: PrivateRMS{}}},
	}
	for _, f := range filters {
		all = append(all, steps.Spectral{SpectralFit: steps.SpectralFit{Filter: f}})
	}
	return all
}

// knownMechanism is a mechanism and how it ends a chain.
type knownMechanism struct {
	of  kind.Kinded
	end func(p Pipeline, m any) *plan
}

func mechanismOf[V any, M interface {
	mechanism.Mechanism[V]
	kind.Kinded
}](m M) knownMechanism {
	return knownMechanism{m, func(p Pipeline, m any) *plan {
		pl := newPlan[V](p, m.(M)).plan()
		pl.ends = endsOf[V](m)
		return pl
	}}
}

// endsOf is what the methods of Pipeline set for a mechanism.
func endsOf[V any](m any) func(*plan) []ending {
	switch m.(type) {
	case gradient.LogisticFit, glm.ObjectiveFit, glm.MixingFit:
		return logisticEnds
	case linear.Fit:
		return linearEnds
	case tables.Release:
		return tableEnds
	case sums.Count, sums.Histogram, sums.Sum, sums.Mean:
		return noiseEnds[V]
	}
	return nil
}

// knownMechanisms are the releases of this package.
func knownMechanisms() []knownMechanism {
	return []knownMechanism{
		mechanismOf[Estimates](sums.Mean{}), mechanismOf[Estimates](sums.Sum{}), mechanismOf[Estimates](sums.Count{}), mechanismOf[Estimates](sums.Histogram{}),
		mechanismOf[Table](tables.Release{}),
		mechanismOf[Table](tables.Found{}),
		mechanismOf[Series](tables.Cumulative{}),
		mechanismOf[Ranking](tables.TopK{}),
		mechanismOf[Choice](choice.Choose{}), mechanismOf[Score](scores.Release{}),
		mechanismOf[CorrelationMatrix](correlation.Release{}),
		mechanismOf[QuantileEstimate](sums.Quantile{}), mechanismOf[GramMatrix](linear.GramRelease{}), mechanismOf[Sketch](linear.SketchRelease{}),
		mechanismOf[GradientModel](gradient.GradientFit{}), mechanismOf[ClassModel](glm.HingeFit{}), mechanismOf[LinearModel](glm.HuberFit{}), mechanismOf[LinearModel](linear.Fit{How: BestLinear{}}),
		mechanismOf[LinearModel](linear.Fit{How: AdaSSP{}}), mechanismOf[LinearModel](linear.Fit{How: LinearMixing{}}), mechanismOf[LinearModel](linear.Fit{How: OutputPerturbation{}}),
		mechanismOf[LinearModel](linear.Fit{How: RelativeGaussianDescent{}}), mechanismOf[LinearModel](linear.Fit{How: linear.Sheffet2017{}}),
		mechanismOf[LogisticModel](gradient.LogisticFit{}), mechanismOf[LogisticModel](glm.MixingFit{}), mechanismOf[MultinomialModel](glm.MultinomialFit{}),
		mechanismOf[LogisticModel](glm.ObjectiveFit{How: ByObjective{}}), mechanismOf[LogisticModel](glm.ObjectiveFit{How: glm.Kifer2012{}}), mechanismOf[ReportedLogistic](reports.ReportFit{ObjectiveFit: glm.ObjectiveFit{How: ByObjective{}}}),
		mechanismOf[ReportedLogistic](reports.ReportFit{ObjectiveFit: glm.ObjectiveFit{How: glm.Kifer2012{}}}), mechanismOf[RateModel](glm.PoissonFit{}),
		mechanismOf[models.LocalModel](local.LocalFit{}), mechanismOf[UnboundedModel](unbounded.UnboundedFit{}), mechanismOf[MeanEstimate](unbounded.UnboundedMean{}),
		mechanismOf[Moments](unbounded.SecondMoment{}), mechanismOf[Moments](unbounded.SecondMoment{Central: true}),
	}
}

// knownVariants are the structs that a parameter of an interface type may hold.
func knownVariants(t reflect.Type) []any {
	switch t {
	case reflect.TypeFor[PersonStatistic]():
		return []any{CountRows{}, SumOf{}, MeanOf{}, MinOf{}, MaxOf{}, ShareOf{}, MostFrequent{}, Latest{}, PersonLabel{}}
	case reflect.TypeFor[Loss]():
		return []any{LogLoss{}, SquaredHingeLoss{}, SquaredLoss{}, HuberLoss{}, SoftmaxLoss{}}
	case reflect.TypeFor[Solver]():
		return []any{FullBatch{}, PoissonSampling{}, WithoutReplacement{}, ByIteration{}}
	}
	return nil
}
