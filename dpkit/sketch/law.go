package sketch

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/internal/linalg"
	"gonum.org/v1/gonum/stat/distuv"
)

// law is a regression in the eigenvectors of the released matrix A = W_xx of the features. All of it is in units in which σ is between ½
// and 1; coefficients are the same in any.
type law struct {
	k        float64
	variance float64 // σ²
	cover    float64
	values   []float64 // of A, descending
	vectors  []float64 // row-major: of A, one a row
	ridge    []float64 // A⁻¹W_xy
	turned   []float64 // the same along the eigenvectors
	right    []float64 // W_xy along them
	square   float64   // W_yy
	rest     float64   // W_yy − W_yx A⁻¹W_xy
	coef     []float64 // the corrected coefficients, in the sketch's units
	units    []float64 // of the coefficients, in those of the sketch
	tau      float64   // the variance of what the features leave of the label
	spread   []float64 // Σ_xx between M⁻¹ on either side, along the eigenvectors
	twice    []float64 // M⁻¹w, along them
}

func newLaw(a, b []float64, square float64, s *Sketch) *law {
	p := len(b)
	sigma, e := math.Frexp(s.Sigma)
	for _, x := range [][]float64{a, b} {
		for i, v := range x {
			x[i] = math.Ldexp(v, -2*e)
		}
	}
	square = math.Ldexp(square, -2*e)
	d := spectrum(a, p)
	l := &law{k: float64(s.Rows), variance: sigma * sigma, cover: math.Ldexp(s.cover, -2*e), values: d.Values, vectors: d.Vectors, square: square, rest: square}
	l.right = make([]float64, p)
	for i := range p {
		for j, v := range l.vector(i) {
			l.right[i] += v * b[j]
		}
	}
	return l
}

func (l *law) vector(i int) []float64 {
	p := len(l.values)
	return l.vectors[i*p : (i+1)*p]
}

// back leads from the eigenvectors to the columns.
func (l *law) back(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, c := range x {
		for j, v := range l.vector(i) {
			out[j] += c * v
		}
	}
	return out
}

// diagonal is that of the matrix with these eigenvalues and the vectors of A.
func (l *law) diagonal(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, c := range values {
		for j, v := range l.vector(i) {
			out[j] += c * v * v
		}
	}
	return out
}

// estimate solves (A − kσ²)w = W_xy, with the standard deviations of w to first order: k rows u are independent normal draws of covariance
// Σ, the equations are the mean of u_x(u_y − ⟨u_x, w⟩) + σ²w, and its covariance is (τ²Σ_xx + σ⁴wwᵀ)/k with τ² the variance of
// u_y − ⟨u_x, w⟩ (Isserlis 1918).
func (l *law) estimate(names []string) (coef, errs []float64, signal float64, err error) {
	p := len(l.values)
	smallest := l.values[p-1]/l.k - l.variance
	if !(smallest > linalg.EigenRounding(p)*l.values[0]/l.k) {
		most := 0
		for _, v := range l.values {
			if v/l.k-l.variance > linalg.EigenRounding(p)*l.values[0]/l.k {
				most++
			}
		}
		return nil, nil, 0, fmt.Errorf("columns %s: without the noise σ² their matrix of second moments is not positive definite: its smallest eigenvalue is %.3g σ², and %d of %d are above 0. The rows say less in some direction than the noise does. Regress on fewer columns, release with a larger ε or more Rows, or fit by LinearMixing, which leaves the noise in as a ridge: %w",
			few(names), smallest/l.variance, most, p, models.ErrRefused)
	}
	inverse, turned := make([]float64, p), make([]float64, p)
	l.turned, l.spread, l.twice = make([]float64, p), make([]float64, p), make([]float64, p)
	tau := l.square / l.k
	for i, v := range l.values {
		v /= l.k
		inverse[i] = 1 / (v - l.variance)
		l.spread[i] = v * inverse[i] * inverse[i]
		turned[i] = l.right[i] / l.k * inverse[i]
		l.turned[i] = l.right[i] / l.k / v
		l.rest -= l.turned[i] * l.right[i]
		tau += turned[i] * (turned[i]*v - 2*l.right[i]/l.k)
	}
	l.rest = max(l.rest, 0)
	l.coef, l.ridge = l.back(turned), l.back(l.turned)
	for i, c := range turned {
		l.twice[i] = c * inverse[i]
	}
	l.tau = max(tau, 0)
	errs, twice := l.diagonal(l.spread), l.back(l.twice)
	for j := range errs {
		errs[j] = math.Sqrt((l.tau*errs[j] + l.variance*l.variance*twice[j]*twice[j]) / l.k)
	}
	return append([]float64(nil), l.coef...), errs, smallest / l.variance, nil
}

// deviation is the standard deviation of ⟨e, w⟩, as estimate has those of w.
func (l *law) deviation(e []float64) float64 {
	spread, twice := 0.0, 0.0
	for i := range l.values {
		c := 0.0
		for j, v := range l.vector(i) {
			c += v * e[j]
		}
		spread += l.spread[i] * c * c
		twice += l.twice[i] * c
	}
	return math.Sqrt((l.tau*spread + l.variance*l.variance*twice*twice) / l.k)
}

// Intervals returns one confidence interval for each coefficient, and last for the intercept where the sketch has a constant column. Each
// covers, with at least that probability over the sketch's noise and whatever the rows are, the coefficient of least squares on the rows,
// with a constant where the sketch has one. That is no asymptotic claim, so that
// intervals are wider than Errors suggest: by little where the rows outgrow the noise, and by a factor of several where they do not
// (docs/theory/mechanisms.md#regression-on-a-sketch). It says nothing of how far the rows are from a population.
//
// Where the sketch cannot rule out at that level that the rows' columns are linearly dependent no finite interval is right, and the
// error wraps dpkit.ErrRefused. Of public rows intervals are points. A regression that was read from a file has none: regress again on
// the sketch.
func (r Regression) Intervals(level float64) ([]models.Interval, error) {
	if !(level > 0 && level < 1) {
		return nil, fmt.Errorf("dpkit: intervals: level: got %g, want a number in (0, 1): %w", level, kind.ErrParameter)
	}
	var out []models.Interval
	if r.law == nil {
		if r.Errors != nil || len(r.Columns) != len(r.Coef) {
			return nil, fmt.Errorf("dpkit: intervals: the regression was read from a file, or made by hand: call Regress of the sketch: %w", kind.ErrParameter)
		}
		for j, name := range r.Columns {
			out = append(out, models.Interval{Name: name, Lo: r.Coef[j], Hi: r.Coef[j]})
		}
		if r.constant != nil {
			out = append(out, models.Interval{Name: interceptName, Lo: r.Intercept, Hi: r.Intercept})
		}
		return out, nil
	}
	w, err := r.law.intervals(1 - level)
	if err != nil {
		return nil, fmt.Errorf("dpkit: intervals: %w", err)
	}
	centre, half := w.each()
	for j, name := range r.Columns {
		u := r.law.units[j]
		out = append(out, models.Interval{Name: name, Lo: u * (centre[j] - half[j]), Hi: u * (centre[j] + half[j])})
	}
	if r.constant != nil {
		at, off := w.along(r.constant)
		out = append(out, models.Interval{Name: interceptName, Lo: r.public + at - off, Hi: r.public + at + off})
	}
	return out, nil
}

// widths are what intervals of linear functions of the coefficients are made of, in the eigenvectors of A.
type widths struct {
	*law
	gap, inner, moved     []float64
	outer, wide, unit, up float64 // up is that of rounding
	t                     float64
}

// intervals are widths that miss with probability alpha at most. With M the matrix that least squares solves,
// Σ_xx = M + σ², b = W_xx⁻¹W_xy and θ = Σ_xx⁻¹Σ_xy, ⟨e, w⟩ for the coefficients w of least squares is ⟨h, θ⟩, h = e + σ²M⁻¹e, a fixed
// vector. The proof is at docs/theory/mechanisms.md#regression-on-a-sketch. Of alpha a Student variate gets 0.8, the two sides of W_xx/k
// about Σ_xx get 0.09 each, and noise that covers rounding gets 0.02.
func (l *law) intervals(alpha float64) (*widths, error) {
	p := len(l.values)
	freedom := l.k - float64(p)
	least, most := wishartRange(l.k, p, 0.09*alpha)
	entries := float64((p + 1) * (p + 2) / 2)
	off := l.cover * math.Sqrt2 * (math.Sqrt(entries) + math.Sqrt(-2*math.Log(0.02*alpha))) // Laurent, Massart 2000

	length := 1.0 // of (1, −b)
	for _, v := range l.ridge {
		length += v * v
	}
	if !(l.values[p-1]-off > 0) || !((l.values[p-1]-off)/most > l.variance) {
		return nil, fmt.Errorf("at a level of %g the rows' columns may be linearly dependent for all that the sketch says: no interval is finite; lower the level, regress on fewer columns, or release with a larger ε or more Rows: %w", 1-alpha, models.ErrRefused)
	}
	// M⁻¹ is between matrices with the eigenvectors of A: their mean and their difference, in eigenvalues.
	w := &widths{
		law: l, gap: make([]float64, p), inner: make([]float64, p), moved: make([]float64, p),
		unit: math.Sqrt((l.rest + off*length) / freedom), up: off * math.Sqrt(length/(l.values[p-1]-off)),
		t: distuv.StudentsT{Sigma: 1, Nu: freedom}.Quantile(1 - 0.4*alpha),
	}
	for i, v := range l.values {
		upper, lower := 1/((v-off)/most-l.variance), 0.0
		if least > 0 {
			lower = 1 / ((v+off)/least - l.variance)
		}
		mean := (upper + lower) / 2
		w.gap[i] = upper - lower
		w.moved[i] = mean * l.turned[i]
		w.wide += w.gap[i] * l.turned[i] * l.turned[i] // bᵀ gap b
		inverse := 1 / (v - off)
		h := 1 + l.variance*mean
		w.inner[i] = h * h * inverse
		w.outer = max(w.outer, w.gap[i]*inverse)
	}
	return w, nil
}

// half is that of an interval of ⟨e, w⟩, from eᵀ gap e and eᵀ inner e.
func (w *widths) half(gap, inner float64) float64 {
	norm := math.Sqrt(inner) + w.variance/2*math.Sqrt(w.outer*gap)
	return w.variance/2*math.Sqrt(gap*w.wide) + norm*(w.t*w.unit+w.up)
}

// each are centres and half widths of the coefficients, each by itself.
func (w *widths) each() (centre, half []float64) {
	centre, half = w.back(w.moved), make([]float64, len(w.values))
	gaps, norms := w.diagonal(w.gap), w.diagonal(w.inner)
	for j := range half {
		centre[j] = w.ridge[j] + w.variance*centre[j]
		half[j] = w.half(gaps[j], norms[j])
	}
	return centre, half
}

// along are centre and half width of ⟨e, w⟩.
func (w *widths) along(e []float64) (centre, half float64) {
	gap, inner := 0.0, 0.0
	for i := range w.values {
		c := 0.0
		for j, v := range w.vector(i) {
			c += v * e[j]
		}
		centre += c * (w.turned[i] + w.variance*w.moved[i])
		gap += w.gap[i] * c * c
		inner += w.inner[i] * c * c
	}
	return centre, w.half(gap, inner)
}

// wishartRange bounds the eigenvalues of GᵀG for k×p independent standard normal entries, each side with failure alpha: the χ² law for one
// column; in general √k ± (√p + √(2 ln 1/alpha)) on singular values (Davidson, Szarek 2001, Theorem II.13).
func wishartRange(k float64, p int, alpha float64) (least, most float64) {
	if p == 1 {
		chi := distuv.ChiSquared{K: k}
		return chi.Quantile(alpha), chi.Quantile(1 - alpha)
	}
	s := math.Sqrt(float64(p)) + math.Sqrt(-2*math.Log(alpha))
	least, most = max(math.Sqrt(k)-s, 0), math.Sqrt(k)+s
	return least * least, most * most
}
