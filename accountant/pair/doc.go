// Package pair is the stability calculus: how far a chain of data-dependent preprocessing steps moves two neighbouring
// datasets apart, and what a release on such a pair costs.
//
// A mechanism is priced for neighbours that differ in one row. A step that is fitted to the data (a mean that fills gaps, a
// scale, a projection) changes the rows that both datasets have as well, each by little. A [State] bounds both at
// once: F free rows, of which nothing is known, and displaced rows by their number M and the ℓ1, ℓ2 and ℓ∞ norms T1, TF and TInf
// of their displacements. [Start] is the state of the data as they came, [StepBounds] are the public constants of one
// step, and [State.Propagate] is the state after it (docs/theory/calculus.md#theorem-1-propagation). [State.Group] frees further rows where
// a step is not continuous.
//
// A release is priced on the last state. A [Query] says what one row contributes to a sum and how that moves with the row;
// [GaussianOn], [LaplaceOn], [ExponentialOn], [SubsampledGaussianOn] and [SGDIterationOn] return the event of package accountant
// whose cost covers the free and the displaced rows together. [GaussMixOn] does so for a sketch, and [GramSensitivity] for
// the matrix of second moments. Other mechanisms go by [accountant.SmoothRoutes].
//
// # What it guarantees
//
// Every bound is rounded up, so that a state holds all the pairs that the exact one does; [State.Close] only leaves out
// what no pair of datasets attains. Nothing in a state depends on the data: rows, radii and constants are public.
//
// # What it does not
//
// It believes the constants of a step. One that holds for nice data alone makes every later number wrong; see [StepBounds].
package pair
