package dpkit

import (
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/frames"
)

// maskCertificates are the numbers about missing cells that the price of an imputer can rest on. No
// step displaces a mask: common rows miss the same cells on both sides of the pair, and in the
// hybrid of [pair.State.Propagate] (docs/theory/calculus.md#certified-constants, docs/theory/calculus.md#statistics-that-are-tested).
type maskCertificates struct {
	columns  columnSet
	missing  Certificate // at most so many rows miss a cell that is imputed
	observed Certificate // every imputed column has at least so many values
}

func (m maskCertificates) check() error {
	if m.missing.given() {
		if err := m.missing.check("number of rows with a missing cell"); err != nil {
			return err
		}
	}
	if m.observed.given() {
		return m.observed.check("number of observed values in a column")
	}
	return nil
}

// possible reports a number that no dataset of n rows has.
func (m maskCertificates) possible(n int) error {
	if m.observed.known() && m.observed.value > float64(n) {
		return fmt.Errorf("number of observed values in a column: got %g of %d rows, want at most as many: %w", m.observed.value, n, ErrParameter)
	}
	return nil
}

// counts returns a lower bound on the observed values of each column, and an upper bound on the common rows that
// hold an imputed cell. Without a certificate they are 0 and n − f. Under add/remove n counts the rows of the
// larger side: it is the one by whose denominators the bounds divide.
func (m maskCertificates) counts(st Stage) (observed float64, rows int) {
	p := st.Before
	rows = p.N - p.F
	if m.missing.known() {
		most := max(1, math.Floor(m.missing.value))
		rows = int(min(float64(rows), most))
		if !st.Empty { // an empty row is not observed either
			observed = max(0, float64(p.N)-most)
		}
	}
	if m.observed.known() {
		observed = max(observed, math.Ceil(m.observed.value))
	}
	return observed, rows
}

// origins are those of the two numbers of counts.
func (m maskCertificates) origins() (observed, rows Origin) {
	observed, rows = FromConstruction, FromConstruction
	if m.missing.known() {
		observed, rows = m.missing.ground, m.missing.ground
	}
	if m.observed.known() {
		observed = m.observed.ground
	}
	return observed, rows
}

func (m maskCertificates) missingAtMost() string {
	if m.missing.open {
		return fmt.Sprintf("a bound on the rows that miss a cell of %s", m.columns)
	}
	return fmt.Sprintf("at most %g rows miss a cell of %s", m.missing.value, m.columns)
}

func (m maskCertificates) observedAtLeast() string {
	if m.observed.open {
		return fmt.Sprintf("a bound on the least number of observed values of %s", m.columns)
	}
	return fmt.Sprintf("at least %g values of %s are observed", m.observed.value, m.columns)
}

func (m maskCertificates) scope() accountant.Scope {
	return m.missing.scope(m.missingAtMost()).Join(m.observed.scope(m.observedAtLeast()))
}

// expenses: the number of rows with a missing cell, and the least number of observed values, change by 1
// for each free row.
func (m maskCertificates) expenses(st Stage) (out []expense) {
	query := gaussianQuery{coordinates: 1, sensitivity: float64(st.Before.F), max: float64(st.Before.N)}
	if m.missing.ground == FromTest {
		out = append(out, expenseOf(m.missing, m.missingAtMost(), -m.missing.value, query))
	}
	if m.observed.ground == FromTest {
		out = append(out, expenseOf(m.observed, m.observedAtLeast(), m.observed.value, query))
	}
	return out
}

// withBounds reads the private bounds that are open, in the order of expenses; both statistics are whole
// numbers.
func (m *maskCertificates) withBounds(st Stage, b []float64) (rest []float64) {
	n := float64(st.Before.N)
	if m.missing.open {
		m.missing, b = found(m.missing, clamp(math.Floor(-b[0]), 1, n)), b[1:]
	}
	if m.observed.open {
		m.observed, b = found(m.observed, clamp(math.Ceil(b[0]), 0, n)), b[1:]
	}
	return b
}

// measure returns the statistics of expenses.
func (m maskCertificates) measure(ctx context.Context, in frames.Source, st Stage) (out [][]float64, err error) {
	if m.missing.ground != FromTest && m.observed.ground != FromTest {
		return nil, nil
	}
	us, _, err := m.columns.units(st.In)
	if err != nil {
		return nil, err
	}
	missing, observed := 0, make([]int, len(us))
	err = scanRows(ctx, in, func(row []float64, _ float64) {
		whole := true
		for k, u := range us {
			if math.IsNaN(row[u.at]) {
				whole = false
			} else {
				observed[k]++
			}
		}
		if !whole {
			missing++
		}
	})
	least := st.Before.N
	for _, c := range observed {
		least = min(least, c)
	}
	if m.missing.ground == FromTest {
		out = append(out, []float64{-float64(missing)})
	}
	if m.observed.ground == FromTest {
		out = append(out, []float64{float64(least)})
	}
	return out, err
}
