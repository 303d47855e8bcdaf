// Package pgcopy reads the rows of a query on PostgreSQL by COPY in its binary form, over pgx: as sqlsource does by database/sql, two to three
// times as fast. Rows, fingerprints and errors are the same.
package pgcopy
