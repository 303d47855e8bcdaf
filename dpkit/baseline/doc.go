// Package baseline holds methods as papers print them, for comparison with those that package dpkit offers: private, with every price
// that dpkit states, but never the better choice. A value of it stands where dpkit's own would, in dpkit.Pipeline.FitLinear, dpkit.Pipeline.FitLogistic or
// dpkit.Unbounded, and plans, ledgers and models of it are read by dpkit like any other. Studies and tests import it, and nothing
// else.
package baseline
