// Package linalg has the hot kernels, and small dense routines on row-major matrices: an n×n matrix a is a slice of n²
// numbers with a[i*n+j] in row i, column j. Routines check shapes and return errors; those without an argument dst or
// sums never change their arguments. Texts of errors name shapes, never entries.
//
// The kernels are in assembly for AVX2 with FMA and for AVX-512F, made by gen.go with its gen_*.go, and in Go; the processor decides at
// the start. The build tag purego leaves the assembly out. Results differ between processors within the stated
// bounds of rounding, and have the same bits for any number of workers on one; those of [Symmetric] and [AddRounded] are the same
// on all.
package linalg
