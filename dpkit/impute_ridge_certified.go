package dpkit

import (
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/frames"
)

// The certificates of [Ridge].

func (r ridgeImpute) masks() maskCertificates {
	return maskCertificates{columns: r.Columns, missing: r.MaxMissing}
}

func (r ridgeImpute) checkEigen() error {
	if !r.MinEigen.given() {
		return nil
	}
	return r.MinEigen.check("smallest eigenvalue of the regressors")
}

func (r ridgeImpute) eigenOrigin() Origin {
	if r.MinEigen.known() {
		return r.MinEigen.ground
	}
	observed, _ := r.masks().origins()
	return observed
}

func (r ridgeImpute) eigenAtLeast() string {
	if r.MinEigen.open {
		return fmt.Sprintf("a bound on the smallest eigenvalue of the regressors of %s", r.Columns)
	}
	return fmt.Sprintf("the smallest eigenvalue of the regressors of %s is at least %g R_z²", r.Columns, r.MinEigen.value)
}

// expenses: the smallest eigenvalue of Σ zzᵀ lies between that of the common rows and R_z² above it for each
// free row, and moves by ‖Σ zzᵀ − z'z'ᵀ‖ ≤ 2R_z·Σ‖z − z'‖ with displaced ones; so does the least of several.
func (r ridgeImpute) expenses(st Stage) ([]expense, error) {
	out := r.masks().expenses(st)
	if r.MinEigen.ground != FromTest {
		return out, nil
	}
	us, zs, err := r.unitsOf(st)
	if err != nil {
		return nil, err
	}
	q, p := r.constants(st, us, zs), st.Before
	n := float64(p.N)
	sensitivity := float64(p.F)
	if q.displaced {
		sensitivity += min(2*p.T1/q.rz, float64(p.M))
	}
	sensitivity += 2 * n * spectralRounding(p.N, width(zs)+1) // sums and eigensolver, on both sides
	return append(out, expenseOf(r.MinEigen, r.eigenAtLeast(), r.MinEigen.value, gaussianQuery{
		coordinates: 1, sensitivity: up(sensitivity), max: n,
	})), nil
}

func (r ridgeImpute) unitsOf(st Stage) (us, zs []unit, err error) {
	if us, _, err = r.Columns.units(st.In); err != nil {
		return nil, nil, err
	}
	zs, err = r.regressors(st.In)
	return us, zs, err
}

func (r ridgeImpute) withBounds(st Stage, b []float64) Preprocessor {
	c := r.masks()
	b = c.withBounds(st, b)
	r.MaxMissing = c.missing
	if r.MinEigen.open {
		r.MinEigen = found(r.MinEigen, clamp(b[0], 0, float64(st.Before.N)))
	}
	return r
}

func (r ridgeImpute) measure(ctx context.Context, in frames.Source, st Stage) ([][]float64, error) {
	out, err := r.masks().measure(ctx, in, st)
	if err != nil || r.MinEigen.ground != FromTest {
		return out, err
	}
	us, zs, err := r.unitsOf(st)
	if err != nil {
		return nil, err
	}
	q := r.constants(st, us, zs)
	d := width(zs) + 1
	grams, err := drive(ctx, inProcess{in}, func() *designGrams { return newDesignGrams(us, designRow(zs, q.constant), d) })
	if err != nil {
		return nil, err
	}
	least := math.Inf(1)
	for _, sum := range grams.sums {
		total, err := sum.total(d)
		if err != nil {
			return nil, err
		}
		values := (&gram{d, total}).eigen(float64(st.Before.N) * q.rz * q.rz).Values
		least = min(least, values[d-1]/(q.rz*q.rz))
	}
	return append(out, []float64{max(least, 0)}), nil
}

// designGrams sums zzᵀ over the rows where each unit is observed.
type designGrams struct {
	us     []unit
	design func(z, row []float64)
	z      []float64
	sums   []*gramSum
}

func newDesignGrams(us []unit, design func(z, row []float64), d int) *designGrams {
	g := &designGrams{us, design, make([]float64, d), make([]*gramSum, len(us))}
	for k := range us {
		g.sums[k] = newGramSum(d)
	}
	return g
}

func (g *designGrams) add(b *frames.Block) {
	eachRun(b, func(from, to int) {
		for i := from; i < to; i++ {
			row := b.Row(i)
			g.design(g.z, row)
			for k, u := range g.us {
				if !math.IsNaN(row[u.at]) {
					g.sums[k].take(g.z, 1, len(g.z))
				}
			}
		}
	})
	for _, s := range g.sums {
		s.flush()
	}
}

func (g *designGrams) merge(next *designGrams) {
	for k, s := range g.sums {
		s.merge(next.sums[k])
	}
}

func (g *designGrams) code(c *coder) {
	c.name("design grams 1")
	for _, s := range g.sums {
		c.gram(s)
	}
}
