// Package attack searches for pairs of neighbouring datasets on which the bounds that a preprocessing step states are broken,
// and for those that come nearest to breaking them.
//
// A [Subject] is a step, or a chain of steps, on one public domain: how a pair state moves through it, and what it makes of the
// two sides of a pair. [Search] draws structured pairs (blocks of different magnitude, ties and near ties, repeated, ordered and
// collinear rows, rows at the boundaries of the domain, missing cells on one side, single outliers, alternating extremes,
// subnormals), with the free row anywhere and the rows in blocks of any size. It tries round numbers and both sides of the points
// where the subject jumps, climbs from the best pairs, and tries those again with many rows. On every pair it measures what the
// step claims: the displacement of the common rows in three norms, how many moved, how far the free row did, which rows are free,
// the norm and the domain of each row, the columns in which common rows differ, the labels, and how far the answers to the step's
// private queries move. A claim that does not hold is a [Breach], which names the pair. What was attained of each claim is a share
// of it: a floor on the share shows that the claim is tight and that the search has teeth.
//
// Pairs that attained much are stored in a [Corpus] and replayed first, so that what one search has found no later one loses.
//
// The package knows nothing of how steps are made: it serves the steps of dpkit and, through package stagetest, those of others.
package attack
