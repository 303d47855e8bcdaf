// Package pgcopy reads the rows of a query on PostgreSQL by COPY in its binary form, over pgx: as sqlsource does by database/sql, and faster
// (go test -bench Scan says by how much). Rows, fingerprints and errors are the same.
package pgcopy
