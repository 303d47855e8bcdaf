package dpkit

import (
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/linalg"
)

// PCA denoises the training rows by a soft spectral filter of their second moment A = XᵀX/n,
// fitted without noise and priced: x ↦ f(A)x. Unlike a projection onto the leading directions,
// whose price explodes with a small eigengap, the filter has a finite price on every dataset.
// The rows keep their columns, so that a model trained on filtered rows reads raw ones: the
// fitted filter never leaves the pipeline.
//
// A filter that is Centered subtracts the mean μ of the rows first, x ↦ f(C)(x − μ) with the
// covariance C = A − μμᵀ, at a lower price than [Pipeline.Center] and PCA one after the other. A model that reads raw
// rows would need the mean: behind it only statistics of the filtered rows can be released, and
// coefficients by [Plan.WithoutPrediction].
//
// [Hard] is the projection of the textbooks, for data with a certified eigengap, and
// [PrivateComponents] releases the directions, so that prediction may use them.
func (p Pipeline) PCA(how Components) Pipeline {
	if how == nil {
		return p.with(broken{"PCA(nil)", fmt.Errorf("got no components, want dpkit.SoftThreshold, Tikhonov, Ramp, Hard or PrivateComponents: %w", ErrParameter)})
	}
	return p.with(how.pca())
}

// Components is a [SpectralFilter], [Hard] or [PrivateComponents].
type Components interface {
	fmt.Stringer
	pca() Preprocessor
}

// filterBy is PCA by a soft filter.
func filterBy(f SpectralFilter) Preprocessor {
	if f.centred() {
		return centredSpectral{spectralFit{f}}
	}
	return spectral{spectralFit{f}}
}

// spectralFit is what the filters of A and of C share.
type spectralFit struct{ Filter SpectralFilter }

// kind: every filter has a law of its own. That of version 1 had eigenvalues of a library that tiny blocks led astray, and so
// have those of the other kinds that say so.
func (s spectralFit) kind() kind {
	k := kind{"", 2, "PCA", "dpkit.spectral"}
	switch s.Filter.(type) {
	case SoftThreshold:
		k.name = "pca/soft-threshold"
	case Tikhonov:
		k.name = "pca/tikhonov"
	case Ramp:
		k.name = "pca/ramp"
	}
	if s.Filter.centred() {
		k.was = "dpkit.centredSpectral"
	}
	return k
}

func (spectralFit) labelBlind() {}

func (s spectralFit) Check(in frames.Schema) (frames.Schema, error) {
	if err := s.Filter.check(); err != nil {
		return in, err
	}
	b := startRadius(in)
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
		if c.Kind == frames.KindCategory {
			return in, fmt.Errorf("column %q is a category; encode it with OneHot before PCA: %w", c.Name, ErrOrder)
		}
		if c.Missing {
			return in, fmt.Errorf("column %q may hold missing cells; Impute before PCA: %w", c.Name, ErrOrder)
		}
		cols[i] = frames.Numeric(c.Name, -b, b)
	}
	if !features {
		return in, fmt.Errorf("got no feature column: %w", ErrColumn)
	}
	return frames.NewSchema(cols...)
}

// propagate adds to the bounds of a filter what floating point does, in units of R, and prices it.
func (s spectralFit) propagate(st Stage, c spectralConstants, b pair.StepBounds, scale float64) (Propagation, error) {
	p := st.Before
	r := p.R
	d := len(st.In.Features())
	// The Gram matrix and the eigensolver, times the filter's Lipschitz constant, and the product.
	b = inflate(b, scale*spectralRounding(p.N, d)*r*(1+2*r*r*c.lip))
	// Vectors are a little longer or shorter than 1.
	longer := up(1 + linalg.EigenRounding(d))
	b.K, b.R = b.K*longer, b.R*longer
	q, err := p.Propagate(b)
	constants := append(c.public,
		Constant{"K", b.K, FromConstruction, "largest value of the filter"},
		Constant{"K_F", b.KF, FromConstruction, "joint Frobenius Lipschitz constant of map and fit; 0 where none is known"},
		Constant{"a1", b.A1, FromConstruction, "total displacement of the common rows by one replaced row"},
	)
	return Propagation{
		Pair: q, Taint: st.Taint.with(columnNames(unitsOf(st.In), st.In)...),
		Scope: accountant.Scope{Kind: accountant.Unconditional}, Role: RoleTrainOnly,
		Constants: constants,
		Note:      "the second moment of private rows decides the filter: every row moves when one row changes",
		Reference: "stability calculus, Lemma 4; Hu, Sanyal, Schölkopf 2024, Prop. 5, replaced by a soft filter",
	}, err
}

// spectral filters by A.
type spectral struct {
	spectralFit `dp:"base"`
}

func (s spectral) Propagate(st Stage) (Propagation, error) {
	c := s.Filter.constants(st.Before.R)
	return s.propagate(st, c, spectralBounds(st.Before, c), 1)
}

func (s spectral) Fit(ctx context.Context, in frames.Source, st Stage) (Transform, error) {
	second, err := gramOf(ctx, in, len(st.In.Features()))
	if err != nil {
		return nil, err
	}
	second.scale(st.Before.N)
	r := st.Before.R
	fitted := hide(second.apply(s.Filter.constants(r).f, r*r))
	return func(dst, src []float64) {
		clear(dst)
		addProduct(dst, src, nil, fitted.get())
	}, nil
}

// Deploy is the identity: the filter denoises training rows only.
func (s spectral) Deploy(Stage) (RowMap, error) { return RowMap{}, nil }

// centredSpectral filters centred rows by C.
type centredSpectral struct {
	spectralFit `dp:"base"`
}

func (s centredSpectral) Propagate(st Stage) (Propagation, error) {
	cols := subsetOf(st, nil)
	part := cols.pair(st.Before)
	c := s.Filter.constants(st.Before.R)
	b := centredSpectralBounds(part, c)
	two, _, _ := powers(cols.widths(part.R))
	// C ⪯ A: its eigenvalues are at most R² too.
	b.K, b.R = min(b.K, c.k), min(b.R, two)*c.k
	pr, err := s.propagate(st, c, b, 8)
	pr.Pair, pr.Role = st.emptyImage(pr.Pair), RoleDeploy
	pr.Note = "mean and covariance of private rows decide the filter: every row moves when one row changes"
	pr.Reference = "stability calculus, Lemma 4 and Lemma 6: fused centring and soft filter"
	return pr, err
}

func (s centredSpectral) Fit(ctx context.Context, in frames.Source, st Stage) (Transform, error) {
	d, n := len(st.In.Features()), st.Before.N
	second, err := gramOf(ctx, in, d)
	if err != nil {
		return nil, err
	}
	m, err := momentsOf(ctx, in, d, false)
	if err != nil {
		return nil, err
	}
	mean := m.mean(n)
	second.scale(n)
	second.subtractOuter(mean)
	r := st.Before.R
	type fit struct{ mean, filter []float64 }
	fitted := hide(fit{mean, second.apply(s.Filter.constants(r).f, r*r)})
	return func(dst, src []float64) {
		clear(dst)
		f := fitted.get()
		addProduct(dst, src, f.mean, f.filter)
	}, nil
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

// spectralBounds (docs/theory/calculus.md#lemma-4-spectral-filters, docs/theory/calculus.md#spectral-filter). One replaced row changes A by
// ‖E‖_F ≤ √2R²/n and every row moves by (f(A) − f(A'))x: ℓ2 over rows at most √n·L_f·‖E‖_F, and
// n·L_f·‖E‖_F in L12, hence R²/√(2λ) for the filters of a threshold λ, for every dataset and every
// eigengap.
func spectralBounds(p pair.State, c spectralConstants) pair.StepBounds {
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

// centredSpectralBounds: (x − μ)f(C) − (x − μ')f(C') is the filter's change on x − μ, with
// ‖C − C'‖_F ≤ 4R²(n−1)/n² for a replaced row (docs/theory/calculus.md#lemma-6-centred-outer-products), and the mean's
// (docs/theory/calculus.md#fused-centring-and-soft-filter).
func centredSpectralBounds(p pair.State, c spectralConstants) pair.StepBounds {
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
