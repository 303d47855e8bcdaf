package relativegaussian

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/frames/datasets"
	"github.com/dpkit-go/dpnb/notebooks/studies/lab"
)

// data are rows with labels of ±1.
type data struct {
	d int
	x []float64
	y []float64
}

func (r data) rows() int                   { return len(r.y) }
func (r data) row(i int) []float64         { return r.x[i*r.d : (i+1)*r.d] }
func (r *data) add(x []float64, y float64) { r.x, r.y = append(r.x, x...), append(r.y, y) }

// load reads ijcnn1, at most limit rows of it (0: all), drawn at random.
func load(ctx context.Context, limit int, seed uint64) (data, error) {
	f, _, err := datasets.IJCNN1()
	if err != nil {
		return data{}, err
	}
	r := data{d: len(f.Schema().Features())}
	err = frames.Public(f).Frame().Scan(ctx, func(b *frames.Block) error {
		for i := range b.Rows {
			r.add(b.Row(i), 2*b.Y[i]-1)
		}
		return nil
	})
	if err != nil || limit == 0 || limit >= r.rows() {
		return r, err
	}
	some := data{d: r.d}
	for _, i := range rand.New(rand.NewPCG(seed, 0)).Perm(r.rows())[:limit] {
		some.add(r.row(i), r.y[i])
	}
	return some, nil
}

// digests are the SHA-256 sums of the files that were read.
func digests() (map[string]string, error) {
	out := map[string]string{}
	for _, name := range []string{"ijcnn1/ijcnn1.trn.bz2", "ijcnn1/ijcnn1.tst.bz2"} {
		sum, err := lab.Digest(name)
		if err != nil {
			return nil, err
		}
		out[name] = sum
	}
	return out, nil
}

// Split is a way to share the rows between two nodes.
type Split string

const (
	// Random: every row goes to either node by a fair coin.
	Random Split = "random"
	// Label: 50 rows at random for each node; then all rows of class 1 to one, of class −1 to the other.
	Label Split = "label"
	// Bias: as Random, and the objectives of the nodes are moved apart: f_k(θ) becomes f_k(θ − s_k), s_2 = −s_1. It is the paper's
	// example f₁ = α‖θ‖², f₂ = β‖θ − b‖² with data in place of the constants. The paper does not say more of its bias; we take
	// ‖s_k‖ = [Distance].
	Bias Split = "bias"
)

// Distance is ‖s_k‖ of the split by bias.
const Distance = 10

// divide shares the rows; shift is s_k of each node.
func divide(r data, s Split, seed uint64) (parts [2]data, shift [2][]float64, err error) {
	rng := rand.New(rand.NewPCG(seed, 1))
	for k := range parts {
		parts[k].d = r.d
		shift[k] = make([]float64, r.d)
	}
	switch s {
	case Random, Bias:
		for i := range r.rows() {
			parts[rng.IntN(2)].add(r.row(i), r.y[i])
		}
		if s == Bias {
			var square float64
			for j := range r.d {
				v := rng.NormFloat64()
				shift[0][j] = v
				square += v * v
			}
			for j := range r.d {
				shift[0][j] *= Distance / math.Sqrt(square)
				shift[1][j] = -shift[0][j]
			}
		}
	case Label:
		order := rng.Perm(r.rows())
		for i, at := range order {
			k := i / 50
			if k > 1 {
				k = 0
				if r.y[at] < 0 {
					k = 1
				}
			}
			parts[k].add(r.row(at), r.y[at])
		}
	default:
		return parts, shift, fmt.Errorf("split: got %q, want one of %q", s, []Split{Random, Label, Bias})
	}
	return parts, shift, nil
}
