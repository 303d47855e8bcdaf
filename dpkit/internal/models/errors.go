package models

import (
	"errors"
)

var (
	// ErrRefused is returned by a model whose release said that its coefficients are not to be used.
	ErrRefused = errors.New("the released moments do not determine the model")
	// ErrModelFile is returned for a stored model that cannot be read: another kind or version, or damaged.
	ErrModelFile = errors.New("not a model that can be read")
)
