// Package shape finds the columns of a schema and of a key in a query.
package shape
