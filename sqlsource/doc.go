// Package sqlsource reads the rows of a query on a database as a source of private rows, over database/sql: the driver is the caller's.
//
// It is a module of its own, so that who reads no database needs none of its dependencies. [Open] streams the rows of a [Query] at every
// pass, [Read] loads them into memory. Rows are held to the schema as those of files are, and have the same fingerprint as the same rows in
// any other format. What a database says of itself (types, constraints, how many rows there are) is believed nowhere: all rows pass
// [frames.Check].
//
// Tested with PostgreSQL and SQLite; what it sends is plain SQL. [github.com/dpkit-go/dpnb/sqlsource/pgcopy] reads PostgreSQL faster.
package sqlsource
