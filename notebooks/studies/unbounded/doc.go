// Package unbounded is the study behind notebooks/unbounded.ipynb: how well linear regression does when nobody can
// bound the rows, against the number of rows and columns, the condition number and ε, beside AdaSSP on clipped rows.
//
// Run the full study, about five minutes of a processor, with
//
//	DPNB_DATA=… go run ./notebooks/studies/unbounded/cmd/unbounded
//
// Its sessions are demonstrations: reproducible from the seed, hence not private, and the same numbers come out again.
package unbounded
