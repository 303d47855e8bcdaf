// Package cells turns what a database has in a column into the cells of a schema.
package cells
