// Package gomod makes modules that stand beside a project and build against its folder: that of a notebook's kernel, and that of an
// export. Such a module is a copy of the project's go.mod with the edits that [File.Edits] lists.
//
// It has no dependencies beyond the standard library: package nb carries its source with that of cellgo.
package gomod
