// Package sketch holds what GaussMix of package dpkit releases, as a data set that can be asked again and again at no cost: a [Sketch]
// is the Gram matrix of a private Gaussian sketch of rows. It regresses any of its columns on any others and finds principal
// components, with the noise that it knows of taken off, and is stored as JSON with what it promises.
//
// All of it is post-processing of one release. Cells reach it through dpkit.Sketch, and import this package only to name what its
// methods return.
package sketch
