package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/local"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
)

// TrainLocally answers a coordinator's questions with private gradients. Release charges the ledger for all rounds, then
// leads the conversation; if it ends early the charge stands. A release that is replayed has no conversation: see
// Replay of the model. The coordinator is no part of the release's identity: whoever asks, answers are private.
//
// Programs call Join of package dpkit/federated in place of this method: it is what leads the conversation over a link. That
// package has the types of the options (Training), of the coordinator and of the model.
//
//go:noinline
func (p Pipeline) TrainLocally(o local.Training, c models.Coordinator) Plan[models.LocalModel] {
	return newPlan[models.LocalModel](p, local.LocalFit{Training: o, Coordinator: c})
}
