// Package linalg has the hot kernels.
package linalg
