// Package unbounded releases moments, means and regressions of rows whose columns nobody can bound.
package unbounded
