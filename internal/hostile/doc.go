// Package hostile is what no source may let in: one table of bad rows, to which tests hold every reader of every module.
package hostile
