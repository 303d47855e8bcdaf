// Package linear releases second moments and what is made of them: linear regression by several methods, Gram matrices and
// Gaussian sketches.
package linear
