// Package quad has quadrature, root finding and special functions with error control.
package quad
