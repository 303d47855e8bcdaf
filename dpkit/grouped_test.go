package dpkit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// grouper adds its rows up itself, one group a row, and tells what a test makes of them.
type grouper struct {
	*frames.Frame
	scans, groups *int
	tell          func(levels []float64, rows int64, sums []int64, each func([]float64, int64, []int64))
	end           error
}

func (g grouper) Scan(ctx context.Context, fn func(*frames.Block) error) error {
	*g.scans++
	return g.Frame.Scan(ctx, fn)
}

func (g grouper) Grouped(ctx context.Context, q frames.Grouping, each func(levels []float64, rows int64, sums []int64)) (bool, error) {
	*g.groups++
	schema := g.Schema()
	cell := func(b *frames.Block, i int, name string) float64 {
		if j, ok := schema.FeatureIndex(name); ok {
			return b.Row(i)[j]
		}
		return b.Y[i]
	}
	err := g.Frame.Scan(ctx, func(b *frames.Block) error {
		for i := range b.Rows {
			levels, sums := make([]float64, len(q.By)), make([]int64, len(q.Sums))
			for k, name := range q.By {
				levels[k] = cell(b, i, name)
			}
			for k, s := range q.Sums {
				sums[k] = s.Of(cell(b, i, s.Column))
			}
			g.tell(levels, 1, sums, each)
		}
		return nil
	})
	return true, errors.Join(err, g.end)
}

// TestGroupedTables: a table that a source adds up has the bits of the same one by its rows; a source whose groups are not those of its
// schema, or of as many rows, is read.
func TestGroupedTables(t *testing.T) {
	schema := must(frames.NewSchema(frames.Category("ward", "A", "B", "C").MayMiss(), frames.Category("sex", "f", "m"), frames.Numeric("x", -3, 7), frames.Numeric("n", 0, 16), frames.Label("class", "no", "yes")))
	var x, y []float64
	for i := range 5000 {
		ward := float64(i % 4)
		if ward == 3 {
			ward = math.NaN()
		}
		x = append(x, ward, float64(i*7%2), -3+math.Mod(float64(i)*math.Pi, 10), float64(i%17))
		y = append(y, float64(i/3%2))
	}
	frame := must(frames.FromBlock(schema, &frames.Block{Rows: len(y), Cols: 4, X: x, Y: y}))
	plans := func(src frames.Source) map[string]Plan[Table] {
		d := must(Demo(src, 3, ReplaceOne)).Data()
		target := Target{Epsilon: 1, Delta: 1e-6}
		return map[string]Plan[Table]{
			"counts":     d.By("ward", "sex").Count().Table(target),
			"statistics": d.By("class").Count().Sum("x").Mean("n").Variance("x").Share("sex", "f").Share("class", "no").Table(target),
			"one group":  d.By().Mean("x").Table(target),
		}
	}
	want := plans(frame)
	honest := func(levels []float64, rows int64, sums []int64, each func([]float64, int64, []int64)) {
		each(levels, rows, sums)
	}
	seen := 0
	for name, c := range map[string]struct {
		tell func(levels []float64, rows int64, sums []int64, each func([]float64, int64, []int64))
		read bool
	}{
		"honest": {honest, false},
		"a row too few": {func(levels []float64, rows int64, sums []int64, each func([]float64, int64, []int64)) {
			if seen++; seen%5000 != 0 {
				each(levels, rows, sums)
			}
		}, true},
		"a level that is none": {func(levels []float64, rows int64, sums []int64, each func([]float64, int64, []int64)) {
			for i := range levels {
				levels[i] = 17
			}
			if len(levels) == 0 {
				rows = -rows
			}
			each(levels, rows, sums)
		}, true},
		"too few sums": {func(levels []float64, rows int64, sums []int64, each func([]float64, int64, []int64)) {
			each(append(levels, 0), rows, sums)
		}, true},
	} {
		scans, groups := 0, 0
		src := must(frames.Check(t.Context(), grouper{frame, &scans, &groups, c.tell, nil}))
		for plan, p := range plans(src) {
			scans, groups = 0, 0
			got := must(p.Release(t.Context())).Value
			by := must(want[plan].Release(t.Context())).Value
			if fmt.Sprint(got.Counts, got.Sums, got.People) != fmt.Sprint(by.Counts, by.Sums, by.People) {
				t.Errorf("%s, %s: another table", name, plan)
			}
			if groups != 1 || c.read != (scans > 0) {
				t.Errorf("%s, %s: added up %d times, read %d times", name, plan, groups, scans)
			}
		}
	}
	gone := errors.New("gone")
	scans, groups := 0, 0
	src := must(frames.Check(t.Context(), grouper{frame, &scans, &groups, honest, gone}))
	if _, err := plans(src)["counts"].Release(t.Context()); !errors.Is(err, gone) {
		t.Errorf("got %v, want the source's error", err)
	}
	scans = 0
	behind := must(Demo(src, 3, ReplaceOne)).Data().Where(Between("x", 0, 7)).By("sex").Count().Table(Target{Epsilon: 1, Delta: 1e-6})
	if _, err := behind.Release(t.Context()); err != nil || scans == 0 {
		t.Errorf("behind a step: %v, read %d times", err, scans)
	}
}
