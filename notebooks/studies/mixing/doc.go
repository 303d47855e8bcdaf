// Package mixing runs the regression algorithms of Lev et al. 2025 (The Gaussian Mixing Mechanism: Rényi DP via Gaussian Sketches) as
// they are printed, on the data of its Figures 2 and 4: five real sets and three simulated ones, prepared as the paper's text and its
// published code do. Beside them stand the methods of package dpkit on the same rows. notebooks/papers/000_gaussian_mixing.ipynb
// draws the results of the full setting, which are part of the package ([Stored]); the command
//
//	DPNB_DATA=… go run ./notebooks/studies/mixing/cmd/mixing
//
// computes them again, in about five minutes of a processor.
//
// Nothing in it is private: the paper divides the training rows by their largest norm and the labels by the largest label, crime is
// standardised by its own moments, and releases are drawn from a seed. Package linear compares the same methods on rows that are
// scaled by public bounds.
package mixing
