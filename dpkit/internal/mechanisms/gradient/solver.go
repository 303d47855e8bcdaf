package gradient

import (
	"cmp"
	"fmt"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
)

// A Solver is how [ByGradient] uses the rows: [FullBatch], [PoissonSampling], [WithoutReplacement] or [ByIteration].
type Solver interface {
	fmt.Stringer
	// sampling is the draw of a step of n rows; rate is the default of its rate. The zero value takes all rows.
	sampling(n int, rate float64) (accountant.Sampling, error)
}

// FullBatch takes all rows in every step (DP-GD). For equal privacy it has the least noise; a step costs n gradients.
type FullBatch struct{}

// PoissonSampling draws every row with probability Rate, independently and anew in each step (DP-SGD; Abadi et al. 2016). The sum is
// divided by the expected number of rows, as the real one is private.
type PoissonSampling struct {
	Rate float64 // q in (0, 1]; 0: see dpkit.Pipeline.SuggestGradient
}

// WithoutReplacement draws Batch rows out of all n, anew in each step. It needs the relation dpkit.ReplaceOne, as n must be public,
// and more noise than [PoissonSampling] at the same rate.
type WithoutReplacement struct {
	Batch int // in [1, n]; 0: the default rate of Poisson
}

// ByIteration passes over the rows once, in their order and one at a time, with noise on each gradient, and releases the iterate
// behind a row that was drawn uniformly and stays secret: the steps behind a row hide it (privacy amplification by
// iteration; Feldman, Mironov, Talwar, Thakurta 2018, with the corrected bound of accountant.SGDIteration). It holds for convex losses whose clipped
// gradients are those of convex functions, constant steps η ≤ 2/β, and the one iterate: averages are refused.
type ByIteration struct{}

func (FullBatch) String() string { return "FullBatch" }

func (s PoissonSampling) String() string {
	if s.Rate == 0 {
		return "PoissonSampling"
	}
	return fmt.Sprintf("PoissonSampling(%g)", s.Rate)
}

func (s WithoutReplacement) String() string {
	if s.Batch == 0 {
		return "WithoutReplacement"
	}
	return fmt.Sprintf("WithoutReplacement(%d)", s.Batch)
}

func (ByIteration) String() string { return "ByIteration" }

func (FullBatch) sampling(int, float64) (accountant.Sampling, error) {
	return accountant.Sampling{}, nil
}

func (ByIteration) sampling(int, float64) (accountant.Sampling, error) {
	return accountant.Sampling{}, nil
}

func (s PoissonSampling) sampling(_ int, rate float64) (accountant.Sampling, error) {
	q := cmp.Or(s.Rate, rate)
	if !(q >= 1e-9 && q <= 1) {
		return accountant.Sampling{}, fmt.Errorf("PoissonSampling: Rate: got %g, want a probability in [1e-9, 1], or 0 for the default: %w", s.Rate, kind.ErrParameter)
	}
	return accountant.PoissonSampling(q), nil
}

func (s WithoutReplacement) sampling(n int, rate float64) (accountant.Sampling, error) {
	b := s.Batch
	if b == 0 {
		b = min(max(1, int(rate*float64(n)+0.5)), n)
	}
	if b < 1 || b > n {
		return accountant.Sampling{}, fmt.Errorf("WithoutReplacement: Batch: got %d of %d rows, want 1 to all of them, or 0 for the default: %w", s.Batch, n, kind.ErrParameter)
	}
	return accountant.BatchSampling(b, n), nil
}
