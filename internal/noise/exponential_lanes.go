package noise

import (
	"crypto/aes"
	"runtime"
	"sync"
)

// Words of a lane: of those that it reads, and behind them some for the proposal that is the last to begin among them. A lane takes some times as
// long as to wake a goroutine. Tests have other numbers.
var (
	triesAlone = 64
	laneWords  = 1 << 15
)

const laneRest = 512

// refuseWithOthers draws as refuse does, on all processors: each reads a lane of words. Nobody may have looked at what is left in the buffer but for
// deciding proposals that came before.
//
// In a demo source lanes are pieces of its stream. Where in a lane the first proposal begins only the lane before tells, so that each is read from
// its first word on, and those who read it note where proposals begin as they have it. The proposals that do begin there are then followed to a
// place that was noted: what comes behind it is the same, as it hangs on the words alone. Most times that is a few proposals on.
//
// A crypto-secure source gives each lane words of its own keys, and proposals begin at the first.
func (s *Source) refuseWithOthers(w *weights) {
	workers := runtime.GOMAXPROCS(0)
	if workers == 1 {
		return
	}
	lanes := make([]lane, workers)
	defer func() {
		for i := range lanes {
			clear(lanes[i].words)
		}
	}()
	demo, _ := s.demo.(*demoStream)
	var begin uint64 // of the first lane in the stream, in bytes
	if demo != nil {
		begin = demo.handed - uint64(s.left)
	}
	for {
		var wg sync.WaitGroup
		for i := range lanes {
			wg.Go(func() { lanes[i].read(w, demo, begin+8*uint64(i*laneWords)) })
		}
		wg.Wait()
		at := 0
		for i := range lanes {
			l := &lanes[i]
			end, stopped := l.follow(w, at)
			if stopped && demo != nil {
				s.goOnAt(demo, begin+8*uint64(i*laneWords+end))
				return
			}
			if stopped {
				s.goOnWith(l.words[8*end:])
				return
			}
			if at = 0; demo != nil {
				at = end - laneWords
			}
		}
		begin += 8 * uint64(workers*laneWords+at)
	}
}

// goOnWith goes on with these words in place of what is left in the buffer, as many of them as it has room for.
func (s *Source) goOnWith(words []byte) {
	clear(s.buf[bufferSize-s.left:]) // the rest is zero
	s.left = min(len(words), bufferSize)
	copy(s.buf[bufferSize-s.left:], words)
}

// lane are words with the proposals that begin among the first laneWords.
type lane struct {
	words  []byte
	begins []bool // of each word: whether a proposal was read that begins there
	stops  []int  // words at which proposals begin that were not refused, rising
	end    int    // where the last proposal ends
}

// read makes the words, those of a demo source's stream from a place on, and reads proposals from the first on. Behind one that is not refused it
// goes on at the next word.
func (l *lane) read(w *weights, demo *demoStream, from uint64) {
	if l.words == nil {
		l.words, l.begins = make([]byte, 8*(laneWords+laneRest)), make([]bool, laneWords)
	}
	clear(l.begins)
	l.stops = l.stops[:0]
	if clear(l.words); demo != nil {
		stream := streamFrom(demo.key, from/aes.BlockSize)
		var before [aes.BlockSize]byte
		stream.XORKeyStream(before[:from%aes.BlockSize], before[:from%aes.BlockSize])
		stream.XORKeyStream(l.words, l.words)
	} else {
		for b := l.words; len(b) > 0; b = b[min(bufferSize, len(b)):] {
			fill(b[:min(bufferSize, len(b))])
		}
	}
	at := 0
	for at < laneWords {
		l.begins[at] = true
		n := w.refused(l.words[8*at:]) / 8
		if n == 0 {
			l.stops = append(l.stops, at)
			n = 1
		}
		at += n
	}
	l.end = at
}

// follow goes from the proposal that begins at a word to the first that is not refused, or to the first that begins behind the lane.
func (l *lane) follow(w *weights, at int) (end int, stopped bool) {
	for ; at < laneWords && !l.begins[at]; at += w.refused(l.words[8*at:]) / 8 {
		if w.refused(l.words[8*at:]) == 0 {
			return at, true
		}
	}
	if at >= laneWords {
		return at, false
	}
	for _, stop := range l.stops {
		if stop >= at {
			return stop, true
		}
	}
	return l.end, false
}
