// Package flock takes locks of files that others heed who ask for them, and that go when the process ends, however it ends.
package flock
