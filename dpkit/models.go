package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
)

// Reader is how a model reads raw rows: the public maps that lead to its columns. It is part of
// the model; that of one which was released without prediction is empty.
type Reader = models.Reader

// Provenance is where a model came from, as its release noted: it goes with the model into a file. The zero Provenance, of a
// model that no release made, promises nothing.
type Provenance = models.Provenance
