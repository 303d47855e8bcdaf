package unbounded

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/dpkit/baseline"
	"github.com/dpkit-go/dpnb/frames"
)

// white returns the rows in coordinates in which the features' covariance is I: Σ^½ up to a rotation, which no error of the
// study sees.
func (p population) white() [][]float64 {
	d := len(p.sd)
	rows := make([][]float64, len(p.x))
	q := p.q.RawMatrix().Data
	for i, x := range p.x {
		rows[i] = make([]float64, d)
		for k := range d {
			var s float64
			for j, v := range x {
				s += q[j*d+k] * v
			}
			rows[i][k] = s / p.sd[k]
		}
	}
	return rows
}

// whiteCoef returns coefficients in those coordinates: Σ^½ w.
func (p population) whiteCoef(w []float64) []float64 {
	out := make([]float64, len(w))
	for k, sd := range p.sd {
		for j, v := range w {
			out[k] += p.q.At(j, k) * v * sd
		}
	}
	return out
}

// whiteMoment returns D⁻¹ Qᵀ M Q D⁻¹.
func (p population) whiteMoment(m []float64) *mat.Dense {
	d := len(p.sd)
	var left, out mat.Dense
	left.Mul(p.q.T(), mat.NewDense(d, d, m))
	out.Mul(&left, p.q)
	for i := range d {
		for j := range d {
			out.Set(i, j, out.At(i, j)/p.sd[i]/p.sd[j])
		}
	}
	return &out
}

// moment is the mean of the outer products of rows.
func moment(rows [][]float64) *mat.Dense {
	d := len(rows[0])
	sum := make([]float64, d*d)
	for _, r := range rows {
		for i, a := range r {
			for j, b := range r[:i+1] {
				sum[i*d+j] += a * b
			}
		}
	}
	for i := range d {
		for j := range i + 1 {
			sum[i*d+j] /= float64(len(rows))
			sum[j*d+i] = sum[i*d+j]
		}
	}
	return mat.NewDense(d, d, sum)
}

// norms of S^−½ (M − S) S^−½.
func norms(m, s *mat.Dense) (spectral, frobenius float64, err error) {
	d, _ := s.Dims()
	sym := mat.NewSymDense(d, nil)
	for i := range d {
		for j := range i + 1 {
			sym.SetSym(i, j, s.At(i, j))
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(sym) {
		return 0, 0, errors.New("moments of the sample are not positive definite")
	}
	var l mat.TriDense
	chol.LTo(&l)
	var diff, x, y mat.Dense
	diff.Sub(m, s)
	if err := errors.Join(x.Solve(&l, &diff), y.Solve(&l, x.T())); err != nil {
		return 0, 0, err
	}
	var svd mat.SVD
	if !svd.Factorize(&y, mat.SVDNone) {
		return 0, 0, errors.New("the singular values of the error did not converge")
	}
	return svd.Values(nil)[0], mat.Norm(&y, 2), nil // gonum's norm 2 of a matrix is that of Frobenius
}

func identity(d int) *mat.Dense {
	out := mat.NewDense(d, d, nil)
	for i := range d {
		out.Set(i, i, 1)
	}
	return out
}

// released releases the second moment of rows, or the covariance with the mean.
func released(ctx context.Context, rows [][]float64, seed uint64, o dpkit.Unbounded, central bool) (dpkit.Moments, error) {
	f, err := population{x: rows}.features(ctx)
	if err != nil {
		return dpkit.Moments{}, err
	}
	s, err := dpkit.Demo(f, seed, dpkit.ReplaceOne)
	if err != nil {
		return dpkit.Moments{}, err
	}
	plan := s.Data().SecondMoment(o)
	if central {
		plan = s.Data().Covariance(o)
	}
	r, err := plan.Release(ctx)
	return r.Value, err
}

// features is a frame without a label.
func (p population) features(ctx context.Context) (*frames.Frame, error) {
	var cols []frames.Column
	for j := range p.x[0] {
		cols = append(cols, frames.Unbounded(name(j)))
	}
	s, err := frames.NewSchema(cols...)
	if err != nil {
		return nil, err
	}
	return frames.Collect(ctx, source{schema: s, x: p.x})
}

func covarianceOnce(ctx context.Context, s RateSetting, seed uint64) (map[string]float64, error) {
	p := draw(rand.New(rand.NewPCG(seed, 3)), s.Rows, s.Columns, s.Kappa)
	o, err := target(s.Epsilon, 1)
	if err != nil {
		return nil, err
	}
	o.Smallest, o.Largest = 1, math.Sqrt(s.Kappa) // as the thesis assumes: I ⪯ Σ ⪯ κI
	sample := moment(p.white())
	out := map[string]float64{}
	if out[SpectralSample], out[FrobeniusSample], err = norms(sample, identity(s.Columns)); err != nil {
		return nil, err
	}
	methods := map[string]dpkit.MomentMethod{SpectralNoise: dpkit.MomentsAdaptive}
	if s.Rows == RateBase.Rows && s.Columns == RateBase.Columns && s.Epsilon == RateBase.Epsilon {
		methods[WeakNoise], methods[NaiveNoise] = baseline.WeakContraction, baseline.Naive
	}
	for name, method := range methods {
		o.Method = method
		m, err := released(ctx, p.x, seed, o, false)
		if err != nil {
			return nil, err
		}
		spectral, frobenius, err := norms(p.whiteMoment(m.Matrix), sample)
		if err != nil {
			return nil, err
		}
		out[name] = spectral
		if method == dpkit.MomentsAdaptive {
			out[FrobeniusNoise] = frobenius
		}
	}
	return out, nil
}

// needed finds the least number of rows, of a list √√2 apart, from which on the median error by noise is at most NeededError for
// three numbers in a row.
func needed(ctx context.Context, p *RatePoint, seed uint64, runs int) error {
	for name, method := range map[string]dpkit.MomentMethod{RowsAdaptive: dpkit.MomentsAdaptive, RowsWeak: baseline.WeakContraction} {
		o, err := target(p.Epsilon, 1)
		if err != nil {
			return err
		}
		o.Smallest, o.Largest, o.Method = 1, math.Sqrt(p.Kappa), method
		first, held := 0.0, 0
		for n := 1000.0; n < 1e6 && held < 3; n *= math.Sqrt(math.Sqrt2) {
			var errs []float64
			for run := range runs {
				e, err := oneNoise(ctx, int(n), p.RateSetting, seed+uint64(run), o)
				if err != nil {
					return err
				}
				errs = append(errs, e)
			}
			if _, median, _ := (Point{Errors: map[string][]float64{"": errs}}).Quartiles(""); median > NeededError {
				first, held = 0, 0
				continue
			}
			if held == 0 {
				first = math.Floor(n)
			}
			held++
		}
		p.Errors[name] = [3]float64{first, first, first}
	}
	return nil
}

// oneNoise is the spectral error by noise of one release, +Inf where rows are too few for any.
func oneNoise(ctx context.Context, n int, s RateSetting, seed uint64, o dpkit.Unbounded) (float64, error) {
	p := draw(rand.New(rand.NewPCG(seed, 3)), n, s.Columns, s.Kappa)
	m, err := released(ctx, p.x, seed, o, false)
	if errors.Is(err, dpkit.ErrParameter) {
		return math.Inf(1), nil
	}
	if err != nil {
		return 0, err
	}
	spectral, _, err := norms(p.whiteMoment(m.Matrix), moment(p.white()))
	return spectral, err
}

func meanOnce(ctx context.Context, s RateSetting, seed uint64) (map[string]float64, error) {
	rng := rand.New(rand.NewPCG(seed, 4))
	p := draw(rng, s.Rows, s.Columns, s.Kappa)
	at := p.move(rng, s.Far)
	o, err := target(s.Epsilon, 1)
	if err != nil {
		return nil, err
	}
	f, err := p.features(ctx)
	if err != nil {
		return nil, err
	}
	exact := make([]float64, s.Columns) // from the true mean
	for _, r := range p.x {
		for j, v := range r {
			exact[j] += (v - at[j]) / float64(s.Rows)
		}
	}
	out := map[string]float64{Sample: mat.Norm(mat.NewVecDense(s.Columns, exact), 2)}
	for name, u := range map[string]dpkit.UnboundedMeans{
		Noise:        {Epsilon: o.Epsilon, Delta: delta},
		NoiseLaplace: {Epsilon: o.Epsilon, Delta: delta, Locator: dpkit.BinsLaplace},
		PureNoise:    {Epsilon: o.Epsilon, Locator: dpkit.BinsPure},
	} {
		session, err := dpkit.Demo(f, seed, dpkit.ReplaceOne)
		if err != nil {
			return nil, err
		}
		r, err := session.Data().UnboundedMean(u).Release(ctx)
		if err != nil {
			return nil, err
		}
		var square float64
		for j, v := range r.Value.Values {
			e := v - at[j] - exact[j]
			square += e * e
		}
		out[name] = math.Sqrt(square)
	}
	return out, nil
}

// move adds a random vector of norm far to all rows and returns it.
func (p population) move(rng *rand.Rand, far float64) []float64 {
	at, size := make([]float64, len(p.sd)), 0.0
	for j := range at {
		at[j] = rng.NormFloat64()
		size += at[j] * at[j]
	}
	for j := range at {
		at[j] *= far / math.Sqrt(size)
	}
	for _, r := range p.x {
		for j := range r {
			r[j] += at[j]
		}
	}
	return at
}
