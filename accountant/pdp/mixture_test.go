package pdp

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// eliminate returns ln|A| and A⁻¹B by Gauss-Jordan: nothing is shared with the code under test.
func eliminate(a, b [][]float64) (logDet float64, x [][]float64) {
	n := len(a)
	m := make([][]float64, n)
	for i := range n {
		m[i] = append(append([]float64{}, a[i]...), b[i]...)
	}
	for j := range n {
		logDet += math.Log(m[j][j])
		for i := range n {
			if i == j {
				continue
			}
			f := m[i][j] / m[j][j]
			for k := range m[i] {
				m[i][k] -= f * m[j][k]
			}
		}
	}
	for i := range n {
		row := m[i][n:]
		for k := range row {
			row[k] /= m[i][i]
		}
		x = append(x, row)
	}
	return logDet, x
}

// gramOf is Σ zzᵀ + s I.
func gramOf(rows [][]float64, m int, s float64) [][]float64 {
	g := make([][]float64, m)
	for i := range g {
		g[i] = make([]float64, m)
		g[i][i] = s
	}
	for _, z := range rows {
		for i := range m {
			for j := range m {
				g[i][j] += z[i] * z[j]
			}
		}
	}
	return g
}

func flatten(rows [][]float64) []float64 {
	var out []float64
	for _, r := range rows {
		out = append(out, r...)
	}
	return out
}

func leading(a [][]float64, d int) [][]float64 {
	var out [][]float64
	for _, r := range a[:d] {
		out = append(out, r[:d])
	}
	return out
}

// TestMixtureLossIsTheDensityRatio compares losses of Wishart matrices and of t-distributed coefficients with ratios of
// densities that are computed afresh.
func TestMixtureLossIsTheDensityRatio(t *testing.T) {
	rng := rand.New(rand.NewPCG(81, 82))
	draw := func(n, m int) [][]float64 {
		rows := make([][]float64, n)
		for i := range rows {
			for range m {
				rows[i] = append(rows[i], rng.NormFloat64())
			}
		}
		return rows
	}
	for range 200 {
		m, k := 2+rng.IntN(4), 8+rng.IntN(20)
		rows := draw(5+rng.IntN(10), m)
		sigma := math.Exp(rng.NormFloat64())
		w := gramOf(draw(k, m), m, 0)
		wishart := func(rows [][]float64) float64 {
			logDet, x := eliminate(gramOf(rows, m, sigma*sigma), w)
			trace := 0.0
			for i := range x {
				trace += x[i][i]
			}
			return -float64(k)/2*logDet - trace/2
		}
		z := rows[0]
		ratio := wishart(rows) - wishart(rows[1:])
		g := GaussMix{Inner: flatten(w), Rows: k, Sigma: sigma}
		with, err := g.Audit(flatten(gramOf(rows, m, 0)))
		if err != nil {
			t.Fatal(err)
		}
		without, err := g.Audit(flatten(gramOf(rows[1:], m, 0)))
		if err != nil {
			t.Fatal(err)
		}
		in, err := with.Loss(z, true)
		if err != nil {
			t.Fatal(err)
		}
		out, err := without.Loss(z, false)
		if err != nil {
			t.Fatal(err)
		}
		size := 1 + math.Abs(wishart(rows))
		for _, got := range []float64{opened(t, in), -opened(t, out)} {
			if !(math.Abs(got-ratio) <= 1e-10*size) {
				t.Fatalf("mixture: loss %.15g, ratio %.15g", got, ratio)
			}
		}

		d := m - 1
		l := LinearMixing{Coef: draw(1, d)[0], Rows: k, Sigma: sigma}
		student := func(rows [][]float64) float64 {
			s := gramOf(rows, m, sigma*sigma)
			var right [][]float64
			for i := range d {
				right = append(right, []float64{s[i][d]})
			}
			logDet, ridge := eliminate(leading(s, d), right)
			v := s[d][d]
			for i := range d {
				v -= s[i][d] * ridge[i][0]
			}
			q := 0.0
			for i := range d {
				for j := range d {
					q += (l.Coef[i] - ridge[i][0]) * s[i][j] * (l.Coef[j] - ridge[j][0])
				}
			}
			nu := float64(k - d + 1)
			return logDet/2 - float64(d)/2*math.Log(v) - (nu+float64(d))/2*math.Log1p(q/v)
		}
		ratio = student(rows) - student(rows[1:])
		a, err := l.Audit(flatten(gramOf(rows, m, 0)))
		if err != nil {
			t.Fatal(err)
		}
		b, err := l.Audit(flatten(gramOf(rows[1:], m, 0)))
		if err != nil {
			t.Fatal(err)
		}
		if in, err = a.Loss(z[:d], z[d], true); err != nil {
			t.Fatal(err)
		}
		if out, err = b.Loss(z[:d], z[d], false); err != nil {
			t.Fatal(err)
		}
		size = 1 + math.Abs(student(rows))
		for _, got := range []float64{opened(t, in), -opened(t, out)} {
			if !(math.Abs(got-ratio) <= 1e-10*size) {
				t.Fatalf("coefficients: loss %.15g, ratio %.15g", got, ratio)
			}
		}
	}
}

// TestMixtureMeanOfTheRatio: E[exp(−loss)] = 1 over W = Σχ² for one column, and the losses have the profile of PDP; over the
// coefficient of one feature by its t law.
func TestMixtureMeanOfTheRatio(t *testing.T) {
	const k, sigma = 7, 1.3
	z := []float64{0.9}
	gram := []float64{2.5}
	total := gram[0] + sigma*sigma
	for _, member := range []bool{true, false} {
		mean, excess := 0.0, 0.0
		const eps = 0.4
		for lo := 0.0; lo < 120; lo++ {
			at := func(w float64, f func(loss float64) float64) float64 {
				a, err := GaussMix{Inner: []float64{total * w}, Rows: k, Sigma: sigma}.Audit(gram)
				if err != nil {
					t.Fatal(err)
				}
				loss, err := a.Loss(z, member)
				if err != nil {
					t.Fatal(err)
				}
				return f(opened(t, loss)) * math.Exp(quad.LogChiPDF(w, k)) / (2 * math.Sqrt(w))
			}
			mean += quad.Legendre(func(w float64) float64 { return at(w, func(l float64) float64 { return math.Exp(-l) }) }, lo, lo+1)
			excess += quad.Legendre(func(w float64) float64 {
				return at(w, func(l float64) float64 { return max(0, -math.Expm1(eps-l)) })
			}, lo, lo+1)
		}
		if !(math.Abs(mean-1) <= 1e-9) {
			t.Errorf("member %v: E exp(−loss) = %.12g, want 1", member, mean)
		}
		if member {
			a, err := GaussMix{Inner: []float64{1}, Rows: k, Sigma: sigma}.Audit(gram)
			if err != nil {
				t.Fatal(err)
			}
			pdp, err := a.PDP(z, excess)
			if err != nil {
				t.Fatal(err)
			}
			if got := opened(t, pdp); !(math.Abs(got-eps) <= 1e-3) {
				t.Errorf("pDP at δ = %g: got %g, want %g", excess, got, eps)
			}
		}
	}

	// One feature: Σ of (x, v), and the density of the coefficient up to its constant, which the first integral gives.
	rows := [][]float64{{0.5, 0.2}, {-0.4, 0.3}, {0.8, -0.9}}
	full := flatten(gramOf(rows, 2, 0))
	for _, member := range []bool{true, false} {
		var mass, mean float64
		for angle := -math.Pi / 2; angle < math.Pi/2-1e-9; angle += math.Pi / 64 {
			at := func(f func(a CoefficientAudit) float64) func(float64) float64 {
				return func(phi float64) float64 {
					w := math.Tan(phi)
					a, err := LinearMixing{Coef: []float64{w}, Rows: k, Sigma: 0.6}.Audit(full)
					if err != nil {
						t.Fatal(err)
					}
					s, _ := a.residual.Open()
					return math.Exp(-float64(k+1)/2*math.Log(s)) * (1 + w*w) * f(a)
				}
			}
			mass += quad.Legendre(at(func(CoefficientAudit) float64 { return 1 }), angle, angle+math.Pi/64)
			mean += quad.Legendre(at(func(a CoefficientAudit) float64 {
				loss, err := a.Loss(rows[2][:1], rows[2][1], member)
				if err != nil {
					t.Fatal(err)
				}
				return math.Exp(-opened(t, loss))
			}), angle, angle+math.Pi/64)
		}
		if !(math.Abs(mean/mass-1) <= 1e-9) {
			t.Errorf("coefficient, member %v: E exp(−loss) = %.12g, want 1", member, mean/mass)
		}
	}
}

// TestMomentLosses: those of many rows are the Gaussian sum's, of one row each.
func TestMomentLosses(t *testing.T) {
	rng := rand.New(rand.NewPCG(83, 84))
	const d, n = 4, 700
	normals := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		return v
	}
	second, noise := make([]float64, d*d), make([]float64, d*d)
	for i := range d {
		for j := range i + 1 {
			u, v := rng.NormFloat64(), rng.NormFloat64()
			second[i*d+j], second[j*d+i], noise[i*d+j], noise[j*d+i] = u, u, v, v
		}
	}
	cross, e := normals(d), normals(d)
	x, labels := normals(n*d), normals(n)
	m := Moments{Second: make([]float64, d*d), Cross: make([]float64, d), Sigma: 0.7}
	var sum, out []float64
	for i := range d {
		for j := i; j < d; j++ {
			f := 1.0
			if j > i {
				f = math.Sqrt2
			}
			sum, out = append(sum, f*second[i*d+j]), append(out, f*(second[i*d+j]+noise[i*d+j]))
		}
		m.Cross[i] = cross[i] + e[i]
	}
	sum, out = append(sum, cross...), append(out, m.Cross...)
	for i, v := range second {
		m.Second[i] = v + noise[i]
	}
	a, err := m.Audit(second, cross)
	if err != nil {
		t.Fatal(err)
	}
	for _, member := range []bool{true, false} {
		losses, err := a.Losses(x, labels, member)
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range opened(t, losses) {
			row := x[i*d : (i+1)*d]
			var phi []float64
			for j := range d {
				for k := j; k < d; k++ {
					f := 1.0
					if k > j {
						f = math.Sqrt2
					}
					phi = append(phi, f*row[j]*row[k])
				}
			}
			for _, v := range row {
				phi = append(phi, labels[i]*v)
			}
			g := GaussianSum{Output: out, Sigma: m.Sigma}
			want, err := g.Loss(sum, phi, member)
			if err != nil {
				t.Fatal(err)
			}
			if w := opened(t, want); !(math.Abs(got-w) <= 1e-10*(1+math.Abs(w))) {
				t.Fatalf("row %d: %.15g, by one sum %.15g", i, got, w)
			}
			if i == 0 {
				p, err := m.PDP(row, labels[i], 1e-5)
				q, err2 := g.PDP(phi, 1e-5)
				if u, v := opened(t, p), opened(t, q); err != nil || err2 != nil || !(math.Abs(u-v) <= 1e-9*v) {
					t.Errorf("pDP %g, by one sum %g; %v, %v", u, v, err, err2)
				}
			}
		}
	}
}

func TestLinearAuditErrors(t *testing.T) {
	nan := math.NaN()
	eye := []float64{1, 0, 0, 1}
	for name, err := range map[string]error{
		"no sigma":      second(GaussMix{Inner: eye, Rows: 3}.Audit(eye)),
		"no rows":       second(GaussMix{Inner: eye, Sigma: 1}.Audit(eye)),
		"shape":         second(GaussMix{Inner: eye[:3], Rows: 3, Sigma: 1}.Audit(eye)),
		"NaN":           second(GaussMix{Inner: eye, Rows: 3, Sigma: 1}.Audit([]float64{nan, 0, 0, 1})),
		"few rows":      second(LinearMixing{Coef: []float64{1}, Rows: 0, Sigma: 1}.Audit(eye)),
		"no coef":       second(LinearMixing{Rows: 3, Sigma: 1}.Audit([]float64{1})),
		"moments":       second(Moments{Second: eye, Sigma: 1}.Audit(eye, eye)),
		"moments sigma": second(Moments{Second: eye}.Audit(eye, nil)),
		"zero mixture":  second(MixtureAudit{}.Loss([]float64{1}, true)),
		"zero coef":     second(CoefficientAudit{}.Loss([]float64{1}, 1, true)),
		"zero moments":  second(MomentAudit{d: 1}.Losses([]float64{1}, nil, true)),
	} {
		if !errors.Is(err, ErrParameter) {
			t.Errorf("%s: got %v, want ErrParameter", name, err)
		}
	}
	a, err := GaussMix{Inner: eye, Rows: 3, Sigma: 1}.Audit(eye)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.PDP([]float64{1, 0}, 2); !errors.Is(err, accountant.ErrDelta) {
		t.Errorf("δ = 2: got %v", err)
	}
	if _, err := a.Loss([]float64{3, 0}, true); !errors.Is(err, ErrParameter) || strings.Contains(err.Error(), "3,") {
		t.Errorf("no member: got %v", err)
	}
	for _, v := range []any{a, CoefficientAudit{}, MomentAudit{}} {
		if s := fmt.Sprintf("%+v", v); !strings.Contains(s, "curator") {
			t.Errorf("printed %s", s)
		}
	}
}

func second[T any](_ T, err error) error { return err }
