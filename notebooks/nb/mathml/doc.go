// Package mathml converts mathematics in LaTeX, as notebooks write it in markdown, to MathML that browsers draw without a script.
//
// The subset is what notebooks use: scripts, fractions, roots, accents, alphabets, delimiters, matrices and aligned equations, text.
// The spacing is TeX's, where it differs from what MathML Core does by itself. Classes such as tex-align, which the result carries,
// want rules in the page's style sheet.
package mathml
