// Package page renders a notebook as one HTML page that needs nothing else, see [Render].
//
// What a notebook stores is not trusted: its HTML, SVG and markdown go through package sanitize, its formulas through package mathml,
// all else is escaped; a content security policy keeps the browser off the network. Where outputs say what releases cost, in the
// metadata key "dpnb" that package viz writes, a summary stands above the cells.
package page
