// Package stagetest attacks the bounds of a preprocessing step: of one that another module wrote for dpkit.Pipeline.With, whose
// Propagate a session believes. Call [Attack] in a test of the step, for each parameter that matters:
//
//	func TestMaxAbs(t *testing.T) {
//		stagetest.Attack(t, MaxAbs{Floor: 0.1}, stagetest.Floor(0.5))
//	}
//
// The attack draws pairs of neighbouring datasets that are structured as bounds break (blocks of different magnitude, ties and near
// ties, repeated, ordered and collinear rows, rows at the boundaries of the domain, missing cells on one side, single outliers,
// alternating extremes, subnormals, the largest and the smallest legal sizes), under both relations, with rows as they come and rows
// that an earlier step displaced, in columns and in the blocks that encode categories. The row that differs stands first, last or
// anywhere; rows are scanned in one block or in several; some datasets have thousands of rows. Cells lie at and beside the numbers in
// the step's fields, round numbers, and points where the step is seen to jump, which a bisection finds. The attack fits the step to
// both sides and compares what moved with what Propagate claims: the common rows in three norms, their number, the free row, norms,
// domains, the columns called clean, the labels. Then it climbs from the pairs that came nearest to breaking a claim.
//
// What it guarantees. A reported pair is a counterexample: the claim is wrong for it, or rests on a condition ([Within]) that it does
// not meet. What it does not: a search that finds none proves nothing; write the proof down too. [Floor] asks that the search come
// close, which shows that it has teeth and that the claim is not idle. A search that attains nothing of a claim shows nothing: it fails
// unless [Unattained] says why. What it does not see: a special case for one number of rows or for one place among thousands, and one
// for values in an interval narrower than a thousandth of a column that begins at no round number and at none of [Points].
package stagetest
