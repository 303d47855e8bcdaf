package baseline

import "github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/glm"

// Kifer2012 is a method of dpkit.Pipeline.FitLogistic: objective perturbation at the noise σ = C√(8 ln(2/δ) + 4ε)/ε and the least
// regulariser Λ = C²/2ε of the original theorem (Kifer, Smith, Thakurta 2012, Theorem 2, with what its conditions ask for). It has 2.3
// to 3.2 times more noise than dpkit.ByObjective Alone, and is for add/remove.
type Kifer2012 = glm.Kifer2012
