// Package function keeps the functions of numbers that programs registered, by name and version: what the rows of a
// dpkit.Pipeline.Mutate call, and what a stored row map names.
package function
