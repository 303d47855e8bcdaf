package rows

import "github.com/dpkit-go/dpnb/internal/linalg"

// PackedStrip is how many rows that come as they are had better be packed at a time: all that is computed of them stays in a first-level cache.
const PackedStrip = packedRows

// PackedStrips are strips of packed rows, one at a time and all of one shape, with what a pass has for each vector of coefficients: what margins need of
// it, and sums over rows. They come packed, or as they are.
type PackedStrips struct {
	rows    *linalg.Packed
	own     *linalg.Packed // of rows that came as they are; nil: none yet
	x       []float64      // the cells of own, stride apart
	stride  int
	shape   *linalg.PackedShape
	work    linalg.PackedWork
	weights []*linalg.PackedWeights
	sums    []*linalg.PackedSums // pending
}

// NewPackedStrips is for rows of a shape, without vectors.
func NewPackedStrips(shape *linalg.PackedShape) *PackedStrips { return &PackedStrips{shape: shape} }

// Shape is that of the rows.
func (s *PackedStrips) Shape() *linalg.PackedShape { return s.shape }

// Weigh makes w the k-th vector, at most one more than there are. Its sums stay.
func (s *PackedStrips) Weigh(k int, w []float64) {
	if k == len(s.weights) {
		s.weights, s.sums = append(s.weights, nil), append(s.sums, s.shape.Sums())
	}
	s.weights[k] = s.shape.Weights(w, s.weights[k])
}

// Take goes on with packed rows.
func (s *PackedStrips) Take(x *linalg.Packed) { s.rows = x }

// Pack goes on with n rows that it packs.
func (s *PackedStrips) Pack(x []float64, n, stride int) (err error) {
	s.own, err = s.shape.Pack(x, n, stride, s.own, &s.work)
	s.rows, s.x, s.stride = s.own, x, stride
	return err
}

// Margins are those of [linalg.Margins] with w, the k-th vector, and plus; and squares, unless they are nil.
func (s *PackedStrips) Margins(m, squares []float64, k int, w []float64, plus float64) error {
	if squares != nil {
		var err error
		if s.rows == s.own { // whose cells are at hand; the margins are written over
			err = linalg.Margins(m, squares, s.x, len(m), len(w), s.stride, w)
		} else {
			err = s.rows.Squares(squares, &s.work)
		}
		if err != nil {
			return err
		}
	}
	return s.rows.Margins(m, s.weights[k], plus, &s.work)
}

// AddRounded is [linalg.AddRounded] to the sums of the k-th vector.
func (s *PackedStrips) AddRounded(k int, f []float64) error {
	return s.rows.AddRounded(s.sums[k], f, &s.work)
}

// AddTo adds the sums of the k-th vector to those of columns, and they are 0 then.
func (s *PackedStrips) AddTo(k int, sums []int64) { s.sums[k].AddTo(sums) }
