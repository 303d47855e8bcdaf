package noise

import (
	"math"
	"testing"
)

func TestExponentialLaw(t *testing.T) {
	s := New()
	for _, c := range []struct {
		name      string
		penalties []uint64
		num, den  uint64
	}{
		{"one", []uint64{7}, 1, 1},
		{"flat", []uint64{5, 5, 5}, 3, 1},
		{"rate 1/3", []uint64{4, 0, 1, 3, 2, 9}, 1, 3},
		{"far from 0", []uint64{1<<63 + 2, 1 << 63, 1<<63 + 1}, 1, 2},
		{"products beyond 64 bits", []uint64{0, 1 << 61, 1 << 62, 3 << 61}, 1 << 62, 1 << 63},
		{"huge rate", []uint64{0, 1}, math.MaxUint64, 1},
		{"fine rate", []uint64{0, 1 << 40, 1 << 41}, 1 << 20, 1 << 61},
	} {
		t.Run(c.name, func(t *testing.T) {
			least := c.penalties[0]
			for _, p := range c.penalties {
				least = min(least, p)
			}
			probs, sum := make([]float64, len(c.penalties)), 0.0
			for k, p := range c.penalties {
				probs[k] = math.Exp(-float64(p-least) / float64(c.den) * float64(c.num))
				sum += probs[k]
			}
			counts := make([]int, len(probs))
			for range 50_000 {
				counts[s.Exponential(c.penalties, c.num, c.den)]++
			}
			for k := 0; k < len(probs); { // cells that cannot happen hold nothing
				if probs[k] /= sum; probs[k] > 1e-30 {
					k++
					continue
				}
				if counts[k] > 0 {
					t.Errorf("index %d was drawn", k)
				}
				probs, counts = append(probs[:k:k], probs[k+1:]...), append(counts[:k:k], counts[k+1:]...)
			}
			if len(probs) > 1 {
				checkLaw(t, counts, probs)
			}
		})
	}
}

func TestExponentialPanics(t *testing.T) {
	for name, f := range map[string]func(){
		"no penalty": func() { New().Exponential(nil, 1, 1) },
		"rate":       func() { New().Exponential([]uint64{1}, 1, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		})
	}
}
