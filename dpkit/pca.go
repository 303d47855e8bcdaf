package dpkit

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/frames"
)

// PCA denoises the training rows by a soft spectral filter of their second moment A = XᵀX/n,
// fitted without noise and priced: x ↦ f(A)x. Unlike a projection onto the leading directions,
// whose price explodes with a small eigengap, the filter has a finite price on every dataset.
// The rows keep their columns, so that a model trained on filtered rows reads raw ones: the
// fitted filter never leaves the pipeline.
func (p Pipeline) PCA(f SpectralFilter) Pipeline {
	if f == nil {
		return p.with(broken{"PCA(nil)", fmt.Errorf("got no filter, want dpkit.SoftThreshold or dpkit.Tikhonov: %w", ErrParameter)})
	}
	return p.with(spectral{f})
}

// A SpectralFilter is [SoftThreshold] or [Tikhonov].
type SpectralFilter interface {
	fmt.Stringer
	// constants of the filter on rows of norm at most r.
	constants(r float64) spectralConstants
}

// spectralConstants are those of the stability calculus, Lemma 4, in absolute units.
type spectralConstants struct {
	lambda float64
	k      float64                 // sup ‖f(A)‖
	joint  float64                 // Frobenius Lipschitz constant of X ↦ X f(XᵀX/n)
	lip    float64                 // Lipschitz constant of f in Frobenius norm
	aInf   float64                 // n·(fit displacement of one row): R·lip·‖nE‖
	f      func(a float64) float64 // a ≥ 0
}

// SoftThreshold soft-thresholds the singular values of X/√n at √λ: f(a) = (1 − √(λ/a))₊. It is the
// proximal map of the nuclear norm, hence 1-Lipschitz on the whole matrix.
type SoftThreshold struct {
	Lambda float64 // λ, in units of R²; 0 < Lambda < 1; no default
}

func (s SoftThreshold) String() string { return fmt.Sprintf("SoftThreshold{%g}", s.Lambda) }

func (s SoftThreshold) constants(r float64) spectralConstants {
	l := s.Lambda * r * r
	return spectralConstants{
		lambda: l, k: 1 - math.Sqrt(l)/r, joint: 1, lip: 1 / (2 * l), aInf: r * math.Sqrt2 * r * r / (2 * l),
		f: func(a float64) float64 {
			if a <= l {
				return 0
			}
			return 1 - math.Sqrt(l/a)
		},
	}
}

// Tikhonov shrinks every direction by f(a) = a/(a + λ).
type Tikhonov struct {
	Lambda float64 // λ, in units of R²; 0 < Lambda < 1; no default
}

func (t Tikhonov) String() string { return fmt.Sprintf("Tikhonov{%g}", t.Lambda) }

func (t Tikhonov) constants(r float64) spectralConstants {
	l := t.Lambda * r * r
	return spectralConstants{
		lambda: l, k: r * r / (r*r + l), joint: 9. / 8, lip: 1 / l, aInf: r * r * r / l, // resolvent identity: operator norm
		f: func(a float64) float64 { return a / (a + l) },
	}
}

type spectral struct{ filter SpectralFilter }

func (s spectral) String() string { return call("PCA", s.filter.String()) }

func (s spectral) Check(in frames.Schema) (frames.Schema, error) {
	if l := s.filter.constants(1).lambda; !(l > 0) || !(l < 1) {
		return in, fmt.Errorf("threshold Lambda: got %g, want a number strictly between 0 and 1, in units of R²: %w", l, ErrParameter)
	}
	cols := in.Columns()
	found := false
	for i, c := range cols {
		if _, ok := in.FeatureIndex(c.Name); !ok {
			continue
		}
		found = true
		if c.Kind == frames.KindCategory {
			return in, fmt.Errorf("column %q is a category; encode it with OneHot before PCA: %w", c.Name, ErrOrder)
		}
		if c.Missing {
			return in, fmt.Errorf("column %q may hold missing cells; Impute before PCA: %w", c.Name, ErrOrder)
		}
		// A filtered value is bounded by the norm of its row, which filters do not raise.
		b := startRadius(in)
		cols[i] = frames.Numeric(c.Name, -b, b)
	}
	if !found {
		return in, fmt.Errorf("got no feature column: %w", ErrColumn)
	}
	return frames.NewSchema(cols...)
}

// Propagate (stability calculus, Lemma 4 and §3). One replaced row changes A by ‖E‖_F ≤ √2R²/n and
// every row moves by (f(A) − f(A'))x: ℓ2 over rows at most √n·‖E‖_F/(2√λ), hence R²/√(2λn), and
// R²/√(2λ) in L12, for every dataset and every eigengap.
func (s spectral) Propagate(st Stage) (Propagation, error) {
	p := st.Before
	n, r := float64(p.N), p.R
	c := s.filter.constants(r)
	half := 1 / (2 * math.Sqrt(c.lambda))
	shift := math.Min(2*r*p.T1/n, 2*r*p.TF/math.Sqrt(n)) // of A, by displaced rows
	e := math.Sqrt2 * r * r / n                          // of A, by the free row
	// The eigensolver and the Gram matrix in floating point: far above their backward errors.
	slack := (0x1p-36 + n*0x1p-52) * r * r * r / c.lambda
	k := up(c.k)
	b := accountant.StepBounds{
		K: k, KF: up(c.joint),
		A1: up(n*half*e + n*slack), AF: up(math.Sqrt(n) * (half*e + slack)), AInf: up(c.aInf/n + slack),
		Affected: p.N - p.F, R: up(k * r),
	}
	if p.Displaced() {
		b.H1, b.HF, b.HInf = up(n*half*shift), up(math.Sqrt(n)*half*shift), up(r*c.lip*shift)
	}
	q, err := p.Propagate(b)
	every := Taint{}
	for _, col := range st.Out.Features() {
		every[col.Name] = true
	}
	return Propagation{
		Pair: q, Taint: every, Scope: accountant.Scope{Kind: accountant.Unconditional}, Role: RoleTrainOnly,
		Constants: []Constant{
			{"λ", c.lambda, FromParameter, "threshold on the eigenvalues of XᵀX/n"},
			{"K", k, FromConstruction, "largest value of the filter"},
			{"K_F", c.joint, FromConstruction, "joint Frobenius Lipschitz constant of map and fit"},
			{"a1", b.A1, FromConstruction, "total displacement of the common rows by one replaced row: R²/√(2λ)"},
		},
		Note:      "the second moment of private rows decides the filter: every row moves when one row changes",
		Reference: "stability calculus, Lemma 4; Hu, Sanyal, Schölkopf 2024, Prop. 5, replaced by a soft filter",
	}, err
}

func (s spectral) Fit(ctx context.Context, in frames.Source, st Stage) (Transform, error) {
	d := len(st.In.Features())
	gram := make([]float64, d*d)
	err := scanRows(ctx, in, func(row []float64, _ float64) {
		for j, x := range row {
			if x == 0 {
				continue
			}
			for k := j; k < d; k++ {
				gram[j*d+k] += x * row[k]
			}
		}
	})
	if err != nil {
		return nil, err
	}
	for i := range gram {
		gram[i] /= float64(st.Before.N)
	}
	var eig mat.EigenSym
	if !eig.Factorize(mat.NewSymDense(d, gram), true) {
		return nil, errors.New("the eigensolver did not converge")
	}
	var vectors, scaled, filter mat.Dense
	eig.VectorsTo(&vectors)
	c := s.filter.constants(st.Before.R)
	scaled.CloneFrom(&vectors)
	for j, a := range eig.Values(nil) {
		f := c.f(math.Max(a, 0))
		for i := range d {
			scaled.Set(i, j, scaled.At(i, j)*f)
		}
	}
	filter.Mul(&scaled, vectors.T())
	fitted := hide(filter.RawMatrix().Data)
	return func(dst, src []float64) {
		m := fitted.get()
		clear(dst)
		for j, x := range src {
			if x == 0 {
				continue
			}
			for k, v := range m[j*d : (j+1)*d] {
				dst[k] += x * v
			}
		}
	}, nil
}

// Deploy is the identity: the filter denoises training rows only.
func (s spectral) Deploy(Stage) (RowMap, error) { return RowMap{}, nil }
