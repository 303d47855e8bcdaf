package steps

import (
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// Bin is dpkit.Pipeline.Bin: numeric columns become categories by public edges, which rise; k edges make k + 1 levels.
type Bin struct {
	Edges   []float64
	Columns []string
}

func (Bin) Kind() kind.Kind { return kind.Kind{Name: "bin", Law: 1, Call: "Bin", Was: "dpkit.bin"} }

func (Bin) Origin(unit string) []string { return []string{unit} }

func (b Bin) Check(in frames.Schema) (frames.Schema, error) {
	if err := num.RisingEdges(b.Edges); err != nil {
		return in, fmt.Errorf("%w: %w", err, kind.ErrParameter)
	}
	if err := domain.DistinctNumbers(in, b.Columns); err != nil {
		return in, err
	}
	for _, name := range b.Columns {
		if c, _ := in.Column(name); !(c.Lo < b.Edges[0]) || !(b.Edges[len(b.Edges)-1] <= c.Hi) {
			return in, fmt.Errorf("edges: got %v for column %q in [%g, %g], want edges inside its bounds, so that no level is empty: %w", b.Edges, name, c.Lo, c.Hi, kind.ErrParameter)
		}
	}
	return domain.Replaced(in, b.Columns, func(c frames.Column) frames.Column {
		out := frames.Category(c.Name, b.levels()...)
		out.Missing, out.Ordered = c.Missing, true
		return out
	})
}

func (b Bin) levels() []string {
	e := b.Edges
	out := []string{fmt.Sprintf("below %v", e[0])}
	for i := 1; i < len(e); i++ {
		out = append(out, fmt.Sprintf("%v to %v", e[i-1], e[i]))
	}
	return append(out, fmt.Sprintf("%v and above", e[len(e)-1]))
}

func (b Bin) Propagate(st stage.Stage) (stage.Propagation, error) {
	if err := domain.CleanKeys(st, b.Columns); err != nil {
		return stage.Propagation{}, err
	}
	// A category counts with norm 1 (see [stage.StartRadius]).
	r := domain.EncodedRadius(st, math.Sqrt(float64(len(b.Columns))))
	return stage.Columnwise(st, stage.Bounds{K: 1, R: r}, "public edges, row by row: free")
}

func (b Bin) Fit(_ context.Context, _ frames.Source, st stage.Stage) (stage.Transform, error) {
	return stage.FitPublic(b, st)
}

func (b Bin) Deploy(st stage.Stage) (stage.RowMap, error) {
	return stage.RowMap{{Bin: &stage.BinOp{Columns: domain.FeaturesAt(st.In, b.Columns), Edges: b.Edges}}}, nil
}

// ReadsUnbounded says that edges are public, whether the column has bounds or not.
func (Bin) ReadsUnbounded() {}

// LeavesTexts says that cells of texts are left alone, or name groups.
func (Bin) LeavesTexts() {}
