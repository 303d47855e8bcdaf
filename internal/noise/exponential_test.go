package noise

import (
	"math"
	"math/bits"
	mathrand "math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

func TestExponentialLaw(t *testing.T) {
	for name, c := range map[string]struct{ draws, tries, words int }{"alone": {50_000, triesAlone, laneWords}, "with others": {15_000, 1, 50}} {
		t.Run(name, func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
			defer func(tries, words int) { triesAlone, laneWords = tries, words }(triesAlone, laneWords)
			triesAlone, laneWords = c.tries, c.words
			testExponentialLaw(t, c.draws)
		})
	}
}

func testExponentialLaw(t *testing.T, draws int) {
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
			for range draws {
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

// slowExponential is Exponential by single words.
func slowExponential(s *Source, penalties []uint64, num, den uint64) int {
	least := slices.Min(penalties)
	for {
		k := int(s.Uint64n(uint64(len(penalties))))
		hi, lo := bits.Mul64(penalties[k]-least, num)
		if s.bernoulliExp128(uint128{hi, lo}, uint128{0, den}) {
			return k
		}
	}
}

// TestExponentialWords: what is drawn, and which words it takes, is what single words give, be penalties few or many, near the least or far from
// it, and rates small, huge or such that all but the last word of a comparison tie.
func TestExponentialWords(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	defer func(tries, words int) { triesAlone, laneWords = tries, words }(triesAlone, laneWords)
	r := mathrand.New(mathrand.NewPCG(1, 2))
	for i := range 600 {
		triesAlone, laneWords = []int{1, 3, 1000}[i%3], []int{1, 7, 64, 1001}[i%4] // others help, or none
		penalties := make([]uint64, 1+r.IntN(1<<r.IntN(12)))
		for k := range penalties {
			penalties[k] = r.Uint64() >> r.IntN(64)
		}
		den := max(1, r.Uint64()>>r.IntN(64))
		num := r.Uint64() >> r.IntN(64)
		if i%5 < 3 { // exponents of a few units
			spread := slices.Max(penalties) - slices.Min(penalties)
			hi, lo := bits.Mul64(den, 1+r.Uint64N(40))
			if spread > hi {
				num, _ = bits.Div64(hi, lo, max(spread, 1))
			}
		}
		fast, slow := NewDemo(uint64(i)), NewDemo(uint64(i))
		for range 3 {
			if got, want := fast.Exponential(penalties, num, den), slowExponential(slow, penalties, num, den); got != want {
				t.Fatalf("case %d: %d of %d, want %d", i, got, len(penalties), want)
			}
			if fast.left%bufferSize != slow.left%bufferSize || fast.left > 0 && fast.buf != slow.buf {
				t.Fatalf("case %d: what is left in the buffer differs from that of single words", i)
			}
		}
	}
}

// TestExponentialTies: where a word decides nothing, the next one does.
func TestExponentialTies(t *testing.T) {
	defer func(tries int) { triesAlone = tries }(triesAlone)
	triesAlone = math.MaxInt                       // a script is no stream that others could read
	const third, two = math.MaxUint64 / 3, 5 << 60 // of 8 penalties the third is proposed
	far := []uint64{0, 1 << 40, 1 << 41, 1 << 42, 1 << 43, 1 << 44, 1 << 45, 1 << 46}
	for name, words := range map[string][]uint64{ // of whole proposals, all refused
		"a tie at 1/3 and a next word": {two, 1 << 62, third, 5, 1 << 63},
		"ties behind one another":      {two, 1 << 62, third, third, third, 1 << 63, 1 << 63},
		"words of 0":                   {two, 0, 0, 0, 1 << 63, 1 << 63},
		"an index that may tie":        {1 << 63, 1 << 63},
		"factors in a row":             {two, 1 << 62, 1 << 63, 1 << 62, 1 << 63, 1 << 63},
	} {
		script := slices.Repeat(words, 700/len(words)) // more than a buffer; behind it zeros, which accept the first
		fast, slow := &Source{demo: &longScript{t, script}}, &Source{demo: &longScript{t, script}}
		if got, want := fast.Exponential(far, 1, 1), slowExponential(slow, far, 1, 1); got != want || fast.left%bufferSize != slow.left%bufferSize {
			t.Errorf("%s: %d with %d bytes left, want %d with %d", name, got, fast.left, want, slow.left)
		}
	}
}
