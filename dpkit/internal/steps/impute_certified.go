package steps

import (
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// maskCertificates are the numbers about missing cells that the price of an imputer can rest on. No
// step displaces a mask: common rows miss the same cells on both sides of the pair, and in the
// hybrid of [pair.State.Propagate] (docs/theory/calculus.md#certified-constants, docs/theory/calculus.md#statistics-that-are-tested).
type maskCertificates struct {
	columns  ColumnSet
	missing  query.Certificate // at most so many rows miss a cell that is imputed
	observed query.Certificate // every imputed column has at least so many values
}

func (m maskCertificates) check() error {
	if m.missing.Given() {
		if err := query.CheckCertificate(m.missing, "number of rows with a missing cell"); err != nil {
			return err
		}
	}
	if m.observed.Given() {
		return query.CheckCertificate(m.observed, "number of observed values in a column")
	}
	return nil
}

// possible reports a number that no dataset of n rows has.
func (m maskCertificates) possible(n int) error {
	if m.observed.Known() && m.observed.Value() > float64(n) {
		return fmt.Errorf("number of observed values in a column: got %g of %d rows, want at most as many: %w", m.observed.Value(), n, kind.ErrParameter)
	}
	return nil
}

// counts returns a lower bound on the observed values of each column, and an upper bound on the common rows that
// hold an imputed cell. Without a certificate they are 0 and n − f. Under add/remove n counts the rows of the
// larger side: it is the one by whose denominators the bounds divide.
func (m maskCertificates) counts(st stage.Stage) (observed float64, rows int) {
	p := st.Before
	rows = p.N - p.F
	if m.missing.Known() {
		most := max(1, math.Floor(m.missing.Value()))
		rows = int(min(float64(rows), most))
		if !st.Empty { // an empty row is not observed either
			observed = max(0, float64(p.N)-most)
		}
	}
	if m.observed.Known() {
		observed = max(observed, math.Ceil(m.observed.Value()))
	}
	return observed, rows
}

// origins are those of the two numbers of counts.
func (m maskCertificates) origins() (observed, rows stage.Origin) {
	observed, rows = stage.FromConstruction, stage.FromConstruction
	if m.missing.Known() {
		observed, rows = m.missing.Ground(), m.missing.Ground()
	}
	if m.observed.Known() {
		observed = m.observed.Ground()
	}
	return observed, rows
}

func (m maskCertificates) missingAtMost() string {
	if query.IsOpen(m.missing) {
		return fmt.Sprintf("a bound on the rows that miss a cell of %s", m.columns)
	}
	return fmt.Sprintf("at most %g rows miss a cell of %s", m.missing.Value(), m.columns)
}

func (m maskCertificates) observedAtLeast() string {
	if query.IsOpen(m.observed) {
		return fmt.Sprintf("a bound on the least number of observed values of %s", m.columns)
	}
	return fmt.Sprintf("at least %g values of %s are observed", m.observed.Value(), m.columns)
}

func (m maskCertificates) scope() accountant.Scope {
	return query.ScopeOf(m.missing, m.missingAtMost()).Join(query.ScopeOf(m.observed, m.observedAtLeast()))
}

// expenses: the number of rows with a missing cell, and the least number of observed values, change by 1
// for each free row.
func (m maskCertificates) expenses(st stage.Stage) (out []query.Expense) {
	queryOf := query.GaussianQuery{Coordinates: 1, Sensitivity: float64(st.Before.F), Max: float64(st.Before.N)}
	if m.missing.Ground() == stage.FromTest {
		out = append(out, query.ExpenseOf(m.missing, m.missingAtMost(), -m.missing.Value(), queryOf))
	}
	if m.observed.Ground() == stage.FromTest {
		out = append(out, query.ExpenseOf(m.observed, m.observedAtLeast(), m.observed.Value(), queryOf))
	}
	return out
}

// withBounds reads the private bounds that are open, in the order of expenses; both statistics are whole
// numbers.
func (m *maskCertificates) withBounds(st stage.Stage, b []float64) (rest []float64) {
	n := float64(st.Before.N)
	if query.IsOpen(m.missing) {
		m.missing, b = query.Found(m.missing, num.Clamp(math.Floor(-b[0]), 1, n)), b[1:]
	}
	if query.IsOpen(m.observed) {
		m.observed, b = query.Found(m.observed, num.Clamp(math.Ceil(b[0]), 0, n)), b[1:]
	}
	return b
}

// measure returns the statistics of expenses.
func (m maskCertificates) measure(ctx context.Context, in frames.Source, st stage.Stage) (out [][]float64, err error) {
	if m.missing.Ground() != stage.FromTest && m.observed.Ground() != stage.FromTest {
		return nil, nil
	}
	us, _, err := m.columns.units(st.In)
	if err != nil {
		return nil, err
	}
	// How many values of each unit are observed, then how many rows miss one.
	counts, err := rows.IntegerSums(ctx, rows.Bind(rows.Over(in), "units", us), len(us)+1, func() func([]int64, []float64, float64) {
		return func(counts []int64, row []float64, _ float64) {
			missing := int64(0)
			for k, u := range us {
				if math.IsNaN(row[u.At]) {
					missing = 1
				} else {
					counts[k]++
				}
			}
			counts[len(us)] += missing
		}
	})
	if err != nil {
		return nil, err
	}
	missing, least := counts[len(us)], int64(st.Before.N)
	for _, c := range counts[:len(us)] {
		least = min(least, c)
	}
	if m.missing.Ground() == stage.FromTest {
		out = append(out, []float64{-float64(missing)})
	}
	if m.observed.Ground() == stage.FromTest {
		out = append(out, []float64{float64(least)})
	}
	return out, nil
}
