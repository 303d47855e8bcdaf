// Package frames holds data: typed columns with a public schema (the domain of every column),
// loaders that enforce it, and sources that stream rows in blocks.
//
// Start with [NewSchema], then [ReadCSV] (in memory), [OpenCSV] (larger than memory) or
// [FromGota]. Other formats have the same pair of functions: [ReadARFF] with [ARFFSchema],
// [ReadLibSVM] with [LibSVMSchema], [ReadIDX] with [IDXSchema]; tables aligned with blanks are CSV
// with Blanks. All unpack gzip and bzip2; CSV reads numbers and characters of other countries as CSVOptions say. [Open] picks the reader by a
// file's name, takes shards for one table, and knows the formats that other modules register, Parquet for one. Values of a program's
// own type go in by [FromRows]; any other [Source], of rows wherever they live, is put under guard by [Check]. [Describe] shows what is public.
//
// What a privacy analysis may rely on is the [Schema] alone: names, kinds, bounds and levels. It is
// public, so it must come from a codebook or from what a column means, never from the rows. Every
// loader refuses a file with a cell outside its schema, so that the promise "each value lies in
// its bounds" holds for each row of a [Source]. A column that nobody can bound is declared [Unbounded]: its cells are any
// finite numbers.
//
// A [Frame] keeps its rows to itself: it formats as its schema and row count under every fmt verb
// and refuses to marshal. That guards against accidents, not against the process that owns the
// memory: [Source.Scan] hands the rows to whoever calls it. [Public] opens a frame whose rows the
// caller declares public.
//
// The domains themselves are kept to sizes that float64 can square, [MaxBound] and [MinWidth], and what a
// text file can make a reader hold, accepted rows apart, is limited (CSVOptions.MaxRecord).
//
// Errors of loaders speak of places (line, column), domains and counts; none repeats a cell.
// The places themselves depend on the data: they are for the data's curator, not for release.
package frames
