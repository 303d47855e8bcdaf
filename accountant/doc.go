// Package accountant prices private releases.
//
// An [Event] is one release with its cost: a Rényi curve ([Curve]) always, a privacy profile
// ([Profiler]) or domination by one Gaussian ([GDPer]) where they are known. [Compose] and
// [Repeat] build events from events. [EpsilonOf] and [DeltaOf] take the best of all routes that
// hold for an event and name it; [CalibrateGaussian] goes the other way, from a [Budget] to noise.
// [Calibrate] does so for any event with a monotone parameter. [Explain] shows what each part of an event
// costs, [Marshal] and [Unmarshal] store events, and a [Filter] or an [Odometer] follows
// events that are chosen from the outputs of earlier ones.
// [GaussMix], [ModifiedGaussMix], [RelativeGaussian] and [ObjectivePerturbation] price mechanisms whose noise is
// not added to a sum, and come with their own calibrators.
//
// Data-dependent preprocessing moves rows that neighbouring datasets share. How far is what the package
// [github.com/dpkit-go/dpnb/accountant/pair] follows; it prices a release on such a pair of datasets directly. For mechanisms
// that it does not, [SmoothRoutes] offers the [WeakTriangle] and the [Group], and a guarantee names the route that won.
//
// # Map
//
//   - What is promised: [Budget], [Guarantee], [Neighbours], the [Unit] that is protected, [Scope] and [ScopeKind]; [Explanation].
//   - What is known of an event: [Event] with its [Curve]; [Profiler] with its [Profile]; [GDPer], [ZCDPer] and
//     [ApproxRDPer]; [Dominated] with its [LossLaw] and the [LossDistribution] of a composition, which [BestOptions]
//     tune.
//   - Additive noise: [Gaussian], [DiscreteGaussian], [Laplace].
//   - Selection and local reports: [Exponential], [RandomizedResponse]. Keys that nobody lists: [GaussianThreshold].
//   - Known by their guarantee alone: [PureDP], [ApproxDP], [ZCDP], [TCDP], [RDPTable], [NonPrivate].
//   - Gradient descent: [SubsampledGaussian] with [Sampling], [SamplingKind] and [DisplacedRows], [SubsampledGroup],
//     [SGDIteration]; an [SGDPlan] for calibration.
//   - Sketches and models: [GaussMix], [ModifiedGaussMix], [ObjectivePerturbation] with [GLMLoss], [LogisticPerturbation], [GLMPerturbation],
//     [RelativeGaussian] with [LeastSquaresGradient], [SphericalPair], [NoiseComparison] and [FeatureChoice].
//   - After preprocessing: [SmoothRoutes], [Routes] and [NamedCurve] for what becomes of a release.
//   - While it runs: [Filter] with its [FilterKind], [Odometer]; a [Charge] is what a release takes of a budget in parts. [CalibratePLDOptions] tune a search for noise.
//
// An event that only a Gaussian outside a failure dominates is [Covered], by the bound that [CoverBy] names.
// Two relations meet in one composition through [AsReplaceOne] alone. A test that must pass before something is
// released passes at [TestThresholdLaplace] or [TestThresholdGaussian]; moments of rows without a public bound take
// [SecondMomentNoise], [MeanNoise] and [StabilityHistogram]. What one release cost one person is in the package pdp.
//
// # What it guarantees
//
// Every privacy loss and every bound on a displacement is rounded up, every calibrated noise lands
// on the safe side of its target and is priced again before it is returned. Every number belongs
// to a neighbouring relation, [ReplaceOne] or [AddRemove]; events priced for one are refused where
// the other is asked for.
//
// # What it does not
//
// It believes the sensitivities that it is given. A [Guarantee] holds within its [Scope] only, and
// for real-valued samplers up to what their event declares.
//
// Statements and proofs are in docs/theory, and comments cite them as docs/theory/calculus.md#theorem-1-propagation.
package accountant
