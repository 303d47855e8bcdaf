package steps

import (
	"context"

	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// Broken is a step whose arguments were wrong when it was added: Check says so.
type Broken struct {
	Name string
	Err  error
}

func (b Broken) String() string { return b.Name }

func (b Broken) Check(in frames.Schema) (frames.Schema, error) {
	return in, b.Err
}

func (b Broken) Propagate(stage.Stage) (stage.Propagation, error) { return stage.Propagation{}, b.Err }

func (b Broken) Fit(context.Context, frames.Source, stage.Stage) (stage.Transform, error) {
	return nil, b.Err
}

// ReadsUnbounded says that no bound of a column enters.
func (Broken) ReadsUnbounded() {}

// LeavesTexts says that cells of texts are left alone, or name groups.
func (Broken) LeavesTexts() {}
