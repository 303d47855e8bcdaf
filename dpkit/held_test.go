package dpkit

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/frames"
)

// TestCostSaysWhatIsHeld: the tables that a chain holds are counted from public sizes, and what it streams instead.
func TestCostSaysWhatIsHeld(t *testing.T) {
	schema := must(frames.NewSchema(frames.Numeric("x", -1, 1).MayMiss(), frames.Numeric("z", 0, 4), frames.NumericLabel("y", 0, 1)))
	var b frames.Block
	for i := range 1000 {
		b.X, b.Y = append(b.X, math.Sin(float64(i)), float64(i%5)), append(b.Y, float64(i%2))
	}
	b.Rows, b.Cols = 1000, 2
	f := must(frames.FromBlock(schema, &b))
	target := Target{Epsilon: 1, Delta: 1e-6}
	for _, c := range []struct {
		name   string
		memory int
		build  func(p Pipeline) Pipeline
		want   cost.Held
	}{
		{"one column", 1 << 20, func(p Pipeline) Pipeline { return p.Select("z") }, cost.Held{Bytes: 8 * 2000}},
		{"one table", 1 << 20, func(p Pipeline) Pipeline { return p.Impute(Mean{}) }, cost.Held{Bytes: 8 * 3000}},
		{"two tables", 1 << 20, func(p Pipeline) Pipeline { return p.Impute(Mean{}).Select("x") }, cost.Held{Bytes: 8 * 5000}},
		{"written over", 1 << 20, func(p Pipeline) Pipeline { return p.Impute(Mean{}).Scale().ClipNorm(1) }, cost.Held{Bytes: 8 * 3000}},
		{"streamed", 16, func(p Pipeline) Pipeline { return p.Impute(Mean{}).Select("x") }, cost.Held{Streamed: 2}},
		{"the wider one streamed", 16 * 1000, func(p Pipeline) Pipeline { return p.Impute(Mean{}).Select("x") }, cost.Held{Bytes: 8 * 2000, Streamed: 1}},
		{"Dedup holds its rows", 16, func(p Pipeline) Pipeline { return p.Select("z").Dedup(Exact{}) }, cost.Held{Bytes: 8 * 2000, Streamed: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := demo(t, f)
			must(0, s.Memory(c.memory))
			got := must(c.build(s.Data()).Mean(target).Cost()).Held
			if got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
			if says := got.String(); (says != "") != (c.want.Streamed > 0) {
				t.Errorf("%+v says %q", got, says)
			}
		})
	}
	if says := (cost.Held{Bytes: 1 << 30}).String(); !strings.Contains(says, "1074 MB") {
		t.Errorf("got %q", says)
	}
	if err := demo(t, f).Memory(15); !errors.Is(err, ErrParameter) {
		t.Errorf("15 bytes: got %v, want ErrParameter", err)
	}
}
