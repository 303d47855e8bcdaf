package federated

import (
	"context"
	"errors"
	"fmt"

	"github.com/dpkit-go/dpnb/accountant/ledger"
	"github.com/dpkit-go/dpnb/dpkit"
)

// Join takes part in a training as a node: it releases p.TrainLocally(o) with the coordinator at the other end of the link, and
// returns what the node has released. The node's session decides what may be spent: its ledger is charged for all rounds before
// the first answer. Where the release is replayed from the ledger, the recorded answers are told again.
//
// The ledger stays locked for the whole conversation: every node has one of its own. (Two nodes on one ledger would wait for each
// other until ctx ends. A project's ledger above them may be shared.) A training that ends early has been paid for; to train again
// is a release of other Rounds or parameters, or a Fresh one.
//
// Errors are those of Release, and of the link. The other side is told only that the node gave up, and whether its budget
// or a private test was the cause: both are public.
func Join(ctx context.Context, link Link, p dpkit.Pipeline, o Training) (dpkit.Result[Model], error) {
	c := remote{link}
	r, err := p.TrainLocally(o, c).Release(ctx)
	if err == nil && r.Replayed {
		err = r.Value.Replay(ctx, c)
	}
	if err != nil {
		text := "the node gave up"
		switch {
		case errors.Is(err, ledger.ErrBudget):
			text = "the node's budget does not cover the training"
		case errors.Is(err, dpkit.ErrTestFailed):
			text = "the node's private test did not pass"
		}
		if !errors.Is(err, ErrPeer) { // which listens no more
			farewell(ctx, link, text)
		}
		return r, fmt.Errorf("federated: node: %w", err)
	}
	return r, nil
}

// remote is the coordinator at the other end of a link.
type remote struct{ link Link }

func (r remote) Begin(ctx context.Context, f Facts) error {
	return r.link.Send(ctx, Message{Kind: KindFacts, Facts: &f})
}

func (r remote) Point(ctx context.Context, round int) ([]float64, error) {
	m, err := r.link.Receive(ctx)
	if err != nil {
		return nil, err
	}
	switch {
	case m.Kind == KindError:
		return nil, fmt.Errorf("federated: %w: %.200q", ErrPeer, m.Text)
	case m.Round != round, m.Kind != KindPoint && m.Kind != KindDone:
		return nil, fmt.Errorf("federated: got %.20q of round %d, want a point of round %d: %w", m.Kind, m.Round, round, ErrMessage)
	}
	return m.Vector, nil
}

func (r remote) Answer(ctx context.Context, round int, gradient []float64) error {
	return r.link.Send(ctx, Message{Kind: KindGradient, Round: round, Vector: gradient})
}
