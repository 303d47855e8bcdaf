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
func NewDemo(seed uint64) *Source { return &Source{demo: newDemoStream(seed)} }

// Restart makes a demo source draw what one from NewDemo(seed) draws. It panics on a crypto-secure source, which has no seed.
func (s *Source) Restart(seed uint64) {
	if !s.Demo() {
		panic("noise: Restart of a crypto-secure source")
	}
	clear(s.buf[bufferSize-s.left:]) // the rest is zero
	s.left, s.spare, s.spared = 0, 0, false
	s.demo = newDemoStream(seed)
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
	// buf is zero here: every word was erased when it was handed out, or by Rekey.
	if s.demo != nil {
		s.demo.XORKeyStream(s.buf[:], s.buf[:])
	} else {
		fill(s.buf[:])
	}
	s.left = bufferSize
}

// fill adds output of a key of its own, from the operating system, to bytes that are zero: at most bufferSize of them.
func fill(b []byte) {
	var key [32]byte
	rand.Read(key[:]) // never returns an error (Go 1.24)
	keystream(key).XORKeyStream(b, b)
	clear(key[:])
}

// keystream is AES-256 in counter mode from counter zero (NIST SP 800-38A). A zero counter is
// right because no key is used for a second stream.
func keystream(key [32]byte) cipher.Stream { return streamFrom(cipherOf(key), 0) }

func cipherOf(key [32]byte) cipher.Block {
	block, err := aes.NewCipher(key[:])
	if err != nil {
		panic("noise: AES-256 refused a 32-byte key") // impossible: the length is fixed
	}
	return block
}

// streamFrom is a key's stream from a counter on.
func streamFrom(key cipher.Block, counter uint64) cipher.Stream {
	var iv [aes.BlockSize]byte
	binary.BigEndian.PutUint64(iv[aes.BlockSize-8:], counter)
	return cipher.NewCTR(key, iv[:])
}

// demoStream is the stream of a demo source, whose key all may know. It knows its place.
type demoStream struct {
	cipher.Stream
	key    cipher.Block
	handed uint64 // bytes that were taken of the stream
}

func newDemoStream(seed uint64) *demoStream {
	key := [32]byte([]byte("dpnb: demo stream, not private. "))
	binary.LittleEndian.PutUint64(key[24:], seed)
	d := &demoStream{key: cipherOf(key)}
	d.seek(0)
	return d
}

func (d *demoStream) XORKeyStream(to, from []byte) {
	d.Stream.XORKeyStream(to, from)
	d.handed += uint64(len(from))
}

// seek goes to a place of the stream, in bytes from its beginning and whole blocks of the cipher.
func (d *demoStream) seek(at uint64) {
	d.Stream, d.handed = streamFrom(d.key, at/aes.BlockSize), at
}

// noCopy makes go vet report copies of a Source.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}
