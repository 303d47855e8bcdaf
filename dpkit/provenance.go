package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
)

// Provenance is where a model came from, as its release noted: it goes with the model into a file. The zero Provenance, of a
// model that no release made, promises nothing.
type Provenance = models.Provenance
