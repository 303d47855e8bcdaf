// Package quad has the numerics that privacy accounting rests on, with their errors stated:
// directed rounding ([AddUp] and its siblings), the normal law far into its tails
// ([Erfcx], [LogNormalCDF]), differences of exponentials ([LogSubExp]), root finding with a
// certified bracket ([Grow], [Brent]), one-dimensional minimisation ([Minimize]) and
// Gauss–Legendre quadrature ([Legendre]).
package quad
