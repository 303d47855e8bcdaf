package noise

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
)

// bufferSize is how much output one key yields, in bytes.
const bufferSize = 4096

// Source yields independent random bits and exact discrete samples. Not safe for concurrent
// use, and not to be copied: both would hand the same bits out twice. The zero value is a
// crypto-secure source, as from [New].
//
// A Source implements math/rand/v2.Source.
type Source struct {
	_      noCopy
	buf    [bufferSize]byte
	left   int           // bytes of buf not yet handed out; they are the last ones
	demo   cipher.Stream // nil for a crypto-secure source
	spare  float64       // the second half of the pair that Normal draws
	spared bool
	watch  func(law string, scale uint64, n int)
}

// Watch has f told of every vector of noise that is added, before it is: its law, its scale in steps of its grid, and its length.
// All that is public. A test compares it with what was priced.
func (s *Source) Watch(f func(law string, scale uint64, n int)) { s.watch = f }

func (s *Source) note(law string, scale uint64, n int) {
	if s.watch != nil {
		s.watch(law, scale, n)
	}
}

// New returns a crypto-secure source: AES-256 in counter mode, rekeyed from the operating
// system for every 4 KiB of output. It needs no error: crypto/rand stops the program when the
// system has no randomness to give.
func New() *Source { return new(Source) }

// NewDemo returns a reproducible source, for teaching and tests only: whoever knows or guesses
// the seed can subtract the noise. The integer samplers give the same values on every platform;
// [Source.Normal] may differ in the last bits.
func NewDemo(seed uint64) *Source { return &Source{demo: demoStream(seed)} }

func demoStream(seed uint64) cipher.Stream {
	key := [32]byte([]byte("dpnb: demo stream, not private. "))
	binary.LittleEndian.PutUint64(key[24:], seed)
	return keystream(key)
}

// Restart makes a demo source draw what one from NewDemo(seed) draws. It panics on a crypto-secure source, which has no seed.
func (s *Source) Restart(seed uint64) {
	if !s.Demo() {
		panic("noise: Restart of a crypto-secure source")
	}
	clear(s.buf[bufferSize-s.left:]) // the rest is zero
	s.left, s.spare, s.spared = 0, 0, false
	s.demo = demoStream(seed)
}

// Demo reports whether s is reproducible, so that nothing drawn from it is private.
func (s *Source) Demo() bool { return s.demo != nil }

// Uint64 returns 64 uniform bits.
func (s *Source) Uint64() uint64 {
	if s.left == 0 {
		s.refill()
	}
	word := s.buf[bufferSize-s.left:][:8]
	s.left -= 8
	x := binary.LittleEndian.Uint64(word)
	binary.LittleEndian.PutUint64(word, 0)
	return x
}

// Uint64s fills words with uniform bits, those that as many calls of [Source.Uint64] return. The caller erases them.
func (s *Source) Uint64s(words []uint64) {
	for len(words) > 0 {
		if s.left == 0 {
			s.refill()
		}
		k := min(len(words), s.left/8)
		from := s.buf[bufferSize-s.left:][:8*k]
		for i := range words[:k] {
			words[i] = binary.LittleEndian.Uint64(from[8*i:])
		}
		clear(from)
		s.left -= 8 * k
		words = words[k:]
	}
}

// Rekey drops all output that is buffered, so that what follows comes from randomness that the
// operating system gives after the call. It costs about a microsecond. On a demo source it
// does nothing.
func (s *Source) Rekey() {
	if s.Demo() {
		return
	}
	clear(s.buf[:])
	s.left = 0
	s.spare, s.spared = 0, false
}

func (s *Source) refill() {
	stream := s.demo
	if stream == nil {
		var key [32]byte
		rand.Read(key[:]) // never returns an error (Go 1.24)
		stream = keystream(key)
		clear(key[:])
	}
	// buf is zero here: every word was erased when it was handed out, or by Rekey.
	stream.XORKeyStream(s.buf[:], s.buf[:])
	s.left = bufferSize
}

// keystream is AES-256 in counter mode from counter zero (NIST SP 800-38A). A zero counter is
// right because no key is used for a second stream.
func keystream(key [32]byte) cipher.Stream {
	block, err := aes.NewCipher(key[:])
	if err != nil {
		panic("noise: AES-256 refused a 32-byte key") // impossible: the length is fixed
	}
	return cipher.NewCTR(block, make([]byte, aes.BlockSize))
}

// noCopy makes go vet report copies of a Source.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}
