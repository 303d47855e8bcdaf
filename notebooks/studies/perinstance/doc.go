// Package perinstance is the study behind notebooks/per_instance.ipynb: what releases of logistic and linear regression
// cost each person, and what a privacy report tells them (Redberg, Wang 2021, "Privately Publishable Per-instance Privacy",
// Figures 4 to 10), with the corrected reports and the noise of this library.
//
// The file printed.go and its siblings are the comparison behind notebooks/papers/003_per_instance.ipynb: the report as printed beside ours, on the
// same releases.
//
// Run both in full, about four minutes of a processor, with
//
//	DPNB_DATA=… go run ./notebooks/studies/perinstance/cmd/perinstance
//
// and the comparison alone, half a minute, with -printed.
//
// Its sessions are demonstrations, its noise is reproducible, and it looks at losses that only a curator may see: nothing in it is
// private.
package perinstance
