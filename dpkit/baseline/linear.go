package baseline

import "github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/linear"

// Sheffet2017 is a method of dpkit.Pipeline.FitLinear: a sketch without noise if a private test finds that the data need none, else
// one with noise, at the paper's constants (Sheffet 2017, Algorithm 1, units corrected). For add/remove only, unless Exact.
type Sheffet2017 = linear.Sheffet2017
