package population

import (
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/internal/memo"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// gumbel is the variance of Gumbel's law: a class drawn with the probabilities of a softmax is the largest of scores with such noise.
const gumbel = math.Pi * math.Pi / 6

// Agree is the probability that two vectors of k standard normals have their largest at the same place, where each pair of places is
// normal together with correlation r:
//
//	k ∫∫ φ₂(a, b; r)·Φ₂(a, b; r)^(k−1) da db.
func Agree(k int, r float64) float64 {
	r = min(max(r, 0), 0.98) // beyond it the nodes are too few; no class is that sure
	return agreements.Of(agreement{k, r}, func() float64 { return agree(k, r) })
}

type agreement struct {
	k int
	r float64
}

// agreements keeps the double integrals: a comparison asks for that of the exact fit with every plan.
var agreements memo.Memo[agreement, float64]

func agree(k int, r float64) float64 {
	const nodes, reach = 96, 6.
	step := 2 * reach / nodes
	rest := math.Sqrt((1 - r) * (1 + r))
	below := make([]float64, nodes+1) // Φ₂(a, b; r) at the a that the loop has reached
	sum, all := 0.0, 0.0
	last := make([]float64, nodes+1)
	for i := range nodes + 1 {
		a := -reach + float64(i)*step
		pa := math.Exp(-a*a/2) / math.Sqrt(2*math.Pi) * step
		for j := range nodes + 1 {
			b := -reach + float64(j)*step
			u := (b - r*a) / rest
			now := pa * quad.NormalCDF(u)
			below[j] += (last[j] + now) / 2
			last[j] = now
			p := pa * math.Exp(-u*u/2)
			sum += p * math.Pow(below[j], float64(k-1))
			all += p
		}
	}
	return min(max(sum/all*float64(k), 1/float64(k)), 1)
}

// OfMany is what a model of k classes is worth whose scores, one against the rest, have this law each.
func (m Margins) OfMany(k int, f Fitted) mechanism.Classes {
	s2 := m.Deviation * m.Deviation
	truth := m.Deviation / math.Sqrt(s2+gumbel)
	kept := 0.0
	if v := f.Variance * s2; v > 0 {
		kept = max(f.Covariance, 0) / math.Sqrt(v)
	}
	return mechanism.Classes{Accuracy: Agree(k, truth*kept), Exact: Agree(k, truth), Majority: 1 / float64(k)}
}
