package steps

import "github.com/dpkit-go/dpnb/dpkit/stage"

// PricedStep is a step at its place in a chain, with what it does there.
type PricedStep struct {
	stage.Stage
	stage.Propagation
	Step stage.Preprocessor
}

// A Follower is a step whose price, or whether it makes sense, depends on the steps before it. The engine of
// a chain calls it behind Propagate, of steps of this module alone: what is before it is no other step's to read.
type Follower interface {
	stage.Preprocessor
	Follow(before []PricedStep, st stage.Stage, pr *stage.Propagation) error
}
