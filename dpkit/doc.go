// Package dpkit is the fluent chain: private data in, a priced private release out.
//
//	s, err := dpkit.Create(frame, dpkit.Options{Ledger: "adult.ledger", Budget: budget, Neighbours: dpkit.ReplaceOne})
//	plan := s.Data().OneHot().Impute(dpkit.Mean{}).Scale().FitLogistic(dpkit.ByGradient{Epsilon: 1, Delta: 1e-6})
//	cost, err := plan.Cost()      // public facts only, no row is read
//	result, err := plan.Release(ctx)
//
// A [Pipeline] is an immutable value: every method returns a longer copy, so chains may share a
// prefix. Chain methods do not return errors; Cost, Explain and Release report every wrong step
// with its position.
//
// # What is guaranteed
//
// A [Result] carries one end-to-end guarantee. It prices the steps that looked at private rows
// without noise (imputation by means, for instance) through the stability calculus: a worst-case
// pair of neighbouring datasets is followed through the chain as a [pair.State], and the
// mechanism at the end is calibrated to what arrives there. Constants come from the schema and
// from public parameters, never from rows. The ledger is charged durably before a row is read.
//
// # The ledger
//
// A session is for one dataset: the first release that reads a column binds its ledger to the column's cells and declaration,
// and other rows need a ledger of their own, or a name as another version of the same people's data ([Options].Version).
// [Options].Project charges several datasets to one budget as well. A ledger that was deleted, replaced or
// put back from an old copy is noticed and charges nothing; see package ledger.
//
// The same release again is replayed at no cost. It is the same where all of these are the same: the columns that the plan
// reads, the number of rows, the relation, every step and parameter, the law of each step's kind and the name. Other columns,
// their declarations, the files and the code may change. A plan is text ([Plan].String), which the ledger holds and [Parse]
// reads back.
//
// A plan reads the columns that its release is made of, those of its conditions and groups, and the person. A step that is
// fitted to rows, or reads a row as a whole ([Pipeline.Scale], [Pipeline.Dedup]), reads all columns that are there: put
// [Pipeline.Select] before it. [Pipeline.PerPerson] and [Pipeline.Bound] treat rows as if the columns that the plan does not
// read had been dropped. So two plans may keep different rows of a person; the plans of one [Together] keep the same.
//
// # Several releases under one budget
//
// [Together] makes one release of several plans: one (ε, δ), parted by their weights, one charge, all values or none.
// [Session.Plan] finds the least (ε, δ) for plans that say how far off each may be. What was released together is under the
// guarantee of all.
//
// # Tables larger than memory
//
// A session stands on a [frames.Frame], or on a [frames.File] or another source under [frames.Check], which are read anew
// whenever rows are needed. A table of at most 512 MB ([Session.Memory]) is held, which each step writes over; of a larger
// one each fitted step reads the rows once (means, filters) or twice (trimmed means), and the
// mechanism once, [Pipeline.FitLogistic] and [Pipeline.FitConvex] once a step. [Pipeline.Bound] and [Pipeline.PerPerson] read them once
// for every so many people as may be held with all their rows, and hold what they make of them. Opening a file is one more pass, which also
// makes its fingerprint. Releases have the same bits either way, and for any number of processors.
//
// # Columns without bounds
//
// Bounds of columns are what sensitivities come from. Columns that nobody can bound are declared [frames.Unbounded], and
// everything that rests on bounds refuses them. [Pipeline.SecondMoment], [Pipeline.Covariance],
// [Pipeline.FitUnbounded] and [Pipeline.UnboundedMean] read them, private for every dataset and accurate for rows
// with tails as Gaussian ones; so does [Pipeline.Quantile]; [Pipeline.ClipColumns] gives them bounds.
//
// # What a release cost each person
//
// [Pipeline.FitLogisticWithReport] publishes, under the same guarantee, a function that tells every person a bound on their own
// privacy loss. [Plan.Audit] tells the curator the losses themselves: the one thing that depends on the data and leaves a session
// without a release. It leaves sealed (see package pdp), is stored nowhere, and is not for publication.
//
// # What is not
//
// Fitted preprocessing parameters are not private. They have the type [stage.NonPrivate], which cannot
// be printed, stored or used to predict; a step that is needed for prediction is either public or
// has a public stand-in. Timing and memory use are not covered, nor what the caller learns by
// looking at the rows in other ways.
//
// The number of rows is public under both relations. Under [AddRemove] a row is zeroed out of a table
// of public size: its place stays, it contributes nothing, and the count is printed and sets the
// noise and the steps. That relation does not hide how many rows a table has, and it is not about a row
// that is deleted from the file: that file is other data, with another public number of rows.
//
// A chain with a step of the caller's own is as good as what that step reports; see [stage.Preprocessor].
//
// The bounds that steps and mechanisms report are stated and proved in docs/theory. What costs and results cite as the stability
// calculus is docs/theory/calculus.md#1-the-pair-state and what follows it there.
package dpkit
