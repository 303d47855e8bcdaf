// Package pgtest connects the tests of this module to the server that the core's package of that name runs.
package pgtest
