package steps

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// Quantize is dpkit.Pipeline.Quantize: values move to the centre of their cell of a public grid, a public map.
type Quantize struct {
	Width   float64
	Columns []string
}

func (Quantize) Kind() kind.Kind {
	return kind.Kind{Name: "quantize/grid", Law: 1, Call: "Quantize", Was: "dpkit.quantize"}
}

func (Quantize) Origin(unit string) []string { return []string{unit} }

func (q Quantize) Check(in frames.Schema) (frames.Schema, error) {
	if err := num.Sized("cell width", q.Width); err != nil {
		return in, err
	}
	if err := domain.NumericColumns(in, q.Columns); err != nil {
		return in, err
	}
	for _, name := range q.Columns {
		// Beyond, the number of a cell is not exact, and in the end it overflows.
		if c, _ := in.Column(name); !((c.Hi-c.Lo)/q.Width <= 1<<50) {
			return in, fmt.Errorf("cell width: got %g for column %q in [%g, %g], want at most 2^50 cells: %w", q.Width, name, c.Lo, c.Hi, kind.ErrParameter)
		}
	}
	return in, nil
}

// GridBounds: two values at distance d lie in cells whose centres are at most d + η apart, η the
// width; over so many columns the extra distance is at most η√columns (docs/theory/calculus.md#grid-quantisation).
func GridBounds(p pair.State, width float64, columns int) pair.StepBounds {
	jump := width * math.Sqrt(float64(columns))
	return pair.StepBounds{K: 1, Jump: jump, R: p.R + jump/2}
}

// Propagate: only displaced columns jump in a common row.
func (q Quantize) Propagate(st stage.Stage) (stage.Propagation, error) {
	hit := 0
	for _, name := range q.Columns {
		if st.Taint[name] {
			hit++
		}
	}
	r := stage.StartRadius(st.Out)
	jump := 0.0
	if hit > 0 {
		jump = stage.Up(GridBounds(st.Before, q.Width, hit).Jump + stage.Rounding(len(q.Columns), r))
	}
	p, err := st.Before.Propagate(pair.StepBounds{K: 1, Jump: jump, R: r, ResetFree: true})
	note := "public grid, row by row: free"
	if hit > 0 {
		note = "a displaced value can jump to the next cell; put Quantize before the steps that are fitted to the data"
	}
	return stage.Propagation{
		Pair: p, Taint: st.Taint, Scope: accountant.Scope{Kind: accountant.Unconditional}, Role: stage.RolePublic,
		Constants: []stage.Constant{
			{Symbol: "K", Value: 1, Origin: stage.FromConstruction, Meaning: "a row moves no further than it did, but for the jump"},
			{Symbol: "J", Value: jump, Origin: stage.FromParameter, Meaning: "jump of a displaced row: cell width × √(displaced columns)"},
			{Symbol: "R", Value: r, Origin: stage.FromSchema, Meaning: "bound on a row's norm after the step"},
		},
		Note: note, Reference: "stability calculus §3, grid quantisation; Hu, Sanyal, Schölkopf 2024, Prop. 3, replaced by a public grid",
	}, err
}

func (q Quantize) Fit(_ context.Context, _ frames.Source, st stage.Stage) (stage.Transform, error) {
	return stage.FitPublic(q, st)
}

func (q Quantize) Deploy(st stage.Stage) (stage.RowMap, error) {
	op := &stage.GridOp{Width: q.Width}
	for j, col := range st.In.Features() {
		if slices.Contains(q.Columns, col.Name) {
			op.Columns = append(op.Columns, j)
			op.Lo, op.Hi = append(op.Lo, col.Lo), append(op.Hi, col.Hi)
		}
	}
	return stage.RowMap{{Grid: op}}, nil
}
