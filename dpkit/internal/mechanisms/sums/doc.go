// Package sums releases sums over rows with noise, and what is made of them: counts, histograms, sums and means; and quantiles, by
// the exponential mechanism over exact ranks.
package sums
