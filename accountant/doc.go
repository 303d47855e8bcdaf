// Package accountant prices private releases: events, Rényi curves, exact profiles,
// the pair state of the stability calculus, conversion and calibration.
package accountant
