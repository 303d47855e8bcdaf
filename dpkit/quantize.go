package dpkit

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/frames"
)

// Quantize moves the named numeric columns to the centres of public grid cells of the given width,
// counted from the column's lower bound. On columns that no earlier step displaced it costs
// nothing; a displaced value can jump by a cell, which is priced.
func (p Pipeline) Quantize(width float64, columns ...string) Pipeline {
	return p.with(quantize{width, slices.Clone(columns)})
}

type quantize struct {
	Width   float64
	Columns []string
}

func (quantize) kind() kind { return kind{"quantize/grid", 1, "Quantize", "dpkit.quantize"} }

func (quantize) origin(unit string) []string { return []string{unit} }

func (q quantize) Check(in frames.Schema) (frames.Schema, error) {
	if err := sized("cell width", q.Width); err != nil {
		return in, err
	}
	if err := numericColumns(in, q.Columns); err != nil {
		return in, err
	}
	for _, name := range q.Columns {
		// Beyond, the number of a cell is not exact, and in the end it overflows.
		if c, _ := in.Column(name); !((c.Hi-c.Lo)/q.Width <= 1<<50) {
			return in, fmt.Errorf("cell width: got %g for column %q in [%g, %g], want at most 2^50 cells: %w", q.Width, name, c.Lo, c.Hi, ErrParameter)
		}
	}
	return in, nil
}

// gridBounds: two values at distance d lie in cells whose centres are at most d + η apart, η the
// width; over so many columns the extra distance is at most η√columns (docs/theory/calculus.md#grid-quantisation).
func gridBounds(p pair.State, width float64, columns int) pair.StepBounds {
	jump := width * math.Sqrt(float64(columns))
	return pair.StepBounds{K: 1, Jump: jump, R: p.R + jump/2}
}

// Propagate: only displaced columns jump in a common row.
func (q quantize) Propagate(st Stage) (Propagation, error) {
	hit := 0
	for _, name := range q.Columns {
		if st.Taint[name] {
			hit++
		}
	}
	r := startRadius(st.Out)
	jump := 0.0
	if hit > 0 {
		jump = up(gridBounds(st.Before, q.Width, hit).Jump + rounding(len(q.Columns), r))
	}
	p, err := st.Before.Propagate(pair.StepBounds{K: 1, Jump: jump, R: r, ResetFree: true})
	note := "public grid, row by row: free"
	if hit > 0 {
		note = "a displaced value can jump to the next cell; put Quantize before the steps that are fitted to the data"
	}
	return Propagation{
		Pair: p, Taint: st.Taint, Scope: accountant.Scope{Kind: accountant.Unconditional}, Role: RolePublic,
		Constants: []Constant{
			{"K", 1, FromConstruction, "a row moves no further than it did, but for the jump"},
			{"J", jump, FromParameter, "jump of a displaced row: cell width × √(displaced columns)"},
			{"R", r, FromSchema, "bound on a row's norm after the step"},
		},
		Note: note, Reference: "stability calculus §3, grid quantisation; Hu, Sanyal, Schölkopf 2024, Prop. 3, replaced by a public grid",
	}, err
}

func (q quantize) Fit(_ context.Context, _ frames.Source, st Stage) (Transform, error) {
	return fitPublic(q, st)
}

func (q quantize) Deploy(st Stage) (RowMap, error) {
	op := &GridOp{Width: q.Width}
	for j, col := range st.In.Features() {
		if slices.Contains(q.Columns, col.Name) {
			op.Columns = append(op.Columns, j)
			op.Lo, op.Hi = append(op.Lo, col.Lo), append(op.Hi, col.Hi)
		}
	}
	return RowMap{{Grid: op}}, nil
}
