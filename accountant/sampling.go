package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// SamplingKind says how a step of stochastic gradient descent draws its rows.
type SamplingKind uint8

const (
	// Poisson draws every row independently with the same rate.
	Poisson SamplingKind = iota + 1
	// WithoutReplacement draws a uniform batch of a fixed size.
	WithoutReplacement
)

// String names the kind.
func (k SamplingKind) String() string {
	switch k {
	case Poisson:
		return "Poisson"
	case WithoutReplacement:
		return "without replacement"
	default:
		return fmt.Sprintf("SamplingKind(%d)", uint8(k))
	}
}

// Sampling is the draw of one step. All of it is public.
type Sampling struct {
	Kind  SamplingKind
	Rate  float64 // q of Poisson sampling, in [0, 1]; 0 otherwise
	Batch int     // size of a batch without replacement; 0 under Poisson
	Rows  int     // size of the table that batches are drawn from; 0 under Poisson
}

// PoissonSampling is the draw of every row with probability rate.
func PoissonSampling(rate float64) Sampling {
	return Sampling{Kind: Poisson, Rate: rate}
}

// BatchSampling is the draw of batch rows out of rows, without replacement.
func BatchSampling(batch, rows int) Sampling {
	return Sampling{Kind: WithoutReplacement, Batch: batch, Rows: rows}
}

// Validate reports a rate or a batch that cannot be drawn, and fields of the other kind. The error
// wraps [ErrParameter].
func (s Sampling) Validate() error {
	switch s.Kind {
	case Poisson:
		if !(s.Rate >= 0 && s.Rate <= 1) {
			return fmt.Errorf("accountant: sampling: rate: got %g, want a probability in [0, 1]: %w", s.Rate, ErrParameter)
		}
		if s.Batch != 0 || s.Rows != 0 {
			return fmt.Errorf("accountant: sampling: batch and rows: got %d of %d under Poisson, want 0; set Rate alone: %w", s.Batch, s.Rows, ErrParameter)
		}
	case WithoutReplacement:
		if s.Rows < 1 || s.Batch < 0 || s.Batch > s.Rows {
			return fmt.Errorf("accountant: sampling: batch: got %d of %d rows, want 0 to rows, of at least 1 row: %w", s.Batch, s.Rows, ErrParameter)
		}
		if s.Rate != 0 {
			return fmt.Errorf("accountant: sampling: rate: got %g without replacement, want 0; set Batch and Rows alone: %w", s.Rate, ErrParameter)
		}
	default:
		return fmt.Errorf("accountant: sampling: kind: got %v, want Poisson or WithoutReplacement: %w", s.Kind, ErrParameter)
	}
	return nil
}

// none and all report the two ends, where there is no sampling to speak of.
func (s Sampling) none() bool { return s.rate() == 0 }
func (s Sampling) all() bool  { return s.rate() == 1 }

// rate is the probability that one given row is drawn, rounded up.
func (s Sampling) rate() float64 {
	if s.Kind == Poisson {
		return s.Rate
	}
	return quad.DivUp(float64(s.Batch), float64(s.Rows))
}

// String reads "Poisson 0.01" or "100 of 10000".
func (s Sampling) String() string {
	if s.Kind == WithoutReplacement {
		return fmt.Sprintf("%d of %d", s.Batch, s.Rows)
	}
	return fmt.Sprintf("%v %.6g", s.Kind, s.Rate)
}

// DisplacedRows bounds what preprocessing did to the gradients of the rows that both tables have: at
// most Rows of them differ, each by at most Each (at most 2C counts, as gradients are clipped), and
// all of them together by at most Total; a Total of 0 stands for Rows·Each. The zero value is a step
// on undisplaced rows. In the terms of a pair.State, Each = μ t∞ and Total = μ t1 with the Lipschitz
// constant μ of a row's gradient, uniform over the parameters that can be visited.
type DisplacedRows struct {
	Rows        int
	Each, Total float64
}

// Validate reports a bound that is negative or NaN, and one without rows. The error wraps [ErrParameter].
func (d DisplacedRows) Validate() error {
	if d.Rows < 0 || !(d.Each >= 0) || !(d.Total >= 0) {
		return fmt.Errorf("accountant: displaced rows: got %d rows, each %g, total %g, want at least 0: %w", d.Rows, d.Each, d.Total, ErrParameter)
	}
	if (d.Rows == 0 || d.Each == 0) && (d.Rows > 0 || d.Each > 0 || d.Total > 0) {
		return fmt.Errorf("accountant: displaced rows: got %d rows, each %g, total %g, want rows and each positive together; each can be 2C: %w",
			d.Rows, d.Each, d.Total, ErrParameter)
	}
	return nil
}

// displacement is a [DisplacedRows] in units of the noise.
type displacement struct {
	DisplacedRows
	fewest int // rows among which the total is spread at its worst where cost is convex in the displacements
}

// scaled puts in clipping and totals: +Inf never stays. The number of rows does not depend on the noise.
func (d DisplacedRows) scaled(c, sigma float64) displacement {
	if d.Rows == 0 {
		return displacement{}
	}
	d.Each = min(d.Each, 2*c)
	all := quad.MulUp(float64(d.Rows), d.Each)
	if d.Total == 0 || d.Total > all {
		d.Total = all
	}
	d.Each = min(d.Each, d.Total)
	fewest := int(min(float64(d.Rows), math.Ceil(quad.DivUp(d.Total, d.Each))))
	d.Each = quad.DivUp(d.Each, sigma)
	d.Total = quad.DivUp(d.Total, sigma)
	return displacement{d, fewest}
}
