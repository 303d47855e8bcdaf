package population

import "math"

// Group is a number of directions in which rows vary alike.
type Group struct {
	Value float64 // eigenvalue of the covariance of a row
	Count float64 // directions
	Share float64 // of the variance of the best model's margin
}

// Rows are a reference population of rows x̃ = (x, c): x is centred, with these eigenvalues, and c is the constant feature.
type Rows struct {
	Groups   []Group
	Constant float64 // c; 0 where there is none
}

// Shape is what a reference population is made by. It is a convention, not an assumption of any guarantee.
type Shape struct {
	Fill  float64 // E‖x‖² in units of R²
	Decay float64 // a: eigenvalues fall as j^−a; 0: all are the same
	Rank  float64 // directions that rows vary in at most; 0: all
	Tilt  float64 // t: the margin's variance in a direction is in proportion to j^−at
}

// Rows are those of d columns and norm at most r. Directions stand together by octaves.
func (s Shape) Rows(d int, r, constant float64) Rows {
	rank := float64(d)
	if s.Rank > 0 {
		rank = min(rank, s.Rank)
	}
	out := Rows{Constant: constant}
	if s.Decay == 0 {
		out.Groups = []Group{{Value: s.Fill * r * r / rank, Count: rank, Share: 1}}
	} else {
		sum, shares := 0.0, 0.0
		for from := 1.0; from <= rank; from *= 2 {
			to := min(2*from, rank+1)
			value := math.Pow(math.Sqrt(from*(to-1)), -s.Decay)
			g := Group{Value: value, Count: to - from, Share: math.Pow(value, s.Tilt) * (to - from)}
			out.Groups = append(out.Groups, g)
			sum += g.Value * g.Count
			shares += g.Share
		}
		for i := range out.Groups {
			g := &out.Groups[i]
			g.Share /= shares
			g.Value *= s.Fill * r * r / sum
		}
	}
	if rest := float64(d) - rank; rest > 0 {
		out.Groups = append(out.Groups, Group{Count: rest})
	}
	return out
}

// trace is E‖x‖².
func (r Rows) trace() (t float64) {
	for _, g := range r.Groups {
		t += g.Value * g.Count
	}
	return t
}
