// Package grouped writes a [frames.Grouping] as one query that groups and adds up where the rows lie, with the integers that the rows would give.
package grouped
