package stagetest_test

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// MaxAbs divides every column by its largest absolute value in the data, at least Floor: a step as another module writes one.
type MaxAbs struct {
	Floor float64
	// Claim multiplies what its Propagate claims of the displacement by the fit; 1 is right.
	Claim float64
}

func (m MaxAbs) Check(in frames.Schema) (frames.Schema, error) {
	cols := in.Columns()
	for i, c := range cols {
		if _, feature := in.FeatureIndex(c.Name); !feature {
			continue
		}
		if c.Kind != frames.KindNumeric || c.Missing || c.Block != "" {
			return in, errors.New("maxabs: want columns of numbers that are there")
		}
		cols[i].Lo, cols[i].Hi = -1, 1
	}
	return frames.NewSchema(cols...)
}

// Propagate: a value is at most its column's maximum, on either side, and at most so far from its image that x/M moves by
// |x||1/M − 1/M'| ≤ 1 at most, and by |M − M'|/Floor where rows are displaced.
func (m MaxAbs) Propagate(st stage.Stage) (stage.Propagation, error) {
	p := st.Before
	n, root := float64(p.N), math.Sqrt(float64(len(st.In.Features())))
	r := stage.Up(min(root, p.R/m.Floor))
	h := stage.Up(min(p.TF, root*p.TInf) / m.Floor)
	q, err := p.Propagate(pair.StepBounds{
		K: stage.Up(1 / m.Floor), A1: m.Claim * n * r, AF: m.Claim * stage.Up(math.Sqrt(n)*r), AInf: m.Claim * r,
		H1: stage.Up(n * h), HF: stage.Up(math.Sqrt(n) * h), HInf: h, Affected: p.N - p.F, R: r, Jump: stage.Rounding(len(st.In.Features()), r), ResetFree: true,
	})
	return stage.Propagation{Pair: q, Taint: st.Taint.WithFeatures(st.Out), Scope: accountant.Scope{Kind: accountant.Unconditional}, Role: stage.RoleDeployed}, err
}

func (m MaxAbs) Fit(ctx context.Context, in frames.Source, st stage.Stage) (stage.Transform, error) {
	most := make([]float64, len(st.In.Features()))
	err := stage.ScanRows(ctx, in, func(row []float64, _ float64) {
		for j, x := range row {
			most[j] = max(most[j], math.Abs(x))
		}
	})
	fitted := stage.Hide(most)
	return stage.ByRow(func(dst, src []float64) {
		for j, largest := range fitted.Get() {
			dst[j] = src[j] / max(largest, m.Floor)
		}
	}), err
}

func (m MaxAbs) String() string { return fmt.Sprintf("MaxAbs(%g)", m.Floor) }
