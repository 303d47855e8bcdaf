// Package progress carries, in a context, the function that a caller wants told how far a release has come.
package progress
