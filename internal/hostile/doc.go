// Package hostile is what no source may let in, and what none may take for one: tables of bad rows
// and of texts that differ, to which tests hold every reader of every module.
package hostile
