package noise

import (
	"encoding/binary"
	"math"
	"testing"
)

// falseAlarm bounds, for every statistical check below, the probability that a correct sampler
// fails it. They draw from New, so each run is a fresh test; there are fewer than 90 of them,
// hence a false alarm below 1e-9 for a run of the package. All tolerances are finite-sample
// bounds, not asymptotic ones.
const falseAlarm = 1e-11

// checkLaw fails t when the counts do not look like draws from probs (the last cells may be
// tails). It is the G-test: n·KL(counts/n ‖ probs) for k cells exceeds x > k-1 with probability
// at most exp(-x)·(e·x/(k-1))^(k-1), for every n and probs (Agrawal 2020, "Finite-sample
// concentration of the multinomial in relative entropy", Theorem 1.2).
func checkLaw(t *testing.T, counts []int, probs []float64) {
	t.Helper()
	if len(counts) != len(probs) || len(counts) < 2 {
		t.Fatalf("got %d counts, %d probabilities, want the same number ≥ 2", len(counts), len(probs))
	}
	n, mass := 0, 0.0
	for i, c := range counts {
		n += c
		mass += probs[i]
	}
	if n == 0 || math.Abs(mass-1) > 1e-9 {
		t.Fatalf("got %d draws and probabilities that sum to %v", n, mass)
	}
	g := 0.0
	for i, c := range counts {
		if c > 0 {
			g += float64(c) * math.Log(float64(c)/(float64(n)*probs[i]/mass))
		}
	}
	if limit := klLimit(len(counts)-1, falseAlarm); !(g <= limit) {
		t.Errorf("n·KL = %.1f over %d draws, want ≤ %.1f\ncounts %v\nprobs %.4g", g, n, limit, counts, probs)
	}
}

// klLimit solves exp(-x)·(e·x/m)^m = p for x > m.
func klLimit(m int, p float64) float64 {
	f := func(x float64) float64 { return -x + float64(m)*(1+math.Log(x/float64(m))) - math.Log(p) }
	lo, hi := float64(m), float64(m)*4+400
	for range 100 {
		if mid := (lo + hi) / 2; f(mid) > 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// checkRate fails t when hits of n do not look like probability p.
func checkRate(t *testing.T, hits, n int, p float64) {
	t.Helper()
	if p == 0 || p == 1 {
		if hits != int(p)*n {
			t.Errorf("got %d of %d, want probability %v", hits, n, p)
		}
		return
	}
	checkLaw(t, []int{hits, n - hits}, []float64{p, 1 - p})
}

// normalCDF is Φ.
func normalCDF(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

// normalCells cuts the line at -3.5, -3.25, …, 3.5 and returns the cells' masses.
func normalCells() (cell func(z float64) int, probs []float64) {
	const cuts = 29
	prev := 0.0
	for i := range cuts {
		c := normalCDF(-3.5 + float64(i)/4)
		probs = append(probs, c-prev)
		prev = c
	}
	probs = append(probs, 1-prev)
	return func(z float64) int {
		return int(min(max(math.Floor((z+3.5)*4)+1, 0), cuts))
	}, probs
}

// scripted returns a source that hands out the words and then fails the test that asks for more.
func scripted(t *testing.T, words ...uint64) *Source {
	t.Helper()
	if len(words) > bufferSize/8 {
		t.Fatalf("got %d words, want at most one buffer", len(words))
	}
	s := &Source{demo: endOfScript{t}, left: 8 * len(words)}
	for i, w := range words {
		binary.LittleEndian.PutUint64(s.buf[bufferSize-s.left+8*i:], w)
	}
	return s
}

type endOfScript struct{ t *testing.T }

func (e endOfScript) XORKeyStream(_, _ []byte) {
	e.t.Helper()
	e.t.Fatal("the script of random words is used up")
}

// longScript is a script longer than one buffer; the last buffer is filled up with zeros.
type longScript struct {
	t     *testing.T
	words []uint64
}

func (l *longScript) XORKeyStream(dst, _ []byte) {
	if len(l.words) == 0 {
		l.t.Fatal("the script of random words is used up")
	}
	clear(dst)
	n := min(len(l.words), len(dst)/8)
	for i, w := range l.words[:n] {
		binary.LittleEndian.PutUint64(dst[8*i:], w)
	}
	l.words = l.words[n:]
}
