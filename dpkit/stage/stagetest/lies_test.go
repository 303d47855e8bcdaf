package stagetest_test

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/dpkit/stage/stagetest"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/single"
)

// leaning subtracts the mean of the rows, with a peculiarity. What it claims is right for a plain mean; honest adds what the peculiarity
// costs.
type leaning struct {
	name   string
	honest bool

	weight  func(i, n int) float64                   // of row i of n in the mean; weights are at most twoFold
	restart bool                                     // the mean is that of the last block
	value   func(c frames.Column, x float64) float64 // what a cell becomes first, within its column
	steep   float64                                  // its Lipschitz constant; 0: 1
	jump    float64                                  // and how far it jumps
	plain   func(rows [][]float64) bool              // such a dataset is not centred at all
}

const twoFold = 2

func (l leaning) String() string { return l.name }

func (l leaning) Check(in frames.Schema) (frames.Schema, error) {
	cols := in.Columns()
	for i, c := range cols {
		if _, feature := in.FeatureIndex(c.Name); !feature {
			continue
		}
		if c.Kind != frames.KindNumeric || c.Missing {
			return in, errors.New("want columns of numbers that are there")
		}
		cols[i] = frames.Numeric(c.Name, c.Lo-max(c.Hi, 0), c.Hi-min(c.Lo, 0))
	}
	return frames.NewSchema(cols...)
}

// Propagate: a row moves the mean by D/n, displaced ones do by t1/n.
func (l leaning) Propagate(st stage.Stage) (stage.Propagation, error) {
	p, size := st.Before, 0.0
	for _, c := range st.In.Features() {
		size = math.Hypot(size, max(math.Abs(c.Lo), math.Abs(c.Hi)))
	}
	n, d, k, times, jump := float64(p.N), p.D(), 1.0, 1.0, 0.0
	if l.honest {
		k, jump = max(1, l.steep), l.jump
		d = min(k*d+jump, 2*size)
		if l.weight != nil {
			times = twoFold
		}
		if l.restart {
			times = n
		}
	}
	tiny := 0x1p-40 * size
	each, displaced := times*d/n+tiny, times*(k*p.T1+float64(p.M)*jump)/n+tiny
	if l.honest && l.plain != nil {
		each, displaced = stage.Up(2*size), stage.Up(2*size)
	}
	q, err := p.Propagate(pair.StepBounds{
		K: k, A1: n * each, AF: math.Sqrt(n) * each, AInf: each, H1: n * displaced, HF: math.Sqrt(n) * displaced, HInf: displaced,
		Affected: p.N - p.F, R: stage.Up(2 * size), Jump: jump + tiny,
	})
	return stage.Propagation{
		Pair: st.EmptyImage(q), Taint: st.Taint.WithFeatures(st.Out), Scope: accountant.Scope{Kind: accountant.Unconditional}, Role: stage.RoleDeployed,
	}, err
}

func (l leaning) Fit(ctx context.Context, in frames.Source, st stage.Stage) (stage.Transform, error) {
	features := st.In.Features()
	mapped := func(j int, x float64) float64 {
		if l.value == nil {
			return x
		}
		return l.value(features[j], x)
	}
	mean, n := make([]float64, len(features)), st.Before.N
	var rows [][]float64
	err := in.Scan(ctx, func(b *frames.Block) error {
		over := n
		if l.restart {
			clear(mean)
			over = b.Rows
		}
		for i := range b.Rows {
			if b.Empty != nil && b.Empty[i] {
				continue
			}
			w := 1.0
			if l.weight != nil {
				w = l.weight(b.First+i, n)
			}
			for j, x := range b.Row(i) {
				mean[j] += w * mapped(j, x) / float64(over)
			}
			if l.plain != nil {
				rows = append(rows, slices.Clone(b.Row(i)))
			}
		}
		return nil
	})
	if l.plain != nil && l.plain(rows) {
		clear(mean)
	}
	return stage.ByRow(func(dst, src []float64) {
		for j, x := range src {
			dst[j] = mapped(j, x) - mean[j]
		}
	}), err
}

// twice counts row i twice and the one before it, cyclically, not at all.
func twice(i int) func(k, n int) float64 {
	return func(k, n int) float64 {
		at := i
		if i < 0 {
			at = n / 2
		}
		if at = min(at, n-1); n < 2 {
			return 1
		}
		switch k {
		case at:
			return 2
		case (at + n - 1) % n:
			return 0
		}
		return 1
	}
}

// firstHalf counts the first half of the rows twice and the others not at all, of so many rows.
func firstHalf(least, most int) func(i, n int) float64 {
	return func(i, n int) float64 {
		switch {
		case n < least || n > most:
			return 1
		case i < n/2:
			return 2
		}
		return 0
	}
}

func sameRows(rows [][]float64) bool {
	sorted := slices.Clone(rows)
	slices.SortFunc(sorted, slices.Compare)
	return len(slices.CompactFunc(sorted, slices.Equal)) < len(rows)
}

func constantColumn(rows [][]float64) bool {
	return len(rows) > 1 && !slices.ContainsFunc(rows, func(r []float64) bool { return r[0] != rows[0][0] })
}

// nearTie finds two numbers of the first column that differ by less than 1e-9, and are not next to 0.
func nearTie(rows [][]float64) bool {
	var x []float64
	for _, r := range rows {
		x = append(x, r[0])
	}
	slices.Sort(x)
	for i := 1; i < len(x); i++ {
		if by := x[i] - x[i-1]; by > 0 && by < 1e-9 && math.Abs(x[i]) > 0.01 {
			return true
		}
	}
	return false
}

func inOrder(rows [][]float64) bool {
	return len(rows) > 4 && slices.IsSortedFunc(rows, func(a, b []float64) int { return cmp.Compare(a[0], b[0]) })
}

// lies are steps whose bounds are wrong for few datasets.
func lies() []leaning {
	return []leaning{
		{name: "the last row counts twice", weight: twice(math.MaxInt)},
		{name: "the first row counts twice", weight: twice(0)},
		{name: "the middle row counts twice", weight: twice(-1)},
		{name: "the first half counts twice, of more than 60 rows", weight: firstHalf(61, math.MaxInt)},
		{name: "the first half counts twice, of more than 2000 rows", weight: firstHalf(2001, math.MaxInt)},
		{name: "the first half counts twice, of 100 to 199 rows", weight: firstHalf(100, 199)},
		{name: "each block begins anew", restart: true},
		{name: "a thousandfold, of blocks of columns", steep: 1000, value: func(c frames.Column, x float64) float64 {
			if c.Block == "" {
				return x
			}
			return min(max(1000*(x-c.Hi/2), 0), c.Hi)
		}},
		{name: "a jump at 0.123005", jump: 1, value: func(_ frames.Column, x float64) float64 {
			if x >= 0.123005 && x < 8 {
				return 0.9 * x
			}
			return x
		}},
		{name: "another map between 0.123 and 0.12301", jump: 1, value: func(_ frames.Column, x float64) float64 {
			if x > 0.123 && x < 0.12301 {
				return 0
			}
			return x
		}},
		{name: "two equal rows", plain: sameRows},
		{name: "a column that is constant", plain: constantColumn},
		{name: "rows in order", plain: inOrder},
		{name: "numbers that nearly tie", plain: nearTie},
		{name: "a mean above 0.2517", plain: func(rows [][]float64) bool {
			m := 0.0
			for _, r := range rows {
				m += r[0] / float64(len(rows))
			}
			return m > 0.2517
		}},
	}
}

// TestEveryLieIsRefuted: by the attack as it is without options; with bounds that are right for it the same step passes.
func TestEveryLieIsRefuted(t *testing.T) {
	var block []frames.Column
	for _, level := range []string{"a", "b"} {
		c := frames.Numeric("town="+level, 0, 1)
		c.Block = "town"
		block = append(block, c)
	}
	mixed, err := frames.NewSchema(append(block, frames.Numeric("x", -1, 1), frames.NumericLabel("y", -3, 5))...)
	if err != nil {
		t.Fatal(err)
	}
	for _, lie := range lies() {
		t.Run(lie.name, func(t *testing.T) {
			single.Goroutine(t)
			if _, err := stagetest.Try(t.Context(), lie); !errors.Is(err, stagetest.ErrBroken) {
				t.Errorf("got %v, want it refuted", err)
			}
			honest := lie
			honest.honest = true
			if _, err := stagetest.Try(t.Context(), honest, stagetest.On(mixed)); err != nil {
				t.Errorf("with its own bounds: %v", err)
			}
		})
	}
	if _, err := stagetest.Try(t.Context(), leaning{name: "a plain mean"}, stagetest.Floor(0.9)); err != nil {
		t.Error(err)
	}
}
