package steps

import "github.com/dpkit-go/dpnb/dpkit/stage"

// LeaveOut says whether a chain without the step is of interest, whether it is listed alone, and why. A model of raw rows answers the same
// question behind any chain; what else is released would tell of other rows. What a step is good for that rests on its author's knowledge
// of the columns no reference population tells.
func LeaveOut(step stage.Preprocessor, model bool) (note string, listed, ok bool) {
	switch step.(type) {
	case ExactDedup, GridDedup, BallDedup:
		return "it changes the question: near duplicates then count as often as they stand", true, true
	case BallQuantize, Quantize, CellMeans:
		return "it changes the question: rows then count where they are", true, model
	case ClipColumns, PublicWinsor, PrivateWinsor:
		return "the bounds that the columns have without it: nothing is clamped, and noise is for all that they allow", true, true
	case Scale, Standardize, PrivateScale, Centering, MaxAbs, ClipNorm, Spectral, CentredSpectral, Projector, PrivatePCA,
		SoftSelection, SmoothWinsor, Indicate:
		return "", false, model
	}
	return "", false, false
}
