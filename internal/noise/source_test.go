package noise

import (
	"bytes"
	"crypto/aes"
	"encoding/binary"
	"encoding/hex"
	mathrand "math/rand/v2"
	"slices"
	"testing"
)

var _ mathrand.Source = (*Source)(nil)

// A known answer from NIST AESAVS, KeySbox, 256 bits, first entry: the block of zeros, which is
// the first counter.
func TestKeystreamKnownAnswer(t *testing.T) {
	key, _ := hex.DecodeString("c47b0294dbbbee0fec4757f22ffeee3587ca4730c3d33b691df38bab076bc558")
	want, _ := hex.DecodeString("46f2fb342d6f0ab477476fc501242c5f")
	got := make([]byte, 16)
	keystream([32]byte(key)).XORKeyStream(got, got)
	if !bytes.Equal(got, want) {
		t.Errorf("got %x, want %x", got, want)
	}
}

// Block i of the keystream is the encryption of the big-endian counter i (NIST SP 800-38A, 6.5).
func TestKeystreamCounts(t *testing.T) {
	key := [32]byte{1, 2, 3}
	block, err := aes.NewCipher(key[:])
	if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 300*aes.BlockSize)
	keystream(key).XORKeyStream(got, got)
	for i := range 300 {
		var in, out [aes.BlockSize]byte
		binary.BigEndian.PutUint64(in[8:], uint64(i))
		block.Encrypt(out[:], in[:])
		if !bytes.Equal(got[i*aes.BlockSize:][:aes.BlockSize], out[:]) {
			t.Fatalf("block %d is not the encryption of the counter", i)
		}
	}
}

// The words come from `openssl enc -aes-256-ctr` over zeros with a zero IV and the key
// "dpnb: demo stream, not p" followed by the seed, little-endian; words are little-endian.
func TestNewDemoKnownAnswer(t *testing.T) {
	tests := []struct {
		name string
		seed uint64
		want map[int]uint64 // by position; 512 is the first word of the second buffer
	}{
		{"seed 0", 0, map[int]uint64{
			0: 0x82586965359e9568, 1: 0x79fed537de8d67b7, 2: 0x9146b3fca5700766,
			511: 0x7d3c085c7da6357c, 512: 0x1d3c8d02a8e66d5f, 1023: 0xa177db23a8b41b16,
		}},
		{"seed 1", 1, map[int]uint64{
			0: 0x623d07c3bd28aaf9, 1: 0x47dbc3c200cecef2, 2: 0x0d4c2bc16ed2b403,
			511: 0xf4e06e073ef50b1e, 512: 0xfbc18cec952296ed, 1023: 0xd2eee32ceec50109,
		}},
		{"long seed", 0xdeadbeef00000007, map[int]uint64{
			0: 0xf807d73948301922, 1: 0x1ab31422d0b8789b, 2: 0x7799e5bb6e3bda1e,
			511: 0x48c70c31d743d781, 512: 0x05ff16bae9c39530, 1023: 0xc617334fd544c5b5,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := NewDemo(tt.seed)
			for i := range 1024 {
				got := s.Uint64()
				if want, ok := tt.want[i]; ok && got != want {
					t.Errorf("word %d: got %#x, want %#x", i, got, want)
				}
			}
		})
	}
}

func TestDemo(t *testing.T) {
	if New().Demo() || new(Source).Demo() {
		t.Error("a crypto-secure source says that it is a demo")
	}
	if !NewDemo(3).Demo() {
		t.Error("a demo source does not say so")
	}
}

// TestRestart: whatever was drawn before, a source that begins anew draws what a new one does; one without a seed does not begin anew.
func TestRestart(t *testing.T) {
	for _, before := range []int{0, 1, 511, 512, 513, 2000} {
		s := NewDemo(8)
		for range before {
			s.Uint64()
		}
		s.Normal() // keeps the second of its pair
		s.Restart(5)
		fresh := NewDemo(5)
		for i := range 1100 {
			if got, want := s.Uint64(), fresh.Uint64(); got != want {
				t.Fatalf("after %d words, word %d: %#x, want %#x", before, i, got, want)
			}
		}
		if got, want := s.Normal(), fresh.Normal(); got != want {
			t.Errorf("after %d words: %v, want %v", before, got, want)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a crypto-secure source begins anew")
		}
	}()
	New().Restart(1)
}

// Every public sampler of a demo source is reproducible.
func TestNewDemoIsDeterministic(t *testing.T) {
	draw := func(s *Source) []int64 {
		sums := []int64{1, 2, 3}
		AddGaussian(s, sums, 77)
		out := append(sums, s.DiscreteGaussian(5), s.DiscreteLaplace(9, 2), int64(s.Uint64n(1000)), int64(s.Float64()*0x1p53))
		for _, i := range s.Perm(10) {
			out = append(out, int64(i))
		}
		if s.Bernoulli(1, 2) != s.BernoulliExp(1, 3) {
			out = append(out, 1)
		}
		return append(out, int64(s.Normal()*1e6), int64(s.Normal()*1e6))
	}
	a, b := draw(NewDemo(11)), draw(NewDemo(11))
	if !slices.Equal(a, b) {
		t.Errorf("equal seeds: got %v and %v", a, b)
	}
	if c := draw(NewDemo(12)); slices.Equal(a, c) {
		t.Errorf("different seeds: both gave %v", a)
	}
}

// TestNewIsNotStuck draws 10 000 words from one source and from a second. Two equal words among
// the 20 000, or a zero, have probability below 2e4²/2^65 + 2e4/2^64 < 1.1e-11.
func TestNewIsNotStuck(t *testing.T) {
	seen := make(map[uint64]bool)
	for _, s := range []*Source{New(), new(Source)} {
		for range 10_000 {
			x := s.Uint64()
			if x == 0 || seen[x] {
				t.Fatal("a zero or repeated word")
			}
			seen[x] = true
		}
	}
}

func TestNewIsUniform(t *testing.T) {
	s := New()
	for _, shift := range []int{0, 28, 56} {
		counts, probs := make([]int, 256), make([]float64, 256)
		for i := range probs {
			probs[i] = 1.0 / 256
		}
		for range 200_000 {
			counts[byte(s.Uint64()>>shift)]++
		}
		checkLaw(t, counts, probs)
	}
}

func TestWordsAreErased(t *testing.T) {
	for name, s := range map[string]*Source{"new": New(), "demo": NewDemo(1)} {
		t.Run(name, func(t *testing.T) {
			for i := range bufferSize/8 + 3 { // beyond one refill
				s.Uint64()
				for _, b := range s.buf[:bufferSize-s.left] {
					if b != 0 {
						t.Fatalf("word %d was handed out and is still in the buffer", i)
					}
				}
			}
			if s.left != bufferSize-24 {
				t.Errorf("got %d bytes left, want %d", s.left, bufferSize-24)
			}
		})
	}
}

func TestRekey(t *testing.T) {
	s := New()
	s.Normal()
	before := s.buf // what a fork would copy
	s.Rekey()
	if s.left != 0 || s.buf != [bufferSize]byte{} || s.spared || s.spare != 0 {
		t.Error("Rekey kept buffered output")
	}
	if x := s.Uint64(); bytes.Contains(before[:], binary.LittleEndian.AppendUint64(nil, x)) {
		t.Error("a word from before Rekey was handed out after it")
	}

	a, b := NewDemo(5), NewDemo(5)
	a.Uint64()
	b.Uint64()
	b.Rekey()
	if a.Uint64() != b.Uint64() {
		t.Error("Rekey changed a demo stream")
	}
}

// Two copies of a machine's memory must not add the same noise.
func TestAddGaussianRekeys(t *testing.T) {
	s := New()
	s.Uint64()
	twin := &Source{buf: s.buf, left: s.left}
	a, b := make([]int64, 4), make([]int64, 4)
	AddGaussian(s, a, MaxSigma)
	AddGaussian(twin, b, MaxSigma)
	if slices.Equal(a, b) {
		t.Error("a copied source repeated the noise")
	}
}
