package accountant

import "fmt"

// An Event is one private release, priced. It is a value that owns its curves;
// combinators ([Compose], [Repeat]) are events too.
type Event interface {
	// RDP returns an upper bound on the Rényi divergence, in both directions, under rel.
	// An event that was priced for another relation returns an error that wraps [ErrNeighbours].
	RDP(rel Neighbours) (Curve, error)
	// String names the event and its parameters on one line.
	fmt.Stringer
}

// A Profiler is an Event whose privacy profile δ(ε) is known exactly, up to rounding upward.
// A combinator whose parts have none returns an error that wraps [ErrNoRoute].
type Profiler interface {
	Profile(rel Neighbours) (Profile, error)
}

// A GDPer is an Event that is dominated by one shift of a Gaussian: it is μ-GDP
// (Dong, Roth, Su 2022) up to a total-variation distance tv between the sampler's law and
// the Gaussian law. Composition of such events is exact: μ² and tv add. A combinator with other
// parts returns an error that wraps [ErrNoRoute].
type GDPer interface {
	GDP(rel Neighbours) (mu, tv float64, err error)
}
