// Package bundle joins programs of one file each, as a kernel makes them of the cells of a notebook, into programs of several: each is
// compiled and linked once, and a process of it does what one of its cells says. A cell joins others where that cannot show; package
// kernel builds the others alone.
package bundle
