package dpkit

import (
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/accountant/pdp"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// GramMatrix is a released second moment Σ x·xᵀ of the features.
type GramMatrix struct {
	Columns []string `json:"columns"`
	// Second is row-major and symmetric. It need not be positive semidefinite: the noise is in it.
	Second []float64 `json:"second"`
	// Sigma is the noise on each entry of the diagonal; off it Sigma/√2.
	Sigma float64 `json:"sigma"`
}

// Spread bounds how far the noise moves any eigenvalue: with probability 1 − q, by both sides of the largest eigenvalue of
// the Gaussian orthogonal ensemble. The error wraps [ErrParameter].
func (m GramMatrix) Spread(q float64) (float64, error) {
	if !(q > 0 && q < 1) || len(m.Columns) == 0 {
		return 0, fmt.Errorf("dpkit: moments: spread: got q = %g for %d columns, want a probability strictly between 0 and 1 and a column: %w", q, len(m.Columns), ErrParameter)
	}
	return symmetricCover(len(m.Columns), m.Sigma, q/2), nil
}

// String tells the shape.
func (m GramMatrix) String() string {
	return fmt.Sprintf("second moments of %d columns with noise %.6g on the diagonal", len(m.Columns), m.Sigma)
}

// Gram releases Σ x·xᵀ over the rows, in the units of the chain's rows, with noise of the Gaussian orthogonal
// ensemble: "Analyze Gauss" (Dwork, Talwar, Thakurta, Zhang 2014) with half the variance off the diagonal, as one Gaussian
// mechanism in the Frobenius norm (Redberg, Wang 2021, Algorithm 6). Cells are rounded to a public grid so coarse that the
// sum is exact, and the noise is discrete.
//
//go:noinline
func (p Pipeline) Gram(t Target) Plan[GramMatrix] {
	return newPlan[GramMatrix](p, secondMomentRelease{t})
}

type secondMomentRelease struct {
	Target `dp:"inline"`
}

func (secondMomentRelease) kind() kind { return kind{"gram", 1, "Gram", "dpkit.secondMomentRelease"} }

// momentsPlan is a Gaussian query on the packed sum.
type momentsPlan struct {
	*linearDomain
	gaussianQuery
	free float64
}

func (s secondMomentRelease) check(in frames.Schema) error {
	if s.Noise == LaplaceNoise {
		return fmt.Errorf("noise: got Laplace, want Gaussian: the matrix is measured in the Frobenius norm: %w", ErrParameter)
	}
	if err := s.Target.check(); err != nil {
		return err
	}
	return encodedFeatures(in, "")
}

func (s secondMomentRelease) plan(st Stage) (*momentsPlan, error) {
	if err := s.check(st.In); err != nil {
		return nil, err
	}
	dom, err := momentDomain(st)
	if err != nil {
		return nil, err
	}
	d := dom.d
	pl := &momentsPlan{linearDomain: dom}
	pl.coordinates = d * (d + 1) / 2
	pl.max = up(math.Sqrt2 * float64(dom.n) * dom.rx * dom.rx)
	// √2 times an exact entry is rounded once, on either side.
	fp := 2 * math.Sqrt(float64(pl.coordinates)) * 0x1p-52 * pl.max
	raw, err := pair.Start(dom.n, dom.rx, st.Before.Neighbours)
	if err != nil {
		return nil, err
	}
	pl.free, pl.sensitivity = up(momentSensitivity(raw, 0)+fp), up(momentSensitivity(dom.features, 0)+fp)
	mu, err := st.spent.mu(s.budget())
	if err != nil {
		return nil, err
	}
	return pl, pl.calibrate(mu)
}

func (s secondMomentRelease) Settle(st Stage) (settled[GramMatrix], error) {
	pl, err := s.plan(st)
	if err != nil {
		return settled[GramMatrix]{}, err
	}
	b, err := s.price(pl, st)
	out := readOnce(b, pl.moments, func(m *secondMoments, rng *noise.Source) (GramMatrix, error) {
		packed := packSymmetric(make([]float64, 0, pl.coordinates), m.sum, pl.d, m.size)
		return pl.moment(st.In, unpackSymmetric(pl.draw(rng, packed), pl.d), pl.sigma), nil
	})
	out.audit = pl.audit
	out.predicted = prediction{"standard deviation of the noise on an entry of the diagonal", []float64{pl.sigma}}
	return out, err
}

func (s secondMomentRelease) price(pl *momentsPlan, st Stage) (bill, error) {
	return pl.price(s.budget(), st, pl.free, ReleaseCost{
		Name: describe(s),
		Constants: []Constant{
			{"R̃", pl.rx, FromSchema, "bound on a row's norm, rounding included"},
			{"σ", pl.sigma, FromParameter, "noise on each diagonal entry of XᵀX; off the diagonal σ/√2"},
		},
		Reference: "Dwork, Talwar, Thakurta, Zhang 2014, Algorithm 1, with noise of the Gaussian orthogonal ensemble (Redberg, Wang 2021, Algorithm 6)",
	})
}

// Exact returns the sum itself.
func (s secondMomentRelease) Exact(ctx context.Context, in driver, st Stage) (GramMatrix, error) {
	if err := s.check(st.In); err != nil {
		return GramMatrix{}, err
	}
	dom, err := momentDomain(st)
	if err != nil {
		return GramMatrix{}, err
	}
	m, err := dom.moments(ctx, in)
	if err != nil {
		return GramMatrix{}, err
	}
	return dom.moment(st.In, m.leading(dom.d), 0), nil
}

func (g *linearDomain) moment(in frames.Schema, second []float64, sigma float64) GramMatrix {
	m := GramMatrix{Second: second, Sigma: sigma}
	for _, f := range in.Features() {
		m.Columns = append(m.Columns, f.Name)
	}
	return m
}

// leading is the d×d block in the upper left.
func (m *secondMoments) leading(d int) []float64 {
	out := make([]float64, 0, d*d)
	for i := range d {
		out = append(out, m.sum[i*m.size:i*m.size+d]...)
	}
	return out
}

func (pl *momentsPlan) audit(ctx context.Context, in frames.Source, released any) ([]float64, error) {
	m, err := pl.moments(ctx, inProcess{in})
	if err != nil {
		return nil, err
	}
	a, err := pdp.Moments{Second: released.(GramMatrix).Second, Sigma: pl.sigma}.Audit(m.leading(pl.d), nil)
	if err != nil {
		return nil, err
	}
	return eachLoss(ctx, in, pl.d, func(z, row []float64, _ float64) float64 {
		all := make([]float64, pl.size())
		pl.row(all, row, 0)
		copy(z, all)
		return 0
	}, func(x, _ []float64) (pdp.Curator[[]float64], error) { return a.Losses(x, nil, true) })
}
