// Package printed holds the bounds that Hu, Sanyal, Schölkopf 2024 (Provable Privacy with Non-Private Pre-Processing) print, beside
// corrected ones: their Table 2 cell by cell ([Table2]), and what is known to be false of each. They are for teaching, and no number
// here is a guarantee: it holds at best for datasets with properties that nobody checked, see [Setting]. What chains of steps cost is
// told by [github.com/dpkit-go/dpnb/dpkit].
package printed
