package frames

import "math"

// NormBound bounds the Euclidean norm of every feature row without missing cells, rounded up:
// each numeric column contributes max(|Lo|, |Hi|), all columns of one Block together their common Hi. A category
// that is not encoded as numbers has no norm, nor has an unbounded column: then it is +Inf. It is 0 without features.
func (s Schema) NormBound() float64 {
	var sides []float64
	blocks := map[string]bool{}
	for _, c := range s.Features() {
		switch {
		case c.Kind == KindCategory || c.NoBounds:
			return math.Inf(1)
		case c.Block == "":
			sides = append(sides, max(math.Abs(c.Lo), math.Abs(c.Hi)))
		case !blocks[c.Block]:
			blocks[c.Block] = true
			sides = append(sides, c.Hi)
		}
	}
	return normUp(sides)
}

// normUp returns an upper bound on the Euclidean norm of non-negative sides, exact where every
// step is. The sides are scaled by a power of two so that no square overflows.
func normUp(sides []float64) float64 {
	var largest float64
	for _, v := range sides {
		largest = max(largest, v)
	}
	if largest == 0 {
		return 0
	}
	_, e := math.Frexp(largest)
	var sum float64
	for _, v := range sides {
		if v == 0 {
			continue
		}
		v = max(math.Ldexp(v, -e), 0x1p-400) // far below, a square's rounding error would underflow
		sq := float64(v * v)                 // the conversion forbids fusing the product into the sum
		if math.FMA(v, v, -sq) > 0 {
			sq = math.Nextafter(sq, math.Inf(1))
		}
		sum = addUp(sum, sq)
	}
	r := math.Sqrt(sum)
	if math.FMA(r, r, -sum) < 0 {
		r = math.Nextafter(r, math.Inf(1))
	}
	if out := math.Ldexp(r, e); math.Ldexp(out, -e) >= r {
		return out
	}
	return math.Nextafter(math.Ldexp(r, e), math.Inf(1)) // a subnormal result lost bits downwards
}

// addUp returns a+b rounded up for a, b >= 0, with the exact error of the sum by TwoSum (Knuth, TAOCP 2, 4.2.2).
func addUp(a, b float64) float64 {
	s := a + b
	t := s - a
	if (a-(s-t))+(b-t) > 0 {
		return math.Nextafter(s, math.Inf(1))
	}
	return s
}
