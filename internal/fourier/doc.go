// Package fourier has the transform of real sequences that compositions of privacy losses are convolved by: the algorithm of
// FFTPACK (Swarztrauber 1982) with the roundings of gonum's dsp/fourier, so that it gives the same bits, in loops over rows that lie
// in one piece, which take a part of the time.
package fourier
