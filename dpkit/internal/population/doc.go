// Package population predicts how good a model by a private fit is expected to be, on reference populations: from the number of rows
// and columns, the public bounds and the calibrated noise alone. Nothing here is part of a guarantee
// (docs/theory/mechanisms.md#what-a-model-is-predicted-to-be-worth).
package population
