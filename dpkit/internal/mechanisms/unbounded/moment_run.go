package unbounded

import (
	"context"
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/internal/linalg"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// jointMoments is a released estimate of M = E zzᵀ, z = (1, x, y), in factored form: M = B·Bᵀ with B = A⁻¹L, L Lᵀ the noisy
// moments of A·z. M itself would lose in float64 what κ takes.
type jointMoments struct {
	m        int
	inverse  []float64 // A⁻¹, in units of the cells
	lower    []float64 // of B = lower·Q, Q orthogonal: M = lower·lowerᵀ
	s        float64   // scale of the noise on the moments of A·z
	cover    float64   // bound on the largest eigenvalue of noise of scale 1
	definite bool      // every eigenvalue of the noisy moments is above what noise alone may give
}

// An answerOf is what a round tells of its exact statistic.
type answerOf func(q *query.GaussianQuery, exact []float64) []float64

// noisy draws answers.
func noisy(rng *noise.Source) answerOf {
	return func(q *query.GaussianQuery, exact []float64) []float64 { return q.Draw(rng, exact) }
}

// unchanged is for public data.
func unchanged(_ *query.GaussianQuery, exact []float64) []float64 { return exact }

// draw makes all rounds, each a pass over the rows.
func (p *CalibratedMoments) draw(ctx context.Context, in rows.Driver, rng *noise.Source) (*jointMoments, error) {
	out, moments, err := p.measure(ctx, in, noisy(rng))
	if err != nil {
		return nil, err
	}
	out.s = p.Scale(&p.Last)
	out.factor(moments)
	return out, nil
}

// exact makes the same rounds without noise. The rows are clipped as they would be.
func (p *CalibratedMoments) exact(ctx context.Context, in rows.Driver) (*jointMoments, error) {
	out, moments, err := p.measure(ctx, in, unchanged)
	if err != nil {
		return nil, err
	}
	out.factor(moments)
	return out, nil
}

// read is for what takes all rounds in a draw.
func (p *CalibratedMoments) read(_ context.Context, in rows.Driver) (mechanism.Draws[*jointMoments], error) {
	return func(ctx context.Context, rng *noise.Source) (*jointMoments, error) { return p.draw(ctx, in, rng) }, nil
}

// again makes the pass of a round: the last one or one before it, at the map of rows.
func (p *CalibratedMoments) again(ctx context.Context, in rows.Driver, point []float64) error {
	if len(point) != 1+p.m*p.m {
		return mechanism.ErrPoint
	}
	table := &p.Search
	if point[0] == lastRound {
		table = &p.MomentRows
	}
	_, err := table.sum(rows.AtPoint(ctx, point...), in, point[1:])
	return err
}

// lastRound marks points of the round whose moments are released.
const lastRound = 1

// measure makes all rounds up to the moments of the last one, which are not factored yet.
func (p *CalibratedMoments) measure(ctx context.Context, in rows.Driver, answer answerOf) (*jointMoments, *rows.Gram, error) {
	m := p.m
	a, inverse := make([]float64, m*m), make([]float64, m*m)
	for i, unit := range p.units {
		a[i*m+i], inverse[i*m+i] = 1/unit, unit
	}
	for range p.Rounds {
		moments, err := p.look(ctx, in, a, &p.Search, &p.Round, answer)
		if err != nil {
			return nil, nil, err
		}
		s := p.Scale(&p.Round)
		of := moments.Eigen(0)
		root := make([]float64, m)
		for k, w := range of.Values {
			// An upper bound on the moments along the eigenvector, as long as rows are as promised. It is above 0
			// whatever they are.
			w = min(max((max(w, 0)+p.cover*s)/(1-p.sampling), p.floor), 1)
			root[k] = math.Sqrt(w)
		}
		a, inverse = precondition(a, inverse, root, of.Vectors)
	}
	moments, err := p.look(ctx, in, a, &p.MomentRows, &p.Last, answer)
	return &jointMoments{m: m, inverse: inverse, cover: p.cover}, moments, err
}

// look returns the mean of the outer products of A·z, clipped and rounded, as it is answered.
func (p *CalibratedMoments) look(ctx context.Context, in rows.Driver, a []float64, table *MomentRows, q *query.GaussianQuery, answer answerOf) (*rows.Gram, error) {
	point := append(make([]float64, 1, 1+len(a)), a...)
	if table == &p.MomentRows {
		point[0] = lastRound
	}
	total, err := table.sum(rows.AtPoint(ctx, point...), in, a)
	if err != nil {
		return nil, err
	}
	m := p.m
	unit := table.H * table.H // a power of two: exact
	psi := make([]float64, 0, q.Coordinates)
	for i := range m {
		for j := i; j < m; j++ {
			v := total[i*m+j] * unit
			if j > i {
				v *= math.Sqrt2
			}
			psi = append(psi, v)
		}
	}
	psi = answer(q, psi)
	for i := range m {
		for j := i; j < m; j++ {
			v := psi[0] / float64(p.n)
			if j > i {
				v /= math.Sqrt2
			}
			total[i*m+j], total[j*m+i], psi = v, v, psi[1:]
		}
	}
	return &rows.Gram{D: m, Total: total}, nil
}

// precondition returns diag(1/root)·V·A and its inverse A⁻¹·Vᵀ·diag(root); rows of V are eigenvectors.
func precondition(a, inverse, root, vectors []float64) (na, ni []float64) {
	m := len(root)
	v := linalg.Dense(vectors, m, m)
	na, ni = rows.Product(v, linalg.Dense(a, m, m)), rows.Product(linalg.Dense(inverse, m, m), v.T())
	for i := range m {
		for j := range m {
			na[i*m+j] /= root[i]
			ni[i*m+j] *= root[j]
		}
	}
	return na, ni
}

// factor makes the estimate of the moments of A·z. Eigenvalues below a small multiple of the noise are raised to it: the
// estimate is positive definite, and definite says whether that was needed.
func (j *jointMoments) factor(moments *rows.Gram) {
	s, m := moments.Eigen(0), j.m
	least := max(0x1p-60, j.cover*j.s*0x1p-10)
	j.definite = s.Values[m-1] > j.cover*j.s && s.Values[m-1] > 0x1p-40
	root := make([]float64, m*m) // its transpose, times itself, are the moments
	for k, w := range s.Values {
		w = math.Sqrt(max(w, least))
		for i := range m {
			root[k*m+i] = s.Vectors[k*m+i] * w
		}
	}
	lower, err := linalg.LowerFactor(rows.Product(linalg.Dense(j.inverse, m, m), linalg.Dense(root, m, m).T()), m)
	if err != nil {
		panic(err) // impossible: the matrix is square
	}
	j.lower = lower
}

// matrix returns the moments of the columns from on, given the columns before: M itself for from = 0, the covariance
// of (x, y) for from = 1, where column 0 is the constant one.
func (j *jointMoments) matrix(from int) []float64 {
	k := j.m - from
	out := make([]float64, k*k)
	for a := range k {
		for b := range a + 1 {
			var s float64
			for c := from; c <= from+b; c++ {
				s += j.lower[(from+a)*j.m+c] * j.lower[(from+b)*j.m+c]
			}
			out[a*k+b], out[b*k+a] = s, s
		}
	}
	return out
}

// regression of column target on the columns before it.
type regression struct {
	w        []float64 // coefficients
	privacy  []float64 // their standard deviations by the noise, to first order
	sampling []float64 // and by the rows being a sample, where residuals are independent of x
	residual float64   // variance that is left
	noise    float64   // largest relative error that the noise may have on the moments of the regressors; below 1 they are positive definite
}

// regress solves M_xx w = M_xy from the factor: M_xx = L_x L_xᵀ and M_xy = L_x l_y. With noise E of scale s on the moments of
// A·z, w moves by K·E·g to first order, K = M_xx⁻¹ A⁻¹_x and g = A⁻ᵀ(−w, 1), and E·g has the covariance
// s²(‖g‖² I + g gᵀ).
func (j *jointMoments) regress(rows int) (regression, error) {
	m, p := j.m, j.m-1
	lx := make([]float64, p*p)
	for i := range p {
		copy(lx[i*p:(i+1)*p], j.lower[i*m:i*m+p])
	}
	last := j.lower[p*m : (p+1)*m]
	var r regression
	var err error
	if r.w, err = linalg.SolveLowerTransposed(lx, last[:p], p); err != nil {
		return r, err
	}
	r.residual = last[p] * last[p]
	g := make([]float64, m)
	for k := range m {
		g[k] = j.inverse[p*m+k]
		for i, w := range r.w {
			g[k] -= w * j.inverse[i*m+k]
		}
	}
	var square float64
	for _, v := range g {
		square += v * v
	}
	// N = L_x⁻¹ A⁻¹_x, column by column; K = L_x⁻ᵀ N.
	white, k := make([]float64, p*m), make([]float64, p*m)
	column := make([]float64, p)
	for c := range m {
		for i := range p {
			column[i] = j.inverse[i*m+c]
		}
		n, err := linalg.SolveLower(lx, column, p)
		if err != nil {
			return r, err
		}
		for i, v := range n {
			white[i*m+c] = v
		}
		if n, err = linalg.SolveLowerTransposed(lx, n, p); err != nil {
			return r, err
		}
		for i, v := range n {
			k[i*m+c] = v
		}
	}
	for i := range p {
		var all, along float64
		for c, v := range k[i*m : (i+1)*m] {
			all += v * v
			along += v * g[c]
		}
		r.privacy = append(r.privacy, j.s*math.Sqrt(all*square+along*along))
	}
	unit := make([]float64, p)
	for i := range p {
		unit[i] = 1
		n, err := linalg.SolveLower(lx, unit, p)
		if err != nil {
			return r, err
		}
		unit[i] = 0
		r.sampling = append(r.sampling, num.Norm2(n)*math.Sqrt(r.residual/float64(rows)))
	}
	r.noise = j.cover * j.s * squaredNorm(linalg.Dense(white, p, m))
	return r, nil
}

// squaredNorm is ‖W‖², the largest eigenvalue of W·Wᵀ.
func squaredNorm(w linalg.Matrix) float64 {
	return (&rows.Gram{D: w.Rows, Total: rows.Product(w, w.T())}).Eigen(0).Values[0]
}
