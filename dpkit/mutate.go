package dpkit

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/frames"
)

// MutateOptions are the parameters of [Pipeline.Mutate].
type MutateOptions struct {
	// From are the numeric columns that the function reads, in this order; at least one.
	From []string
	// Func and Version name a function that [RegisterFunc] registered, whose source counts where it can be seen.
	Func, Version string
	// Lo and Hi are the public bounds of the new column: values beyond are clamped. No default.
	Lo, Hi float64
	// Lipschitz bounds |f(x) − f(y)|/‖x − y‖ over the bounds of the columns. It is not looked at
	// where no earlier step displaced a column of From; where one did, it has no default.
	Lipschitz float64
}

// Mutate adds a numeric column to every row, or replaces the numeric column of that name: a
// registered function of other columns of the row. It is a public row map. Where a cell that the
// function reads is missing, so is its value.
//
// On columns that no earlier step displaced it costs nothing, whatever the function does, and a NaN
// becomes a missing cell. On displaced columns the new column is displaced by up to Lipschitz times
// as much. That constant is a property of public code that nothing here can check: the guarantee is
// then conditional on it, which the cost and the result say. A NaN becomes the midpoint of the bounds
// there, since a displacement must not decide whether a cell is missing.
func (p Pipeline) Mutate(name string, o MutateOptions) Pipeline {
	o.From = slices.Clone(o.From)
	return p.with(mutation{name, o})
}

type mutation struct {
	Name string
	MutateOptions
}

func (mutation) kind() kind { return kind{"mutate", 1, "Mutate", "dpkit.mutation"} }

func (m mutation) origin(unit string) []string {
	if unit == m.Name {
		return m.From
	}
	return []string{unit}
}

// code is the hash of the function's source, where it can be seen.
func (m mutation) code() string { return codeOfFunction(m.Func, m.Version) }

func (m mutation) Check(in frames.Schema) (frames.Schema, error) {
	if _, err := registered(m.Func, m.Version); err != nil {
		return in, err
	}
	if !(m.Lo < m.Hi) || math.IsInf(m.Lo, 0) || math.IsInf(m.Hi, 0) {
		return in, fmt.Errorf("bounds: got [%g, %g], want finite Lo < Hi: %w", m.Lo, m.Hi, ErrParameter)
	}
	if !(m.Lipschitz >= 0) || math.IsInf(m.Lipschitz, 1) {
		return in, fmt.Errorf("constant Lipschitz: got %g, want a finite number >= 0: %w", m.Lipschitz, ErrParameter)
	}
	if err := distinctNumbers(in, m.From); err != nil {
		return in, err
	}
	col := frames.Numeric(m.Name, m.Lo, m.Hi).MayMiss()
	if c, there := in.Column(m.Name); there {
		if c.Kind != frames.KindNumeric || c.Block != "" {
			return in, fmt.Errorf("column %q: it is there, and not a number that can be replaced; take another name: %w", m.Name, ErrColumn)
		}
		return replaced(in, []string{m.Name}, func(frames.Column) frames.Column { return col })
	}
	return frames.NewSchema(append(in.Columns(), col)...)
}

// displacedFrom returns the columns of From that differ in common rows.
func (m mutation) displacedFrom(st Stage) (names []string) {
	for _, name := range m.From {
		if st.Taint[name] {
			names = append(names, name)
		}
	}
	return names
}

// Propagate: beside the columns that pass through, the new value moves by at most L times as far as
// the displaced columns: K² = 1 + L². Clamping is 1-Lipschitz.
func (m mutation) Propagate(st Stage) (Propagation, error) {
	largest := max(math.Abs(m.Lo), math.Abs(m.Hi))
	r := encodedRadius(st, largest)
	displaced := m.displacedFrom(st)
	if len(displaced) == 0 {
		return columnwise(st, bounds{K: 1, R: r}, "public function of columns that are the same in common rows, row by row: free")
	}
	if m.Lipschitz == 0 {
		return Propagation{}, fmt.Errorf("columns %q differ in common rows, and no Lipschitz constant of function %q is declared; declare it, or put Mutate before the steps that are fitted to the data: %w", displaced, m.Func, ErrOrder)
	}
	k := up(math.Hypot(1, m.Lipschitz))
	pr, err := columnwise(st, bounds{K: k, R: r, Rounding: largest * 0x1p-44}, "public function of displaced columns, row by row: its constant multiplies their displacement")
	pr.Taint = st.Taint.with(m.Name)
	pr.Scope = accountant.Scope{Kind: accountant.Conditional, On: []string{
		fmt.Sprintf("function %q version %q, as computed, is %g-Lipschitz to 2^-45 of its largest value", m.Func, m.Version, m.Lipschitz),
	}}
	pr.Constants = append(pr.Constants, Constant{"L", m.Lipschitz, FromDeclaration, "Lipschitz constant of the function: a property of public code"})
	return pr, err
}

func (m mutation) Fit(_ context.Context, _ frames.Source, st Stage) (Transform, error) {
	return fitPublic(m, st)
}

func (m mutation) Deploy(st Stage) (RowMap, error) {
	into, _ := st.Out.FeatureIndex(m.Name)
	return RowMap{{Mutate: &MutateOp{
		From: featuresAt(st.In, m.From), Into: into, Func: m.Func, Version: m.Version,
		Lo: m.Lo, Hi: m.Hi, Fill: len(m.displacedFrom(st)) > 0,
	}}}, nil
}

// MutateOp writes a registered function of the columns at positions From to column Into, which is
// the width of a row where it is new. Where the function returns NaN the cell is missing, or the
// midpoint of the bounds under Fill.
type MutateOp struct {
	From    []int   `json:"from"`
	Into    int     `json:"into"`
	Func    string  `json:"func"`
	Version string  `json:"version"`
	Lo      float64 `json:"lo"`
	Hi      float64 `json:"hi"`
	Fill    bool    `json:"fill,omitempty"`
}

func (op *MutateOp) compile(in int) (Transform, int, error) {
	fn, err := registered(op.Func, op.Version)
	if err != nil {
		return nil, 0, fmt.Errorf("mutate: %w", err)
	}
	if err := positions(op.From, in); err != nil {
		return nil, 0, fmt.Errorf("mutate: %w", err)
	}
	if op.Into < 0 || op.Into > in {
		return nil, 0, fmt.Errorf("mutate: got column %d of %d to write to", op.Into, in)
	}
	if !(op.Lo < op.Hi) {
		return nil, 0, fmt.Errorf("mutate: got bounds [%g, %g]", op.Lo, op.Hi)
	}
	otherwise := math.NaN()
	if op.Fill {
		otherwise = op.Lo + (op.Hi-op.Lo)/2
	}
	return func(dst, src []float64) {
		x := make([]float64, len(op.From))
		missing := false
		for i, j := range op.From {
			x[i] = src[j]
			missing = missing || math.IsNaN(x[i])
		}
		copy(dst, src)
		y := math.NaN()
		if !missing {
			if y = valueOf(fn, x); math.IsNaN(y) {
				y = otherwise
			}
		}
		dst[op.Into] = clamp(y, op.Lo, op.Hi)
	}, max(in, op.Into+1), nil
}

// valueOf is fn(x), or NaN where it panics: what a panic prints could hold a row.
func valueOf(fn func([]float64) float64, x []float64) (y float64) {
	defer func() {
		if recover() != nil {
			y = math.NaN()
		}
	}()
	return fn(x)
}
