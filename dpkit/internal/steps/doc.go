// Package steps holds the preprocessing steps, a step a file: what each does to the domain of the rows, to the pair state of the
// stability calculus, and to the rows. Chain methods of dpkit.Pipeline make them. docs/steps.md lists them all with what they cost.
package steps
