package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
)

// Noise is the law of the noise that a release adds.
type Noise = query.Noise

const (
	// NoiseGaussian is the default of most targets. It needs a δ.
	NoiseGaussian = query.NoiseGaussian
	// NoiseLaplace gives pure ε: leave δ at 0. Sensitivities are in the L1 norm, so that it pays for
	// few numbers at a time: one count, one column. A ledger adds up in Gaussian DP and charges the
	// Gaussian that dominates the release ([accountant.GDPOf]), which is dear: beside other
	// releases Gaussian noise of the same charge is smaller, and pure ε = 1 takes what (5.1, 1e-6)-DP takes.
	NoiseLaplace = query.NoiseLaplace
	// NoiseGeometric is Laplace's law on the integers, of pure ε, for counts and histograms alone: the error of Laplace noise at small ε, and
	// less at large (Ghosh, Roughgarden, Sundararajan 2012). Leave δ at 0.
	NoiseGeometric = query.NoiseGeometric
)

// Target is the (ε, δ) of one release. It has no defaults. Without a law of noise it is Gaussian noise; in a ledger that keeps a part of
// its ε for releases of pure DP ([Options].Pure), sums and means get Laplace noise at the same ε, without δ, and counts and histograms
// geometric noise, where that is predicted to be off by less and the ledger was made to charge no more for it. While that part has room
// they are charged there, and with Gaussian noise when it is full. The plan's text and what is released say the law; a law that is asked
// for is taken.
//
// Its fields:
//
//	Epsilon, Delta float64
//	Noise          Noise // "": see above
//	// Margin and Level ask for the least ε in place of one: see Within.
//	Margin, Level float64
//
// Its methods:
//
//	Check() error
//		Check reports a target that its noise cannot meet.
//	Within(margin, level float64) Target
//		Within is the target of the least ε for which the noise on every number of a release is within margin, in its units,
//		with probability level each.
type Target = query.Target

// A Certificate is a number that the price of a step rests on, with the ground on which it may be
// used. What was merely observed on private rows has no ground: a bound that rests on it promises
// nothing to neighbouring datasets on which the number is another. The zero value is none.
//
// Its methods:
//
//	Given() bool
//		Given says whether there is a certificate, of whatever ground; the zero value is none.
//	Ground() stage.Origin
//		Ground says on what the number may be used; "" for none.
//	Known() bool
//		Known reports whether there is a value to rest on.
//	Tested() Tested
//		Tested is the price of the test or of the private bound; zero where nothing is asked.
//	Value() float64
//		Value is the number; 0 for one that is not known yet.
type Certificate = query.Certificate

// Declare certifies v by a promise of the caller, known before the rows were seen: from the law, from
// the way in which the data was collected, from public data. The guarantee becomes Conditional and
// names it.
//
// A number that you observed on the private rows is no such promise, and neither is one that you read
// off a release: it holds for these rows, and nothing is known of their neighbours. Ask for it with
// [Bound], or test it. What the steps of a chain learn is a [stage.NonPrivate] value, which no conversion
// turns into a float64: the compiler refuses it here.
func Declare(v float64) Certificate { return query.Declare(v) }

// Test certifies v by propose-test-release: a noisy test on the rows decides whether v holds with
// room to spare, and the release is refused with [ErrTestFailed] if not. The test is paid for either
// way, and the guarantee is Tested.
//
// The noise is Gaussian, where Dwork and Lei (2009) add Laplace noise: it composes exactly with the noise
// of the release, by μ², so that a share of the budget is all that a test needs to be given, and at the
// failure probabilities of use it asks for less room at the same price.
func Test(v float64, t Tested) Certificate { return query.Test(v, t) }

// Bound certifies a number by asking for it privately: the released bound holds with probability
// 1 − Delta, and what follows is calibrated to it when it is known. It never refuses. Cost shows the
// worst case; the result shows the price with the number that came out. The guarantee is Tested.
func Bound(t Tested) Certificate { return query.Bound(t) }

// Tested is the price of a test or of a private bound, taken from the target of the release that it belongs to.
//
// Its fields:
//
//	Share float64 // of the squared noise parameter μ² (of the zCDP ρ) of the release, in (0, 1); no default
//	Delta float64 // δ₀: probability that the test passes wrongly, a part of the release's δ; no default
type Tested = query.Tested
