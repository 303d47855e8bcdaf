// Package pgtest runs a PostgreSQL server of Debian's package for the tests of a package: a cluster of its own in a temporary folder, which listens
// on a socket there alone.
package pgtest
