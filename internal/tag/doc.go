// Package tag is what a cell says to programs of the releases in it and of their ledgers. Tools that render notebooks sum up costs
// from it.
package tag
