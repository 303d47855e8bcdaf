// Package lab is what the studies share: the files that they measure on, the digits that they store, and the main function
// of their commands.
package lab
