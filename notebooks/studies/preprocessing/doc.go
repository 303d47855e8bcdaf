// Package preprocessing is the study behind the experiment of notebooks/papers/004_preprocessing.ipynb: Figure 3 and Table 4 of Hu,
// Sanyal, Schölkopf 2024 (Provable Privacy with Non-Private Pre-Processing), logistic regression behind PCA on rows of low rank, on
// a substitute for the paper's rows, with the price of PCA left out, as printed, and corrected, and with what needs no promise; behind
// PCA in all columns and in the fitted coordinates, inside a ball around the model and without it.
//
// The results of the full setting are part of the package ([Stored]); the command
//
//	go run ./notebooks/studies/preprocessing/cmd/preprocessing
//
// computes them again, in about three minutes of a processor. The rows are generated: nothing has to be downloaded.
//
// Sessions are demonstrations: reproducible from the seed, hence not private, and the same numbers come out again.
package preprocessing
