// Package sqlsource reads the rows of a query on a database as a source of private rows, over database/sql: the driver is the caller's.
//
// It is a module of its own, so that who reads no database needs none of its dependencies. [Open] streams the rows of a [Query] at every
// pass, [Read] loads them into memory. Rows are held to the schema as those of files are, and have the same fingerprint as the same rows in
// any other format. What a database says of itself (types, constraints, how many rows there are) is believed nowhere: all rows pass
// [frames.Check].
//
// In a transaction of the caller's that sees one state and writes nothing ([Snapshot]), tables by groups (Pipeline.By of package dpkit: counts,
// sums, means, shares, variances) that stand behind no step are added up by the database, on PostgreSQL and SQLite: the same integers, and so the same bits, as
// by the rows. Noise is drawn here, behind the charge. Quantiles, people, and whatever stands behind a step, a bound on contributions too, are
// computed from rows: which rows of a person are kept is told by a hash under a key, which no database has.
//
// Tested with PostgreSQL and SQLite; what it sends is plain SQL. Package pgcopy, beside this one, reads PostgreSQL faster.
package sqlsource
