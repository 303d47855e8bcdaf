// Package parquet reads tables of Apache Parquet files as sources of private rows, and writes released tables.
//
// It is a module of its own, so that who reads no Parquet needs none of its dependencies. Importing it makes [frames.Open] read .parquet,
// .parq and .pq:
//
//	import _ "github.com/dpkit-go/dpnb/parquet"
//
// [Open] streams files of any size, [Read] loads them into memory, [Write] writes what was released with its guarantee. Rows are held to
// the schema as those of text files are, and have the same fingerprint as the same rows in any other format.
package parquet
