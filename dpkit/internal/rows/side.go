package rows

import (
	"context"
	"math/bits"

	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// A Sided step keeps the rows of some people, whom nothing but their places among all tells.
type Sided interface {
	stage.Preprocessor
	// Side is who is kept.
	Side(st stage.Stage) (Side, error)
}

// Side are people that are kept, each of whom has so many rows, one behind the other.
type Side struct {
	Kept []bool // by the place of the person
	Each int    // rows of a person
	Left int    // people that are kept
}

// Drawn picks some of n places, by public randomness that hangs on n and on how many are picked alone, so that a larger pick of as many
// places is another one. It is Knuth's selection sampling (TAOCP 2, 3.4.2, Algorithm S) on SipHash of the places' numbers, which no release
// of Go changes: who is on which side must be the same whenever a split is named.
func Drawn(n, picked int) []bool {
	key := sipKey{uint64(n), uint64(picked)}
	out := make([]bool, n)
	for i, left := 0, picked; i < n; i++ {
		// The high word of a product is below n − i, each number as likely up to 2⁻⁶⁴.
		if at, _ := bits.Mul64(key.begin().word(uint64(i)).end(8), uint64(n-i)); at < uint64(left) {
			out[i] = true
			left--
		}
	}
	return out
}

// OfSide are the rows of one side, in their order. Those of others are not passed on.
type OfSide struct {
	In   frames.Source
	Keep Side
}

func (s *OfSide) Schema() frames.Schema { return s.In.Schema() }

func (s *OfSide) Rows() int { return s.Keep.Left * s.Keep.Each }

func (s *OfSide) Scan(ctx context.Context, fn func(*frames.Block) error) error {
	out := &frames.Block{}
	next := 0
	return s.In.Scan(ctx, func(b *frames.Block) error {
		*out = frames.Block{First: next, Cols: b.Cols, X: out.X[:0], Y: out.Y[:0], Empty: out.Empty[:0]}
		for i := range b.Rows {
			if !s.Keep.Kept[(b.First+i)/s.Keep.Each] {
				continue
			}
			out.Rows++
			out.X = append(out.X, b.Row(i)...)
			if b.Y != nil {
				out.Y = append(out.Y, b.Y[i])
			}
			if b.Empty != nil {
				out.Empty = append(out.Empty, b.Empty[i])
			}
		}
		if next += out.Rows; out.Rows == 0 {
			return nil
		}
		passed := *out
		if b.Y == nil {
			passed.Y = nil
		}
		if b.Empty == nil {
			passed.Empty = nil
		}
		return fn(&passed)
	})
}
