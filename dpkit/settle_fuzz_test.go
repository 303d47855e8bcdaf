package dpkit

import (
	"encoding/binary"
	"maps"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
)

// FuzzReadState: states come from files of other machines. Whatever the bytes, reading them ends without a panic and holds no more
// than they are long; what is read is written again as the same bytes. The checksum is put right first: else nothing comes past it.
func FuzzReadState(f *testing.F) {
	states := emptyStates()
	names := slices.Sorted(maps.Keys(states))
	for i, name := range names {
		raw := must(rows.WriteState(filledState(states[name]())))
		body := raw[:len(raw)-rows.CodeTail]
		f.Add(byte(i), body)
		for k := 1; k <= 4; k++ { // lengths, counts and numbers that lie, behind a description that is right
			for _, v := range []uint64{1 << 40, 1 << 61, 1 << 63, math.MaxUint64, math.Float64bits(math.NaN())} {
				lie := slices.Clone(body)
				binary.LittleEndian.PutUint64(lie[len(lie)-8*k:], v)
				f.Add(byte(i), lie)
			}
		}
	}
	f.Fuzz(func(t *testing.T, of byte, body []byte) {
		begin := states[names[int(of)%len(names)]]
		raw := resealed(slices.Clone(body))
		s := begin()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := rows.ReadState(s, raw)
		runtime.ReadMemStats(&after)
		if held, most := after.TotalAlloc-before.TotalAlloc, uint64(64*len(raw)+1<<20); held > most {
			t.Errorf("%d bytes were held for %d, want at most %d", held, len(raw), most)
		}
		if err != nil {
			return
		}
		if again := must(rows.WriteState(s)); string(again) != string(raw) {
			t.Errorf("%d bytes were read, and written as %d others", len(raw), len(again))
		}
	})
}
