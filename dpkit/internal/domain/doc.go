// Package domain looks at the public domain of rows, a schema, as steps and mechanisms do: units of columns (a number, or the
// block of 0/1 columns that encodes one category), and checks that say what stands in the way.
package domain
