// Package stage is the kit for authors of preprocessing steps: what a step is told of its place in a chain, and what it
// answers.
//
// A step is a struct of exported parameters with three methods ([Preprocessor]): Check maps the public domain of the rows,
// Propagate moves the pair state of the stability calculus ([github.com/dpkit-go/dpnb/accountant/pair], docs/theory/calculus.md#the-pair-state)
// and lists the constants that the move rests on, Fit reads the rows and returns the map to apply to each of them, mostly by [ByRow]. A step that
// prediction can apply too is a [Deployer]. [Register] makes it known by name, so that releases behind it can be told apart,
// stored as text and replayed. dpkit.Pipeline.With puts it into a chain; package stagetest attacks its bounds.
//
// What a step learns from rows without noise it wraps by [Hide]: nothing prints or stores it. Numbers that bounds are made of
// are rounded up by [Up] and [UpSum]; [Rounding] bounds what floating point adds to the distance of two rows.
package stage
