package unbounded

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/dpkit/baseline"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/notebooks/studies/lab"
)

// population has features x = Q D g, g ~ N(0, I), Q a rotation and D² from 1 to κ, and the linear term ⟨β, x⟩ = 2⟨u, g⟩ with
// u of length 1: every direction matters as much as any other, whatever κ is.
type population struct {
	x    [][]float64
	beta []float64
	sd   []float64  // of D
	q    *mat.Dense // Q
}

func draw(rng *rand.Rand, n, d int, kappa float64) population {
	raw := mat.NewDense(d, d, nil)
	for i := range d {
		for j := range d {
			raw.Set(i, j, rng.NormFloat64())
		}
	}
	var qr mat.QR
	qr.Factorize(raw)
	p := population{q: new(mat.Dense)}
	qr.QTo(p.q)
	u, size := make([]float64, d), 0.0
	for j := range d {
		p.sd = append(p.sd, math.Pow(kappa, 0.5*float64(j)/float64(max(d-1, 1))))
		u[j] = rng.NormFloat64()
		size += u[j] * u[j]
	}
	p.beta = make([]float64, d)
	for i := range d {
		for j := range d {
			p.beta[i] += p.q.At(i, j) / p.sd[j] * 2 * u[j] / math.Sqrt(size)
		}
	}
	p.x = make([][]float64, n)
	g := make([]float64, d)
	for i := range p.x {
		for j := range g {
			g[j] = rng.NormFloat64() * p.sd[j]
		}
		p.x[i] = make([]float64, d)
		for j := range d {
			for k := range d {
				p.x[i][j] += p.q.At(j, k) * g[k]
			}
		}
	}
	return p
}

// size is ‖w‖ in the metric of the features' covariance: the standard deviation of ⟨w, x⟩.
func (p population) size(w []float64) float64 {
	var s float64
	for k, sd := range p.sd {
		var along float64
		for j, v := range w {
			along += p.q.At(j, k) * v
		}
		s += along * along * sd * sd
	}
	return math.Sqrt(s)
}

// error is the relative error of coefficients.
func (p population) error(w []float64) float64 {
	d := make([]float64, len(w))
	for j := range d {
		d[j] = w[j] - p.beta[j]
	}
	return lab.Round(p.size(d) / p.size(p.beta))
}

// angle is the sine of the angle between ⟨w, x⟩ and ⟨β, x⟩.
func (p population) angle(w []float64) float64 {
	var inner float64
	for k, sd := range p.sd {
		var a, b float64
		for j := range w {
			a += p.q.At(j, k) * w[j] * sd
			b += p.q.At(j, k) * p.beta[j] * sd
		}
		inner += a * b
	}
	c := inner / p.size(w) / p.size(p.beta)
	return lab.Round(math.Sqrt(max(0, 1-c*c)))
}

// linear is ⟨β, x⟩ of every row.
func (p population) linear() []float64 {
	y := make([]float64, len(p.x))
	for i, r := range p.x {
		for j, b := range p.beta {
			y[i] += b * r[j]
		}
	}
	return y
}

type source struct {
	schema frames.Schema
	x      [][]float64
	y      []float64
}

func (s source) Schema() frames.Schema { return s.schema }
func (s source) Rows() int             { return len(s.x) }
func (s source) Scan(_ context.Context, fn func(*frames.Block) error) error {
	b := &frames.Block{Rows: 1, Cols: len(s.x[0])}
	for i := range s.x {
		b.First, b.X = i, s.x[i]
		if s.y != nil {
			b.Y = s.y[i : i+1]
		}
		if err := fn(b); err != nil {
			return err
		}
	}
	return nil
}

func (p population) frame(ctx context.Context, y []float64, label frames.Column) (*frames.Frame, error) {
	var cols []frames.Column
	for j := range p.x[0] {
		cols = append(cols, frames.Unbounded(name(j)))
	}
	s, err := frames.NewSchema(append(cols, label)...)
	if err != nil {
		return nil, err
	}
	return frames.Collect(ctx, source{s, p.x, y})
}

func name(j int) string { return fmt.Sprintf("x%d", j+1) }

// Once returns the relative error of every method on one draw of the population.
func Once(ctx context.Context, s Setting, seed uint64) (map[string]float64, error) {
	rng := rand.New(rand.NewPCG(seed, 1))
	p := draw(rng, s.Rows, s.Columns, s.Kappa)
	y := p.linear()
	widest := 0.0
	for i := range y {
		y[i] += rng.NormFloat64()
		widest = max(widest, math.Abs(y[i]))
	}
	open, err := p.frame(ctx, y, frames.UnboundedLabel("y"))
	if err != nil {
		return nil, err
	}
	out := map[string]float64{}
	for name, method := range map[string]dpkit.MomentMethod{Adaptive: dpkit.MomentsAdaptive, Weak: baseline.WeakContraction, Naive: baseline.Naive} {
		// The scales are declared ten times too wide on either side.
		o := dpkit.Unbounded{Epsilon: s.Epsilon, Delta: delta, Method: method, Smallest: 0.1, Largest: 10 * math.Sqrt(s.Kappa)}
		m, err := fit(ctx, open, seed, o)
		if errors.Is(err, dpkit.ErrParameter) {
			continue // too few rows
		}
		if err != nil {
			return nil, err
		}
		out[name] = p.error(m.Coef)
	}
	public, err := dpkit.OnPublic(frames.Public(open))
	if err != nil {
		return nil, err
	}
	r, err := public.Data().FitUnbounded(dpkit.UnboundedLinear{Unbounded: dpkit.Unbounded{Epsilon: 50, Delta: delta, Smallest: 0.1, Largest: 10 * math.Sqrt(s.Kappa)}}).Release(ctx)
	if err != nil {
		return nil, err
	}
	out[NonPrivate] = p.error(r.Value.Coef)
	for name, wide := range map[string]float64{Oracle: 1, Guessed: 10} {
		clipped, err := p.frame(ctx, y, frames.NumericLabel("y", -wide*widest, wide*widest))
		if err != nil {
			return nil, err
		}
		w, err := p.clipped(ctx, clipped, s, seed, wide)
		if err != nil {
			return nil, err
		}
		out[name] = p.error(w)
	}
	return out, nil
}

func fit(ctx context.Context, f *frames.Frame, seed uint64, o dpkit.Unbounded) (dpkit.UnboundedModel, error) {
	s, err := dpkit.Demo(f, seed, dpkit.ReplaceOne)
	if err != nil {
		return dpkit.UnboundedModel{}, err
	}
	r, err := s.Data().FitUnbounded(dpkit.UnboundedLinear{Unbounded: o}).Release(ctx)
	return r.Value, err
}

// clipped fits AdaSSP on columns that are clipped at so many times their largest value: which nobody knows without looking.
func (p population) clipped(ctx context.Context, f *frames.Frame, s Setting, seed uint64, wide float64) ([]float64, error) {
	session, err := dpkit.Demo(f, seed, dpkit.ReplaceOne)
	if err != nil {
		return nil, err
	}
	data := session.Data()
	for j := range s.Columns {
		largest := 0.0
		for _, r := range p.x {
			largest = max(largest, math.Abs(r[j]))
		}
		data = data.ClipColumns(-wide*largest, wide*largest, name(j))
	}
	r, err := data.FitLinear(dpkit.AdaSSP{Epsilon: s.Epsilon, Delta: delta}).Release(ctx)
	return r.Value.Coef, err
}

// ThreeOnce returns the errors of the three settings on one draw, at the base setting's target and condition number.
func ThreeOnce(ctx context.Context, n int, seed uint64) (linear, bounded, binary float64, err error) {
	rng := rand.New(rand.NewPCG(seed, 2))
	p := draw(rng, n, Base.Columns, Base.Kappa)
	eta := p.linear()
	y, b, c := make([]float64, n), make([]float64, n), make([]float64, n)
	for i, e := range eta {
		y[i] = e + rng.NormFloat64()
		b[i] = min(max(y[i], -3), 3)
		if rng.Float64() < 1/(1+math.Exp(-e)) {
			c[i] = 1
		}
	}
	o := dpkit.Unbounded{Epsilon: Base.Epsilon, Delta: delta, Smallest: 0.1, Largest: 10 * math.Sqrt(Base.Kappa)}
	model := func(y []float64, label frames.Column) []float64 {
		f, ferr := p.frame(ctx, y, label)
		if err = errors.Join(err, ferr); err != nil {
			return nil
		}
		m, ferr := fit(ctx, f, seed, o)
		err = errors.Join(err, ferr)
		return m.Coef
	}
	w := model(y, frames.UnboundedLabel("y"))
	v := model(b, frames.NumericLabel("y", -3, 3))
	z := model(c, frames.Label("y", "no", "yes"))
	if err != nil {
		return 0, 0, 0, err
	}
	// Clipping at ±3 takes the slope times P(|y| < 3), y ~ N(0, 5), by Stein's identity: the best linear predictor.
	factor := math.Erf(3 / math.Sqrt(5) / math.Sqrt2)
	for j := range v {
		v[j] /= factor
	}
	return p.error(w), p.error(v), p.angle(z), nil
}
