// Package frames holds data: typed columns with a public schema (the domain of every column),
// loaders, encoders and streaming sources.
package frames
