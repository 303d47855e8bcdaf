package models

import (
	"errors"
)

// ErrRefused is returned by a model whose release said that its coefficients are not to be used.
var ErrRefused = errors.New("the released moments do not determine the model")
