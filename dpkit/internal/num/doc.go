// Package num computes with numbers and rows as steps, row maps and mechanisms do: norms that do not underflow, clamps, projections,
// missing cells, and the sizes that parameters may have.
package num
