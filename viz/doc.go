// Package viz shows what releases cost and what was released: as HTML or an image in a GoNB
// notebook, as text elsewhere.
//
// Begin with [Cost], [Waterfall] and [Result]: each returns a [View], and View.Show displays it.
// [Lines], [Histogram] and [Bars] plot numbers of any kind, [Panels] several such charts in one figure.
//
// It guarantees that a Conditional scope is named in every form of every view that shows a
// guarantee, that a privacy loss is never rounded down (and what is left of a budget never up),
// and that text from a schema or a declaration cannot act as markup or as terminal control.
//
// It does not touch rows: no function takes a frame, a session or a pipeline. What it shows is
// public already, costs and released values alone. It reads no ledger file and charges nothing.
package viz
