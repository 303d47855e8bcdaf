package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
)

// Reader is how a model reads raw rows: the public maps that lead to its columns. It is part of
// the model; that of one which was released without prediction is empty.
type Reader = models.Reader
