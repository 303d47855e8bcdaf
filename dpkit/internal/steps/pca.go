package steps

import (
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/linalg"
)

// Components is a [SpectralFilter], [Hard] or [PrivateComponents].
type Components interface {
	fmt.Stringer
	Pca() stage.Preprocessor
}

// FilterBy is PCA by a soft filter.
func FilterBy(f SpectralFilter) stage.Preprocessor {
	if f.centred() {
		return CentredSpectral{SpectralFit{f}}
	}
	return Spectral{SpectralFit{f}}
}

// SpectralFit is what the filters of A and of C share.
type SpectralFit struct{ Filter SpectralFilter }

// Kind: every filter has a law of its own. That of version 1 had eigenvalues of a library that tiny blocks led astray, and so
// have those of the other kinds that say so.
func (s SpectralFit) Kind() kind.Kind {
	k := kind.Kind{Name: "", Law: 2, Call: "PCA", Was: "dpkit.spectral"}
	switch s.Filter.(type) {
	case SoftThreshold:
		k.Name = "pca/soft-threshold"
	case Tikhonov:
		k.Name = "pca/tikhonov"
	case Ramp:
		k.Name = "pca/ramp"
	}
	if s.Filter.centred() {
		k.Was = "dpkit.centredSpectral"
	}
	return k
}

func (SpectralFit) LabelBlind() {}

func (s SpectralFit) Check(in frames.Schema) (frames.Schema, error) {
	if err := s.Filter.check(); err != nil {
		return in, err
	}
	b := stage.StartRadius(in)
	if s.Filter.centred() {
		b *= 2
	}
	return spectralSchema(in, b)
}

// spectralSchema is the domain of rows of norm at most b behind a linear map of all features: no value
// exceeds the norm of its row.
func spectralSchema(in frames.Schema, b float64) (frames.Schema, error) {
	features := false
	cols := in.Columns()
	for i, c := range cols {
		if _, ok := in.FeatureIndex(c.Name); !ok {
			continue
		}
		features = true
		//dp:refuses pca/category a code is no number
		if c.Kind == frames.KindCategory {
			return in, fmt.Errorf("column %q is a category; encode it with OneHot before PCA: %w", c.Name, stage.ErrOrder)
		}
		//dp:refuses pca/missing a cell that misses is no number
		if c.Missing {
			return in, fmt.Errorf("column %q may hold missing cells; Impute before PCA: %w", c.Name, stage.ErrOrder)
		}
		cols[i] = frames.Numeric(c.Name, -b, b)
	}
	if !features {
		return in, fmt.Errorf("got no feature column: %w", stage.ErrColumn)
	}
	return frames.NewSchema(cols...)
}

// propagate adds to the bounds of a filter what floating point does, in units of R, and prices it.
func (s SpectralFit) propagate(st stage.Stage, c spectralConstants, b pair.StepBounds, scale float64) (stage.Propagation, error) {
	p := st.Before
	r := p.R
	d := st.In.Width()
	// The Gram matrix and the eigensolver, times the filter's Lipschitz constant, and the product.
	b = rows.Inflate(b, scale*rows.GridSpectralRounding(p.N, d)*r*(1+2*r*r*c.lip))
	// Vectors are a little longer or shorter than 1.
	longer := stage.Up(1 + linalg.EigenRounding(d))
	b.K, b.R = b.K*longer, b.R*longer
	q, err := p.Propagate(b)
	constants := append(c.public,
		stage.Constant{Symbol: "K", Value: b.K, Origin: stage.FromConstruction, Meaning: "largest value of the filter"},
		stage.Constant{Symbol: "K_F", Value: b.KF, Origin: stage.FromConstruction, Meaning: "joint Frobenius Lipschitz constant of map and fit; 0 where none is known"},
		stage.Constant{Symbol: "a1", Value: b.A1, Origin: stage.FromConstruction, Meaning: "total displacement of the common rows by one replaced row"},
	)
	return stage.Propagation{
		Pair: q, Taint: st.Taint.With(domain.ColumnNames(domain.UnitsOf(st.In), st.In)...),
		Scope: accountant.Scope{Kind: accountant.Unconditional}, Role: stage.RoleNonPrivate,
		Constants: constants,
		Note:      "the second moment of private rows decides the filter: every row moves when one row changes",
		Reference: "stability calculus, Lemma 4; Hu, Sanyal, Schölkopf 2024, Prop. 5, replaced by a soft filter",
	}, err
}

// Spectral filters by A.
type Spectral struct {
	SpectralFit `dp:"base"`
}

func (s Spectral) Propagate(st stage.Stage) (stage.Propagation, error) {
	c := s.Filter.Constants(st.Before.R)
	return s.propagate(st, c, SpectralBounds(st.Before, c), 1)
}

func (s Spectral) Fit(ctx context.Context, in frames.Source, st stage.Stage) (stage.Transform, error) {
	second, err := rows.GramOf(ctx, in, st.In.Width(), st.Before.R)
	if err != nil {
		return nil, err
	}
	second.Scale(st.Before.N)
	r := st.Before.R
	fitted := stage.Hide(second.Apply(s.Filter.Constants(r).f, r*r))
	return stage.ByRow(func(dst, src []float64) {
		clear(dst)
		addProduct(dst, src, nil, fitted.Get())
	}), nil
}

// Deploy is the identity: the filter denoises training rows only.
func (s Spectral) Deploy(stage.Stage) (stage.RowMap, error) { return stage.RowMap{}, nil }

// CentredSpectral filters centred rows by C.
type CentredSpectral struct {
	SpectralFit `dp:"base"`
}

func (s CentredSpectral) Propagate(st stage.Stage) (stage.Propagation, error) {
	cols := subsetOf(st, nil)
	part := cols.pair(st.Before)
	c := s.Filter.Constants(st.Before.R)
	b := CentredSpectralBounds(part, c)
	two, _, _ := powers(cols.widths(part.R))
	// C ⪯ A: its eigenvalues are at most R² too.
	b.K, b.R = min(b.K, c.k), min(b.R, two)*c.k
	pr, err := s.propagate(st, c, b, 8)
	pr.Pair, pr.Role = st.EmptyImage(pr.Pair), stage.RoleDeployed
	pr.Note = "mean and covariance of private rows decide the filter: every row moves when one row changes"
	pr.Reference = "stability calculus, Lemma 4 and Lemma 6: fused centring and soft filter"
	return pr, err
}

func (s CentredSpectral) Fit(ctx context.Context, in frames.Source, st stage.Stage) (stage.Transform, error) {
	d, n := st.In.Width(), st.Before.N
	second, err := rows.GramOf(ctx, in, d, st.Before.R)
	if err != nil {
		return nil, err
	}
	m, err := rows.MomentsOf(ctx, in, d, false)
	if err != nil {
		return nil, err
	}
	mean := m.Mean(n)
	second.Scale(n)
	second.SubtractOuter(mean)
	r := st.Before.R
	type fit struct{ mean, filter []float64 }
	fitted := stage.Hide(fit{mean, second.Apply(s.Filter.Constants(r).f, r*r)})
	return stage.ByRow(func(dst, src []float64) {
		clear(dst)
		f := fitted.Get()
		addProduct(dst, src, f.mean, f.filter)
	}), nil
}

// addProduct adds M(src − shift) to dst for a symmetric matrix M, four of its rows at a time; no
// shift is 0.
func addProduct(dst, src, shift, m []float64) {
	d := len(dst)
	at := func(j int) float64 {
		if shift != nil {
			return src[j] - shift[j]
		}
		return src[j]
	}
	j := 0
	for ; j+4 <= d; j += 4 {
		x0, x1, x2, x3 := at(j), at(j+1), at(j+2), at(j+3)
		m0, m1, m2, m3 := m[j*d:][:d], m[(j+1)*d:][:d], m[(j+2)*d:][:d], m[(j+3)*d:][:d]
		for k := range dst {
			dst[k] += (x0*m0[k] + x1*m1[k]) + (x2*m2[k] + x3*m3[k])
		}
	}
	for ; j < d; j++ {
		x, row := at(j), m[j*d:][:d]
		for k := range dst {
			dst[k] += x * row[k]
		}
	}
}

// SpectralBounds (docs/theory/calculus.md#lemma-4-spectral-filters, docs/theory/calculus.md#spectral-filter). One replaced row changes A by
// ‖E‖_F ≤ √2R²/n and every row moves by (f(A) − f(A'))x: ℓ2 over rows at most √n·L_f·‖E‖_F, and
// n·L_f·‖E‖_F in L12, hence R²/√(2λ) for the filters of a threshold λ, for every dataset and every
// eigengap.
func SpectralBounds(p pair.State, c spectralConstants) pair.StepBounds {
	n, r := float64(p.N), p.R
	e := min(math.Sqrt2*r*r, 2*r*p.D()) / n
	per := e
	if c.resolvent { // A/(A + λ) − A'/(A' + λ) = λ(A + λ)⁻¹(A − A')(A' + λ)⁻¹: the operator norm does
		per = min(r*r, 2*r*p.D()) / n
	}
	shift := min(2*r*p.T1/n, 2*r*p.TF/math.Sqrt(n)) // of A, by displaced rows
	return pair.StepBounds{
		K: c.k, KF: c.joint,
		A1: n * c.weighted * e, AF: math.Sqrt(n) * c.weighted * e, AInf: r * c.lip * per,
		H1: n * c.weighted * shift, HF: math.Sqrt(n) * c.weighted * shift, HInf: r * c.lip * shift,
		Affected: p.N - p.F, R: c.k * r,
	}
}

// CentredSpectralBounds: (x − μ)f(C) − (x − μ')f(C') is the filter's change on x − μ, with
// ‖C − C'‖_F ≤ 4R²(n−1)/n² for a replaced row (docs/theory/calculus.md#lemma-6-centred-outer-products), and the mean's
// (docs/theory/calculus.md#fused-centring-and-soft-filter).
func CentredSpectralBounds(p pair.State, c spectralConstants) pair.StepBounds {
	n, common, r, d := float64(p.N), float64(p.N-1), p.R, p.D()
	e := min(4*r*r, 4*r*d) * common / (n * n)
	shift := min(4*r*p.T1/n, 2*r*p.TF/math.Sqrt(n))
	return pair.StepBounds{
		K: 1, KF: c.joint,
		A1: n*c.weighted*e + common*d/n, AF: math.Sqrt(n)*c.weighted*e + math.Sqrt(common)*d/n, AInf: 2*r*c.lip*e + d/n,
		H1: n*c.weighted*shift + common*p.T1/n, HF: math.Sqrt(n)*c.weighted*shift + p.TF, HInf: 2*r*c.lip*shift + p.T1/n,
		Affected: p.N - p.F, R: 2 * r,
	}
}
