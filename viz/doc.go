// Package viz shows what releases cost and what was released: as HTML or an image in a GoNB
// notebook, as text elsewhere.
//
// Begin with [Cost], [Waterfall] and [Result]: each returns a [View], and View.Show displays it.
//
//   - What a plan costs: [Cost], [Waterfall], [Compare], [Variants].
//   - What a release promised, and what is left: [Guarantee], [Result], [Ledger], [Releases], [BurnDown].
//   - What an event costs: [RDP], [RDPCurves], [Profiles], [Accountants]; [PDP] for the curator.
//   - What was released: [Estimates], [Groups], [Coefficients], [LinearCoefficients], [Scree], [Filters].
//   - How well a model does on public rows: [Classifier], [ROC], [PrecisionRecall], [Calibration], [Utility].
//   - What is public: [Schema], [Rows], [Missing].
//   - Anything else: [Lines], [Histogram], [Bars], several of them by [Panels], and [Table].
//   - A plot of one's own with gonum/plot: package viz/gonumplot.
//   - While it runs: [Progress], and [Sweep] over settings.
//
// It guarantees that a Conditional scope is named in every form of every view that shows a
// guarantee, that a privacy loss is never rounded down (and what is left of a budget never up),
// and that text from a schema or a declaration cannot act as markup or as terminal control.
//
// It does not touch private rows: no function takes a frame, a session or a pipeline. What it shows
// is public already: costs, released values, schemas, and rows that their caller declared public.
// Plots of plain numbers, [PDP] among them, show what they are given. It reads no ledger file and
// charges nothing.
package viz
