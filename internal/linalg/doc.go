// Package linalg has the hot kernels, and small dense routines on row-major matrices: an n×n matrix a is a slice of n²
// numbers with a[i*n+j] in row i, column j. Routines check shapes and return errors; they never change their
// arguments. Texts of errors name shapes, never entries.
package linalg
