// Package lab is what the studies share: the files that they measure on, and the digits that they store.
package lab
