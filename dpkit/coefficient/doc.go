// Package coefficient says how far noise may have moved the coefficients of a released model: an [Uncertainty] has an interval for each
// of them, or why signs and sizes cannot be read. A [Law] is what a model carries for that.
//
// All of it is post-processing. Cells reach it through the method Uncertainty of models, and import this package only to name what that
// returns.
package coefficient
