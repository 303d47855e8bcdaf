// Package query is what a chain asks of its rows privately before its end, and how any Gaussian release is priced: statistics with
// discrete Gaussian noise on a public grid, tests and private bounds of numbers that a price rests on (certificates), the target of a
// release, and its bill.
package query
