package dpkit

import "reflect"

// What [Parse] knows. The lists are functions, so that a program that parses no plan does not hold every step.

// knownSteps are the steps of this package, each with the option that tells it from others of the same call.
func knownSteps() []kinded {
	filters := []SpectralFilter{SoftThreshold{}, Tikhonov{}, Ramp{}}
	steps := []kinded{
		bin{},
		cellMean{},
		center{},
		clipNorm{},
		clipColumns{},
		exactDedup{},
		gridDedup{},
		ballDedup{},
		frequencyEncode{},
		midpointImpute{},
		fixedImpute{},
		meanImpute{},
		medianImpute{},
		privateMeanImpute{},
		ridgeImpute{},
		trimmedImpute{},
		indicate{},
		mutation{},
		oneHot{},
		ordinal{},
		projector{},
		privatePCA{},
		quantileBin{},
		quantize{},
		ballQuantize{},
		rankTransform{},
		scale{},
		choose{Keep: true},
		choose{},
		softSelect{},
		targetEncode{},
		smoothWinsor{},
		publicWinsor{},
		standardize{How: Standard{}},
		standardize{How: RMS{}},
		privateScale{standardize{How: PrivateStandard{}}},
		privateScale{standardize{How: PrivateRMS{}}},
	}
	for _, f := range filters {
		steps = append(steps, spectral{spectralFit{f}})
	}
	return steps
}

// knownMechanism is a mechanism and how it ends a chain.
type knownMechanism struct {
	of  kinded
	end func(p Pipeline, m any) *plan
}

func mechanismOf[V any, M interface {
	mechanism[V]
	kinded
}](m M) knownMechanism {
	return knownMechanism{m, func(p Pipeline, m any) *plan { return newPlan[V](p, m.(M)).plan() }}
}

// knownMechanisms are the releases of this package.
func knownMechanisms() []knownMechanism {
	return []knownMechanism{
		mechanismOf[Estimates](means{}), mechanismOf[Estimates](sum{}), mechanismOf[Estimates](count{}), mechanismOf[Estimates](histogram{}),
		mechanismOf[QuantileEstimate](quantile{}), mechanismOf[GramMatrix](secondMomentRelease{}), mechanismOf[Sketch](sketching{}),
		mechanismOf[GradientModel](gradient{}), mechanismOf[ClassModel](hinge{}), mechanismOf[LinearModel](huber{}), mechanismOf[LinearModel](linear{}),
		mechanismOf[LogisticModel](logistic{}), mechanismOf[LogisticModel](logisticMixing{}), mechanismOf[MultinomialModel](multinomial{}),
		mechanismOf[LogisticModel](objectivePerturbation{}), mechanismOf[ReportedLogistic](reportedLogistic{}), mechanismOf[RateModel](poisson{}),
		mechanismOf[LocalModel](localTraining{}), mechanismOf[UnboundedModel](unboundedLinear{}), mechanismOf[MeanEstimate](unboundedMean{}),
		mechanismOf[Moments](secondMoment{}), mechanismOf[Moments](secondMoment{Central: true}),
	}
}

// knownVariants are the structs that a parameter of an interface type may hold.
func knownVariants(t reflect.Type) []any {
	switch t {
	case reflect.TypeFor[Loss]():
		return []any{LogLoss{}, SquaredHinge{}, SquaredLoss{}, HuberLoss{}, SoftmaxLoss{}}
	case reflect.TypeFor[Solver]():
		return []any{FullBatch{}, PoissonSampling{}, WithoutReplacement{}, ByIteration{}}
	}
	return nil
}
