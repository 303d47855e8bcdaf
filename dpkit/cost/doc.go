// Package cost is what a plan of package dpkit costs, as a table: [Plan] is what Cost of a plan returns, with an entry for each
// [Step] of the chain, for each private [Query] that a step asks and for the [Release] at the end; [Comparison] is what Compare
// returns. All of it is made of public facts: no row is read for it.
//
// Programs that only print a cost do not import this package.
package cost
