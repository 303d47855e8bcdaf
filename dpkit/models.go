package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
)

// Reader is how a model reads raw rows: the public maps that lead to its columns. It is part of
// the model; that of one which was released without prediction is empty.
//
// Its fields:
//
//	// Schema is that of the training rows: a row to predict has its features, in order, with the same levels.
//	Schema frames.Schema
//	Maps   stage.RowMap
//
// Its methods:
//
//	Evaluate(ctx context.Context, src *frames.PublicFrame, coef []float64, intercept float64, link func(float64) float64) ([]float64, error)
//		Evaluate returns link(⟨coef, z⟩ + intercept) for every row z that the maps make of src, in order.
//	Open(s frames.Schema, columns int) (stage.Transform, error)
//		Open returns the map from raw rows of schema s to the model's columns.
type Reader = models.Reader

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
//
// Its methods:
//
//	Check() error
//		Check reports a provenance that promises what cannot be, as only a damaged file does.
type Provenance = models.Provenance
