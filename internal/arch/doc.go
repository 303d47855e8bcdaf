// Package arch holds the project's import rules as a test.
package arch
