// Package notebooks holds the working notebooks and, below it, the toolkit for them.
package notebooks
