// Package datasets holds the public schemas of well-known datasets, their loaders, and generators
// of synthetic look-alikes for when the files are not at hand.
package datasets
