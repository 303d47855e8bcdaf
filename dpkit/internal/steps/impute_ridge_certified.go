package steps

import (
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// The certificates of [Ridge].

func (r RidgeImpute) masks() maskCertificates {
	return maskCertificates{columns: r.Columns, missing: r.MaxMissing}
}

func (r RidgeImpute) checkEigen() error {
	if !r.MinEigen.Given() {
		return nil
	}
	return query.CheckCertificate(r.MinEigen, "smallest eigenvalue of the regressors")
}

func (r RidgeImpute) eigenOrigin() stage.Origin {
	if r.MinEigen.Known() {
		return r.MinEigen.Ground()
	}
	observed, _ := r.masks().origins()
	return observed
}

func (r RidgeImpute) eigenAtLeast() string {
	if query.IsOpen(r.MinEigen) {
		return fmt.Sprintf("a bound on the smallest eigenvalue of the regressors of %s", r.Columns)
	}
	return fmt.Sprintf("the smallest eigenvalue of the regressors of %s is at least %g R_z²", r.Columns, r.MinEigen.Value())
}

// Expenses: the smallest eigenvalue of Σ zzᵀ lies between that of the common rows and R_z² above it for each
// free row, and moves by ‖Σ zzᵀ − z'z'ᵀ‖ ≤ 2R_z·Σ‖z − z'‖ with displaced ones; so does the least of several.
func (r RidgeImpute) Expenses(st stage.Stage) ([]query.Expense, error) {
	out := r.masks().expenses(st)
	if r.MinEigen.Ground() != stage.FromTest {
		return out, nil
	}
	us, zs, err := r.unitsOf(st)
	if err != nil {
		return nil, err
	}
	q, p := r.constants(st, us, zs), st.Before
	n := float64(p.N)
	sensitivity := float64(p.F)
	if q.Displaced {
		sensitivity += min(2*p.T1/q.Rz, float64(p.M))
	}
	sensitivity += 2 * n * rows.GridSpectralRounding(p.N, width(zs)+1) // sums and eigensolver, on both sides
	return append(out, query.ExpenseOf(r.MinEigen, r.eigenAtLeast(), r.MinEigen.Value(), query.GaussianQuery{
		Coordinates: 1, Sensitivity: stage.Up(sensitivity), Max: n,
	})), nil
}

func (r RidgeImpute) unitsOf(st stage.Stage) (us, zs []domain.Unit, err error) {
	if us, _, err = r.Columns.units(st.In); err != nil {
		return nil, nil, err
	}
	zs, err = r.regressors(st.In)
	return us, zs, err
}

func (r RidgeImpute) WithBounds(st stage.Stage, b []float64) stage.Preprocessor {
	c := r.masks()
	b = c.withBounds(st, b)
	r.MaxMissing = c.missing
	if query.IsOpen(r.MinEigen) {
		r.MinEigen = query.Found(r.MinEigen, num.Clamp(b[0], 0, float64(st.Before.N)))
	}
	return r
}

func (r RidgeImpute) Measure(ctx context.Context, in frames.Source, st stage.Stage) ([][]float64, error) {
	out, err := r.masks().measure(ctx, in, st)
	if err != nil || r.MinEigen.Ground() != stage.FromTest {
		return out, err
	}
	us, zs, err := r.unitsOf(st)
	if err != nil {
		return nil, err
	}
	q := r.constants(st, us, zs)
	d := width(zs) + 1
	grams, err := rows.Drive(ctx, rows.Bind(rows.Over(in), "design", zs, q.constant), func() *DesignGrams { return newDesignGrams(us, designRow(zs, q.constant), d, q.Rz) })
	if err != nil {
		return nil, err
	}
	least := math.Inf(1)
	for _, sum := range grams.Sums {
		total, err := sum.Total(d)
		if err != nil {
			return nil, err
		}
		values := (&rows.Gram{D: d, Total: total}).Eigen(float64(st.Before.N) * q.Rz * q.Rz).Values
		least = min(least, values[d-1]/(q.Rz*q.Rz))
	}
	return append(out, []float64{max(least, 0)}), nil
}

// DesignGrams sums zzᵀ over the rows where each unit is observed.
type DesignGrams struct {
	us     []domain.Unit
	design func(z, row []float64)
	z      []float64
	Sums   []*rows.GridSum
}

func newDesignGrams(us []domain.Unit, design func(z, row []float64), d int, r float64) *DesignGrams {
	g := &DesignGrams{us, design, make([]float64, d), make([]*rows.GridSum, len(us))}
	for k := range us {
		g.Sums[k] = rows.NewGridSum(d, r)
	}
	return g
}

// Cells is how many numbers the sums take at most: each of a matrix, of steps that are not added up yet, and of carries.
func (g *DesignGrams) Cells() int { return 3 * len(g.us) * len(g.z) * len(g.z) }

func (g *DesignGrams) Add(b *frames.Block) {
	rows.EachRun(b, func(from, to int) {
		for i := from; i < to; i++ {
			row := b.Row(i)
			g.design(g.z, row)
			for k, u := range g.us {
				if !math.IsNaN(row[u.At]) {
					g.Sums[k].Take(g.z, 1, len(g.z))
				}
			}
		}
	})
}

func (g *DesignGrams) Merge(next *DesignGrams) {
	for k, s := range g.Sums {
		s.Merge(next.Sums[k])
	}
}

func (g *DesignGrams) Code(c *rows.Coder) {
	c.Name("design grams 2")
	c.Bind("units", g.us)
	for _, s := range g.Sums {
		c.Grid(s)
	}
}
