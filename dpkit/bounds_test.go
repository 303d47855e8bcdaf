package dpkit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// incomes are numbers from 1000 to 5000, three of 1e9, and a fifth that are missing.
func incomes(t *testing.T, c frames.Column, far float64) *frames.Frame {
	t.Helper()
	var b strings.Builder
	for i := range 2000 {
		switch {
		case i%5 == 0:
			b.WriteString("NA\n")
		case i < 4:
			fmt.Fprintf(&b, "%g\n", far)
		default:
			fmt.Fprintf(&b, "%d\n", 1000+2*i)
		}
	}
	return must(frames.ParseCSV(strings.NewReader("income\n"+b.String()), "incomes", must(frames.NewSchema(c)), frames.CSVOptions{Header: true}))
}

// TestBounds: bounds of an unbounded column, the share that they clamp, and a mean behind them; of a column with bounds the bins are within them.
func TestBounds(t *testing.T) {
	s := must(Demo(incomes(t, frames.Unbounded("income").MayMiss(), 1e9), 5, ReplaceOne))
	target := Target{Epsilon: 1, Delta: 1e-6}
	sizes := must(s.Data().Bounds("income", target).Release(context.Background())).Value
	lo, hi, clamped, err := sizes.Bounds("income")
	if err != nil || lo != 512 && lo != 1024 || hi != 8192 && hi != 4096 {
		t.Fatalf("bounds [%g, %g], %v", lo, hi, err)
	}
	if !(clamped.Low <= 0.1 && clamped.High >= 0.0015) || !(clamped.Low <= clamped.Value && clamped.Value <= clamped.High) {
		t.Errorf("clamped %v", clamped)
	}
	if _, err := s.Data().ClipColumns(lo, hi, "income").Impute(Midpoint{}).Mean(target).Cost(); err != nil {
		t.Error(err)
	}
	if _, _, _, err := sizes.Bounds("pay"); !errors.Is(err, ErrColumn) {
		t.Errorf("another column: %v", err)
	}
	within := must(Demo(incomes(t, frames.Numeric("income", -10, 1e6).Clamped().MayMiss(), 1e9), 5, ReplaceOne))
	bins := must(within.Data().Bounds("income", target).Release(context.Background())).Value
	if lo, hi, _, err := bins.Bounds("income"); err != nil || lo < 0 || hi > 1<<20 {
		t.Errorf("within bounds: [%g, %g], %v", lo, hi, err)
	}
	if _, err := s.Data().Bounds("pay", target).Cost(); !errors.Is(err, ErrColumn) {
		t.Errorf("no such column: %v", err)
	}
	if _, _, _, err := must(s.Data().Bounds("income", Target{Epsilon: 1e-4, Delta: 1e-9}).Release(context.Background())).Value.Bounds("income"); err == nil {
		t.Log("noise alone looks like rows: it does with probability 0.05")
	}
}

// TestBoundsAtTheEnds: rows at the ends of a column's own bounds are not clamped where sizes tell these ends, and 0 is the end of what is not negative.
func TestBoundsAtTheEnds(t *testing.T) {
	for name, c := range map[string]struct {
		column frames.Column
		cells  string
		lo, hi float64
	}{
		"from 0":      {frames.Numeric("x", 0, 730), "0\n700\n", 0, 1024},
		"from a size": {frames.Numeric("x", -4, 4), "-4\n4\n", -4, 8},
		"to 0":        {frames.Numeric("x", -730, 0), "-700\n-1\n", -1024, -0.5},
		"no bounds":   {frames.Unbounded("x"), "0\n700\n", 0, 1024},
		"beyond all":  {frames.Unbounded("x"), "1\n1e30\n", 1, math.Ldexp(1, 80)},
	} {
		t.Run(name, func(t *testing.T) {
			f := must(frames.ParseCSV(strings.NewReader(strings.Repeat(c.cells, 1000)), "x", must(frames.NewSchema(c.column)), frames.CSVOptions{}))
			sizes := must(must(Demo(f, 5, ReplaceOne)).Data().Bounds("x", Target{Epsilon: 1, Delta: 1e-6}).Release(context.Background())).Value
			lo, hi, clamped, err := sizes.Bounds("x")
			if err != nil || lo != c.lo || hi != c.hi || (clamped.Low == 0) != (name != "beyond all") {
				t.Errorf("[%g, %g] clamps %v, %v, want [%g, %g]", lo, hi, clamped, err, c.lo, c.hi)
			}
		})
	}
}

// TestBoundsOfPublicRows: without noise the bounds are those of the bins that have rows, and what is outside of them is exact.
func TestBoundsOfPublicRows(t *testing.T) {
	for far, want := range map[float64][3]float64{-0.75: {-1, 8192, 0}, 0: {0, 8192, 0}, 1e30: {512, 0x1p80, 0.0015}} {
		s := must(OnPublic(frames.Public(incomes(t, frames.Unbounded("income").MayMiss(), far))))
		lo, hi, clamped, err := must(s.Data().Bounds("income", Target{Epsilon: 1, Delta: 1e-6}).Release(context.Background())).Value.Bounds("income")
		if err != nil || lo != want[0] || hi != want[1] || math.Abs(clamped.Value-want[2]) > 1e-12 {
			t.Errorf("with %g: [%g, %g], clamped %g, %v, want %v", far, lo, hi, clamped.Value, err, want)
		}
	}
}
