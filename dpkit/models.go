package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
)

// Provenance is where a model came from, as its release noted: it goes with the model into a file. The zero Provenance, of a
// model that no release made, promises nothing.
//
// Its fields:
//
//	Release string // the mechanism and its parameters
//	// Guarantee is that of the release; nil for a model that is not private.
//	Guarantee *accountant.Guarantee
//	// NotPrivate is empty for a private release; otherwise it says why the model is not private.
//	NotPrivate string
type Provenance = models.Provenance
