// Package rows is the code that loops over rows: blocks and chunks of them, tables in memory and mapped while they are read,
// passes whose states merge and can be written, exact sums, order statistics, Gram matrices, clusters of near rows.
//
// What it computes has the same bits for any number of processors, from memory and from a file.
package rows
