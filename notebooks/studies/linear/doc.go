// Package linear compares private linear and logistic regression on real data sets, over many releases of each: the methods of
// package dpkit with the two that Lev et al. 2025 (The Gaussian Mixing Mechanism) compare in their Figures 2 and 4, at
// the constants that they print. The results of the full setting are part of the package ([Stored]); the command
//
//	DPNB_DATA=… go run ./notebooks/studies/linear/cmd/linear
//
// computes them again, in minutes.
//
// All methods get the same rows: scaled by the declared public bounds of each column, never by the rows themselves, with
// a constant feature, and the label by its public bounds. (The paper divides the training rows by their largest norm,
// and its code standardises them, both of which look at the rows and are not private.) Predictions of all methods are clamped
// to the label's bounds. Releases are drawn by demonstrations: from a seed, hence not private.
package linear
