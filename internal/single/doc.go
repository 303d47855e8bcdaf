// Package single is for tests that run in one goroutine: they hold no race, and the race detector would slow them tenfold for nothing.
package single
