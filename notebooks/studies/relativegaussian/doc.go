// Package relativegaussian is the study behind notebooks/relative_gaussian.ipynb: the two-node training of Hendrikx, Mangold, Bellet
// 2025, "The Relative Gaussian Mechanism and its Application to Private Gradient Descent", Figures 1 and 2, on ijcnn1, with the
// constants that the paper prints and with corrected ones.
//
// Run the full study, about three minutes of a processor, with
//
//	DPNB_DATA=… go run ./notebooks/studies/relativegaussian/cmd/relativegaussian
//
// It is a simulation: like the paper's, its parameters (clipping thresholds, sensitivities, the step size) are read off the data,
// and its noise is reproducible. Nothing in it is private. The program in cmd/twonodes is: real nodes with real ledgers.
package relativegaussian
