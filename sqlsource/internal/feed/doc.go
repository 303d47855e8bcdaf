// Package feed hands rows that one goroutine reads, as they come, to another that looks at them, in blocks that are used again.
package feed
