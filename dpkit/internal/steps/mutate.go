package steps

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/function"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// MutateOptions are the parameters of dpkit.Pipeline.Mutate.
type MutateOptions struct {
	// From are the numeric columns that the function reads, in this order; at least one.
	From []string
	// Func and Version name a function that [stage.RegisterFunc] or [stage.RegisterGota] registered, whose source counts where it can be seen.
	Func, Version string
	// Lo and Hi are the public bounds of the new column: values beyond are clamped. No default.
	Lo, Hi float64
	// Lipschitz bounds |f(x) − f(y)|/‖x − y‖ over the bounds of the columns. It is not looked at
	// where no earlier step displaced a column of From; where one did, it has no default.
	Lipschitz float64
}

// Mutation is dpkit.Pipeline.Mutate: the numeric column Name is what a registered function makes of other columns of the row,
// a public map.
type Mutation struct {
	Name string
	MutateOptions
}

func (Mutation) Kind() kind.Kind {
	return kind.Kind{Name: "mutate", Law: 1, Call: "Mutate", Was: "dpkit.mutation"}
}

func (m Mutation) Origin(unit string) []string {
	if unit == m.Name {
		return m.From
	}
	return []string{unit}
}

// Code is the hash of the function's source, where it can be seen.
func (m Mutation) Code() string { return function.CodeOf(m.Func, m.Version) }

func (m Mutation) Check(in frames.Schema) (frames.Schema, error) {
	if _, err := function.Named(m.Func, m.Version); err != nil {
		return in, err
	}
	if !(m.Lo < m.Hi) || math.IsInf(m.Lo, 0) || math.IsInf(m.Hi, 0) {
		return in, fmt.Errorf("bounds: got [%g, %g], want finite Lo < Hi: %w", m.Lo, m.Hi, kind.ErrParameter)
	}
	if !(m.Lipschitz >= 0) || math.IsInf(m.Lipschitz, 1) {
		return in, fmt.Errorf("constant Lipschitz: got %g, want a finite number >= 0: %w", m.Lipschitz, kind.ErrParameter)
	}
	if err := domain.DistinctNumbers(in, m.From); err != nil {
		return in, err
	}
	if named := function.ColumnsOf(m.Func, m.Version); named != nil && !slices.Equal(named, m.From) {
		return in, fmt.Errorf("columns of function %q: got From %q, want those that it was registered with, in their order: %q: %w", m.Func, m.From, named, kind.ErrParameter)
	}
	col := frames.Numeric(m.Name, m.Lo, m.Hi).MayMiss()
	if c, there := in.Column(m.Name); there {
		if c.Kind != frames.KindNumeric || c.Block != "" {
			return in, fmt.Errorf("column %q: it is there, and not a number that can be replaced; take another name: %w", m.Name, stage.ErrColumn)
		}
		return domain.Replaced(in, []string{m.Name}, func(frames.Column) frames.Column { return col })
	}
	return frames.NewSchema(append(in.Columns(), col)...)
}

// displacedFrom returns the columns of From that differ in common rows.
func (m Mutation) displacedFrom(st stage.Stage) (names []string) {
	for _, name := range m.From {
		if st.Taint[name] {
			names = append(names, name)
		}
	}
	return names
}

// Propagate: beside the columns that pass through, the new value moves by at most L times as far as
// the displaced columns: K² = 1 + L². Clamping is 1-Lipschitz.
func (m Mutation) Propagate(st stage.Stage) (stage.Propagation, error) {
	largest := max(math.Abs(m.Lo), math.Abs(m.Hi))
	r := domain.EncodedRadius(st, largest)
	displaced := m.displacedFrom(st)
	if len(displaced) == 0 {
		return stage.Columnwise(st, stage.Bounds{K: 1, R: r}, "public function of columns that are the same in common rows, row by row: free")
	}
	//dp:refuses mutate/displaced a function without a constant may jump
	if m.Lipschitz == 0 {
		return stage.Propagation{}, fmt.Errorf("columns %q differ in common rows, and no Lipschitz constant of function %q is declared; declare it, or put Mutate before the steps that are fitted to the data: %w", displaced, m.Func, stage.ErrOrder)
	}
	k := stage.Up(math.Hypot(1, m.Lipschitz))
	pr, err := stage.Columnwise(st, stage.Bounds{K: k, R: r, Rounding: largest * 0x1p-44}, "public function of displaced columns, row by row: its constant multiplies their displacement")
	pr.Taint = st.Taint.With(m.Name)
	pr.Scope = accountant.Scope{Kind: accountant.Conditional, On: []string{
		fmt.Sprintf("function %q version %q, as computed, is %g-Lipschitz to 2^-45 of its largest value", m.Func, m.Version, m.Lipschitz),
	}}
	pr.Constants = append(pr.Constants, stage.Constant{Symbol: "L", Value: m.Lipschitz, Origin: stage.FromDeclaration, Meaning: "Lipschitz constant of the function: a property of public code"})
	return pr, err
}

func (m Mutation) Fit(_ context.Context, _ frames.Source, st stage.Stage) (stage.Transform, error) {
	return stage.FitPublic(m, st)
}

func (m Mutation) Deploy(st stage.Stage) (stage.RowMap, error) {
	into, _ := st.Out.FeatureIndex(m.Name)
	return stage.RowMap{{Mutate: &stage.MutateOp{
		From: domain.FeaturesAt(st.In, m.From), Into: into, Func: m.Func, Version: m.Version,
		Lo: m.Lo, Hi: m.Hi, Fill: len(m.displacedFrom(st)) > 0,
	}}}, nil
}
