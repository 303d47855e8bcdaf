package noise

import (
	"math"
	"testing"
)

// Successive normals fall in the cells of the product law (the polar method makes them in pairs).
func TestNormalLaw(t *testing.T) {
	s := New()
	cell, probs := normalCells()
	counts, pairs, joint := make([]int, len(probs)), make([]int, 16), make([]float64, 16)
	for i := range joint {
		joint[i] = 1.0 / 16
	}
	quarter := func(z float64) int {
		const q = 0.67448975019608171 // Φ⁻¹(3/4)
		switch {
		case z < -q:
			return 0
		case z < 0:
			return 1
		case z < q:
			return 2
		}
		return 3
	}
	for range 200_000 {
		a, b := s.Normal(), s.Normal()
		counts[cell(a)]++
		counts[cell(b)]++
		pairs[4*quarter(a)+quarter(b)]++
	}
	checkLaw(t, counts, probs)
	checkLaw(t, pairs, joint)
}

func TestNormalKnownAnswer(t *testing.T) {
	// u = v = (2^51+1/2)·2^-51 - 1 = 2^-52, the centre: the largest magnitude there is.
	s := scripted(t, 1<<63, 1<<63)
	want := 0x1p-52 * math.Sqrt(2*103*math.Ln2/0x1p-103)
	for i := range 2 {
		if z := s.Normal(); !(math.Abs(z-want) <= 1e-12) || z > 12 {
			t.Errorf("draw %d: got %v, want %v", i, z, want)
		}
	}
	// A corner of the square is outside the disc and is rejected.
	s = scripted(t, math.MaxUint64, math.MaxUint64, 1<<62, 1<<63)
	if z, want := s.Normal(), -0.5*math.Sqrt(-2*math.Log(0.25)/0.25); !(math.Abs(z-want) <= 1e-12) {
		t.Errorf("after a rejection: got %v, want %v", z, want)
	}
}
