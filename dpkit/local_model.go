package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
)

// LocalFacts are what a node tells of itself: public parameters, and what it has released.
type LocalFacts = models.LocalFacts

// A Coordinator leads the training: it is asked for a point and told the answer.
type Coordinator = models.Coordinator

// LocalModel is what a node releases: the model at the last point, and every answer that it gave.
type LocalModel = models.LocalModel
