package noise

import (
	"crypto/aes"
	"runtime"
	"sync"
	"sync/atomic"
)

// manyWords are worth a goroutine of their own: to make them takes some times as long as to wake one.
const manyWords = 1 << 15

// Runs calls each for n words of uniform bits, in runs of so many that begin at multiples of that number, on all processors and in any order. A
// demo source gives the words that n calls of [Source.Uint64] return, however many processors there are, and goes on behind them. A run is 8 bytes
// a word, little-endian. It is erased once each has returned.
func (s *Source) Runs(n, run int, each func(at int, words []byte)) {
	runs := (n + run - 1) / run
	demo, _ := s.demo.(*demoStream)
	var begin uint64 // of the words in a demo source's stream, in bytes
	if demo != nil {
		begin = demo.handed - uint64(s.left)
	}
	var next atomic.Int64
	work := func() {
		room := make([]byte, 8*min(run, n)+aes.BlockSize)
		for i := int(next.Add(1)) - 1; i < runs; i = int(next.Add(1)) - 1 {
			at := i * run
			words := 8 * min(run, n-at)
			if demo == nil {
				for k := 0; k < words; k += bufferSize {
					fill(room[k:min(k+bufferSize, words)])
				}
				each(at, room[:words])
			} else {
				from := begin + 8*uint64(at)
				into := int(from % aes.BlockSize)
				b := room[:into+words]
				streamFrom(demo.key, from/aes.BlockSize).XORKeyStream(b, b)
				each(at, b[into:])
			}
			clear(room)
		}
	}
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n/manyWords, runs) - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
	if demo != nil {
		s.goOnAt(demo, begin+8*uint64(n))
	}
}

// goOnAt goes on at a place of a demo source's stream.
func (s *Source) goOnAt(demo *demoStream, at uint64) {
	clear(s.buf[bufferSize-s.left:]) // the rest is zero
	given := int(at % bufferSize)
	demo.seek(at - uint64(given))
	if s.left = 0; given > 0 {
		s.refill()
		clear(s.buf[:given])
		s.left = bufferSize - given
	}
}
