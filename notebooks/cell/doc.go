// Package cell is for code in notebook cells: it ends a cell at an error with a sentence for people.
//
// A cell is a program of its own. Where it cannot go on, a panic buries the sentence that says why under the trace of a program
// that nobody wrote. [Check] and [Must] print the sentence once, and where the cell stands:
//
//	result := cell.Must(plan.Release(ctx))
//	cell.Check(viz.Result(result).Show())
package cell
