package linear

import (
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/origin"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/accountant/pdp"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
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
	origin.Provenance
}

// Spread bounds how far the noise moves any eigenvalue: with probability 1 − q, by both sides of the largest eigenvalue of
// the Gaussian orthogonal ensemble. The error wraps [kind.ErrParameter].
func (m GramMatrix) Spread(q float64) (float64, error) {
	if !(q > 0 && q < 1) || len(m.Columns) == 0 {
		return 0, fmt.Errorf("dpkit: moments: spread: got q = %g for %d columns, want a probability strictly between 0 and 1 and a column: %w", q, len(m.Columns), kind.ErrParameter)
	}
	return rows.SymmetricCover(len(m.Columns), m.Sigma, q/2), nil
}

// String tells the shape.
func (m GramMatrix) String() string {
	return origin.Under(m.Provenance, fmt.Sprintf("second moments of %d columns with noise %.6g on the diagonal", len(m.Columns), m.Sigma))
}

// GramRelease releases the second moment Σ x·xᵀ of the features with noise of the Gaussian orthogonal ensemble.
type GramRelease struct {
	query.Target `dp:"inline"`
}

func (GramRelease) Kind() kind.Kind {
	return kind.Kind{Name: "gram", Law: 1, Call: "Gram", Was: "dpkit.secondMomentRelease"}
}

// calibratedGram is a Gaussian query on the packed sum.
type calibratedGram struct {
	*LinearDomain
	query.GaussianQuery
	free  float64
	moves func(p pair.State) (float64, error) // as Sensitivity on the chain's pair state
}

func (s GramRelease) check(in frames.Schema) error {
	if s.Noise == query.NoiseLaplace {
		return fmt.Errorf("noise: got Laplace, want Gaussian: the matrix is measured in the Frobenius norm: %w", kind.ErrParameter)
	}
	if err := s.Target.Check(); err != nil {
		return err
	}
	return domain.EncodedFeatures(in, "")
}

// Calibrate settles the grid and the noise on the packed sum. Errors wrap [kind.ErrParameter], [stage.ErrColumn],
// [stage.ErrOrder], or are those of the target or of the noise's grid.
func (s GramRelease) Calibrate(st stage.Stage) (*calibratedGram, error) {
	if err := s.check(st.In); err != nil {
		return nil, err
	}
	dom, err := gramDomain(st)
	if err != nil {
		return nil, err
	}
	d := dom.D
	pl := &calibratedGram{LinearDomain: dom}
	pl.Coordinates = d * (d + 1) / 2
	pl.Max = stage.Up(math.Sqrt2 * float64(dom.N) * dom.Rx * dom.Rx)
	// √2 times an exact entry is rounded once, on either side.
	fp := 2 * math.Sqrt(float64(pl.Coordinates)) * 0x1p-52 * pl.Max
	raw, err := pair.Start(dom.N, dom.Rx, st.Before.Neighbours)
	if err != nil {
		return nil, err
	}
	pl.free, pl.Sensitivity = stage.Up(NormalSensitivity(raw, 0)+fp), stage.Up(NormalSensitivity(dom.Features, 0)+fp)
	pl.moves = func(p pair.State) (float64, error) {
		p, err := dom.FeaturesBehind(p)
		return stage.Up(NormalSensitivity(p, 0) + fp), err
	}
	mu, err := st.Spent.Mu(s.Budget())
	if err != nil {
		return nil, err
	}
	return pl, pl.Calibrate(mu)
}

func (s GramRelease) Settle(st stage.Stage) (mechanism.Settled[GramMatrix], error) {
	pl, err := s.Calibrate(st)
	if err != nil {
		return mechanism.Settled[GramMatrix]{}, err
	}
	b, err := s.price(pl, st)
	out := mechanism.ReadOnce(b, pl.NormalEquations, func(m *NormalEquations, rng *noise.Source) (GramMatrix, error) {
		packed := rows.PackSymmetric(make([]float64, 0, pl.Coordinates), m.Sum, pl.D, m.Size)
		return pl.gramMatrix(st.In, rows.UnpackSymmetric(pl.Draw(rng, packed), pl.D), pl.Sigma), nil
	})
	out.Audit = pl.audit
	out.Predicted = mechanism.Prediction{Of: "noise on an entry of the diagonal; off it 1/√2 of that", Size: []float64{pl.Sigma}, Law: mechanism.Gaussian}
	return out, err
}

func (s GramRelease) price(pl *calibratedGram, st stage.Stage) (query.Bill, error) {
	return pl.Price(s.Budget(), st, pl.free, pl.moves, cost.Release{
		Name: kind.Describe(s),
		Constants: []stage.Constant{
			{Symbol: "R̃", Value: pl.Rx, Origin: stage.FromSchema, Meaning: "bound on a row's norm, rounding included"},
			{Symbol: "σ", Value: pl.Sigma, Origin: stage.FromParameter, Meaning: "noise on each diagonal entry of XᵀX; off the diagonal σ/√2"},
		},
		Reference: "Dwork, Talwar, Thakurta, Zhang 2014, Algorithm 1, with noise of the Gaussian orthogonal ensemble (Redberg, Wang 2021, Algorithm 6)",
	})
}

// Exact returns the sum itself.
func (s GramRelease) Exact(ctx context.Context, in rows.Driver, st stage.Stage) (GramMatrix, error) {
	if err := s.check(st.In); err != nil {
		return GramMatrix{}, err
	}
	dom, err := gramDomain(st)
	if err != nil {
		return GramMatrix{}, err
	}
	m, err := dom.NormalEquations(ctx, in)
	if err != nil {
		return GramMatrix{}, err
	}
	return dom.gramMatrix(st.In, m.Leading(dom.D), 0), nil
}

func (g *LinearDomain) gramMatrix(in frames.Schema, second []float64, sigma float64) GramMatrix {
	m := GramMatrix{Second: second, Sigma: sigma}
	for _, f := range in.Features() {
		m.Columns = append(m.Columns, f.Name)
	}
	return m
}

// Leading is the d×d block in the upper left.
func (m *NormalEquations) Leading(d int) []float64 {
	out := make([]float64, 0, d*d)
	for i := range d {
		out = append(out, m.Sum[i*m.Size:i*m.Size+d]...)
	}
	return out
}

func (pl *calibratedGram) audit(ctx context.Context, in frames.Source, released any) ([]float64, error) {
	m, err := pl.NormalEquations(ctx, rows.InProcess{In: in})
	if err != nil {
		return nil, err
	}
	a, err := pdp.Moments{Second: released.(GramMatrix).Second, Sigma: pl.Sigma}.Audit(m.Leading(pl.D), nil)
	if err != nil {
		return nil, err
	}
	return rows.EachLoss(ctx, in, pl.D, func(z, row []float64, _ float64) float64 {
		all := make([]float64, pl.Size())
		pl.row(all, row, 0)
		copy(z, all)
		return 0
	}, func(x, _ []float64) (pdp.Curator[[]float64], error) { return a.Losses(x, nil, true) })
}
