// Package beam makes releases of package dpkit over rows that lie in shards, by workers of Apache Beam.
//
// [Open] has every shard read once, where it lies, and returns a source for a session. The rest is as on one machine:
//
//	shards, err := beam.Open(ctx, "visits/part-*.csv", schema, beam.Options{Runner: "prism"})
//	s, err := dpkit.Create(shards, dpkit.Options{…})
//	r, err := s.Data().Impute(…).FitLinear(…).Release(ctx)
//
// Chain, price, ledger, identity and bits are those of the same shards behind one another in one process ([frames.Concat]): a release that
// was made there replays here, and the other way round.
//
// # Who does what
//
// The process that calls Release is the driver. It alone has the ledger: it charges before the first job, draws noise once, behind the last
// pass, and stores the value. A job is one pass: workers make the release anew from the text of its plan, up to the pass, accumulate a shard
// each, and return states, which merge. An element of Beam is a shard, never a row: a file, or a range of a query ([OpenRanges]). A bundle that fails and is made once more changes
// nothing, since workers draw nothing. They see no ledger and no key of one: rows are hashed without a key where they lie, and named under the
// ledger's key on the driver. Where a plan makes rows of people they are told a key that is made of the ledger's, as rows are kept by it, and the
// rows of a person meet by a GroupByKey, in blocks of many rows; not so where Options.ByPerson says that they lie together.
//
// States are as secret as the rows. They, and what workers are told, cross by files in a folder that driver and workers share
// (Options.Exchange), and by the runner's own channels; no graph of a job, and no log, has more than the folder's name.
//
// # What runs
//
// What makes a few passes: counts, sums, means, histograms, quantiles, tables, found keys, scores, choices, Gram matrices, sketches, mixing,
// AdaSSP, objective perturbation by Newton's method, moments of unbounded columns; behind public steps, Where, Bound, PerPerson, and fits that
// are passes: means of cells, standards, largest values, PCA, encodings, private bounds and tests. Descent makes hundreds, and other steps look at
// several rows at once or read them in order (Dedup, Median, Ridge, CellMean, ranks): they are refused before anything is charged
// ([frames.ErrElsewhere]).
//
// All states are exact: integers, numbers on public grids, and sums that round once, when they are read. So the order of rows, into which shards they
// are parted and how states merge do not show in a bit, and one process has the same.
package beam
