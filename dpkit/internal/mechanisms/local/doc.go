// Package local trains with a coordinator that sees noisy gradients alone, one holder of rows at a time.
package local
