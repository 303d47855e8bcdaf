package domain

// Public defaults, in units of the norm bound R. They come from simulated logistic populations of
// 5e3 to 1e5 rows, and from nothing else.
const (
	DefaultMaxNorm  = 24
	DefaultClip     = 0.7
	InterceptHeight = 0.5 // c/R: a lower constant feature lowers ‖x̃‖ and costs little
	DefaultTravel   = 2.4
	MinSteps        = 10
	MaxSteps        = 400
	ManySteps       = 40 // enough for momentum
	MaxGain         = 8  // 1/(1 − m)
)

// PublicRidge is the L2 penalty of the fit on public data, relative to a row: small, so that it
// only makes the optimum unique.
const PublicRidge = 1e-6
