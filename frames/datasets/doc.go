// Package datasets holds the public schemas of well-known datasets and their loaders, and for Adult
// a generator of a synthetic look-alike for when the file is not at hand.
//
// A loader looks for its file in the folder that the environment variable DPNB_DATA names, and
// returns the frame and its origin, for printing beside results. Bounds and levels come from the
// published description of each dataset; where that has none they are round choices, clamped so
// that they hold for every row. None was read off the rows. The comments say which is which.
package datasets
