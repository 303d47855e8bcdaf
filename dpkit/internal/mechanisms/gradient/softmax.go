package gradient

import (
	"math"

	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// softmaxBend bounds ‖∇²ℓ‖ in units of ‖∇ℓ‖ for the softmax loss: a row that the model fits has little curvature, too.
//
// Proof. Let q = 1 − p_y. For a unit vector u, uᵀ∇²ℓu is the variance of u_k under p, at most Σ_{k≠y} p_k(u_k − u_y)², the form of
// the Laplacian of a star with weights p_k. Its Frobenius norm, √(q² + 3Σ_{k≠y} p_k²), bounds it, and as Σ p_k² ≤ q² that is at
// most √2·√(q² + Σ_{k≠y} p_k²) = √2·‖p − e_y‖. ∎
const softmaxBend = math.Sqrt2

// Lipschitz is sharper than that of any loss (docs/theory/calculus.md#lipschitz-constants-of-clipped-gradients):
//
//	μ = sup over c ≤ r ≤ R̃ of min(√2, C/r) + min(r/2, √2·C)·W_J.
//
// Proof. Where clipping does nothing ‖∇ℓ‖·r ≤ C, so that ‖∇²ℓ‖·r ≤ √2·‖∇ℓ‖·r ≤ √2·C. Where it does, the part of the curvature is
// taken times C/‖g‖ = C/(‖∇ℓ‖·r), and ‖∇²ℓ‖·r·C/(‖∇ℓ‖·r) ≤ √2·C. The rest is as for any loss. Up to r = C/√2 the curve rises; from
// there to r = 2√2·C it is convex, and then it falls: the supremum is at one of the two, or at the end of the domain next to it. ∎
func (l SoftmaxLoss) Lipschitz(g lossDomain) float64 {
	steepest := l.Steepest(0)
	at := func(r float64) float64 {
		r = max(min(r, g.rx), g.c)
		return min(steepest, g.clip/max(r, math.SmallestNonzeroFloat64)) + min(l.Bend()*r, softmaxBend*g.clip)*g.wj
	}
	return stage.Up(max(at(g.clip/steepest), at(softmaxBend*g.clip/l.Bend())) * (1 + 0x1p-48))
}
