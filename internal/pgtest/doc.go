// Package pgtest runs a PostgreSQL server of Debian's package for tests of modules beside this one: a cluster of its own in a temporary folder, which listens
// on a socket there alone. It needs no driver.
package pgtest
