package dpkit

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// The attacks here are on one step at a time: on neighbours whose free row may be removed on one
// side, and on common rows that arrive displaced.

// attackedRow is one row on both sides of a pair: features, then the label.
type attackedRow struct {
	a, b         []float64
	emptyA, none bool // removed on side a only, on both
}

// stepUnderAttack is a step, a schema, and how rows of it are drawn and displaced.
type stepUnderAttack struct {
	step   stage.Preprocessor
	schema frames.Schema
	row    func(*rand.Rand) []float64
	// displaced columns may differ in common rows; without one the rows arrive as they were.
	displaced []string
	empty     bool // rows may be removed
}

// stage is the public stage of the step: the displacement is that of these rows, in the narrowest state.
func (s stepUnderAttack) stage(t *testing.T, rows []attackedRow) stage.Stage {
	t.Helper()
	st := stage.Stage{In: s.schema, Empty: s.empty, Unordered: s.empty}
	st.Before = must(pair.Start(len(rows), stage.StartRadius(s.schema), ReplaceOne))
	d := len(s.schema.Features())
	for _, row := range rows[1:] {
		if dist := distance(row.a[:d], row.b[:d]); dist > 0 {
			st.Before.M++
			st.Before.T1 += dist
			st.Before.TF = math.Hypot(st.Before.TF, dist)
			st.Before.TInf = max(st.Before.TInf, dist)
		}
	}
	if st.Before.M > 0 {
		st.Before.T1, st.Before.TF, st.Before.TInf = stage.Up(st.Before.T1), stage.Up(st.Before.TF), stage.Up(st.Before.TInf)
		st.Taint = stage.Taint{}.With(s.displaced...)
	}
	return s.priced(t, st)
}

func (s stepUnderAttack) priced(t *testing.T, st stage.Stage) stage.Stage {
	t.Helper()
	var err error
	if st.Out, err = s.step.Check(st.In); err != nil {
		t.Fatal(err)
	}
	pr, err := s.step.Propagate(st)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := taintBehind(pr.Taint, st.Taint, st.Out, pr.Pair); err != nil {
		t.Fatal(err)
	}
	st.After = pr.Pair
	return st
}

// distance of two rows of which a cell is missing on both sides or on none.
func distance(a, b []float64) (d float64) {
	for j := range a {
		if math.IsNaN(a[j]) != math.IsNaN(b[j]) {
			return math.Inf(1)
		}
		if !math.IsNaN(a[j]) {
			d = math.Hypot(d, a[j]-b[j])
		}
	}
	return d
}

func (s stepUnderAttack) fitted(t *testing.T, st stage.Stage, table []attackedRow, side int) *rows.Matrix {
	t.Helper()
	d := len(s.schema.Features())
	m := &rows.Matrix{Domain: s.schema, Cols: d}
	for _, row := range table {
		cells, none := row.a, row.none || row.emptyA
		if side == 1 {
			cells, none = row.b, row.none
		}
		if none {
			cells = make([]float64, d+1)
		}
		m.X, m.Y, m.Empty = append(m.X, cells[:d]...), append(m.Y, cells[d]), append(m.Empty, none)
	}
	f, err := s.step.Fit(context.Background(), m, st)
	if err != nil {
		t.Fatal(err)
	}
	return must(rows.Materialise(context.Background(), m, st.Out, f))
}

// ratios returns observed/bound for τ, Frobenius and row, and fails where a row leaves its domain.
func (s stepUnderAttack) ratios(t *testing.T, table []attackedRow) [3]float64 {
	t.Helper()
	st := s.stage(t, table)
	x, y := s.fitted(t, st, table, 0), s.fitted(t, st, table, 1)
	var sum, frobenius, largest float64
	for i := range table {
		for _, m := range []*rows.Matrix{x, y} {
			s.inDomain(t, st, m.Row(i))
		}
		if i == 0 || table[i].none {
			continue
		}
		d := distance(x.Row(i), y.Row(i))
		sum, frobenius, largest = sum+d, math.Hypot(frobenius, d), max(largest, d)
	}
	return [3]float64{overBound(sum, st.After.T1), overBound(frobenius, st.After.TF), overBound(largest, st.After.TInf)}
}

func overBound(observed, bound float64) float64 {
	if observed == 0 {
		return 0
	}
	return observed / bound
}

func (s stepUnderAttack) inDomain(t *testing.T, st stage.Stage, row []float64) {
	t.Helper()
	if n := encodedNorm(st.Out, row); !(n <= stage.Up(st.After.R)) {
		t.Fatalf("%v: row norm %v above R = %v", s.step, n, st.After.R)
	}
	for j, c := range st.Out.Features() {
		v := row[j]
		switch {
		case math.IsNaN(v) && !c.Missing:
			t.Fatalf("%v: column %q is missing", s.step, c.Name)
		case c.Kind == frames.KindCategory && !math.IsNaN(v) && (v < 0 || v >= float64(len(c.Levels)) || v != math.Trunc(v)):
			t.Fatalf("%v: column %q has code %v", s.step, c.Name, v)
		case c.Kind == frames.KindNumeric && (v < min(c.Lo, 0)-1e-12*st.After.R || v > max(c.Hi, 0)+1e-12*st.After.R):
			t.Fatalf("%v: column %q = %v left [%v, %v]", s.step, c.Name, v, c.Lo, c.Hi)
		}
	}
}

// encodedNorm counts a category with norm 1, as the pair state does.
func encodedNorm(s frames.Schema, row []float64) (n float64) {
	for j, c := range s.Features() {
		v := row[j]
		if c.Kind == frames.KindCategory && !math.IsNaN(v) {
			v = 1
		}
		if !math.IsNaN(v) {
			n = math.Hypot(n, v)
		}
	}
	return n
}

// start draws a pair: independent rows, or copies of one or two.
func (s stepUnderAttack) start(r *rand.Rand, n int) []attackedRow {
	kinds := [][]float64{s.row(r), s.row(r)}
	fresh := r.IntN(3)
	rows := make([]attackedRow, n)
	for i := range rows {
		row := s.row(r)
		if fresh > 0 {
			row = kinds[i%fresh]
		}
		rows[i] = attackedRow{a: row, b: row}
	}
	rows[0].b = s.row(r)
	for i := 1; i < n; i++ {
		s.displace(r, &rows[i])
	}
	return rows
}

// displace moves displaced cells of a common row on side b, within their bounds.
func (s stepUnderAttack) displace(r *rand.Rand, row *attackedRow) {
	if len(s.displaced) == 0 {
		return
	}
	row.b = slices.Clone(row.a)
	other := s.row(r)
	scale := math.Pow(10, -3*r.Float64())
	for _, name := range s.displaced {
		if j, _ := s.schema.FeatureIndex(name); !math.IsNaN(row.a[j]) && !math.IsNaN(other[j]) {
			row.b[j] += scale * (other[j] - row.a[j])
		}
	}
}

func (s stepUnderAttack) mutate(r *rand.Rand, rows []attackedRow) []attackedRow {
	out := slices.Clone(rows)
	for range 1 + r.IntN(2) {
		i := r.IntN(len(out))
		if r.IntN(3) == 0 {
			i = 0
		}
		row := &out[i]
		change := func(cells []float64) []float64 {
			fresh := s.row(r)
			if r.IntN(3) == 0 {
				return fresh
			}
			if r.IntN(3) == 0 { // as another row
				return slices.Clone(out[r.IntN(len(out))].a)
			}
			next := slices.Clone(cells)
			j := r.IntN(len(next))
			next[j] = fresh[j]
			return next
		}
		switch {
		case i == 0 && r.IntN(2) == 0:
			row.a = change(row.a)
			row.emptyA = s.empty && r.IntN(4) == 0
		case i == 0:
			row.b = change(row.b)
		default:
			row.a = change(row.a)
			row.b = row.a
			row.none = s.empty && r.IntN(4) == 0
			s.displace(r, row)
		}
	}
	return out
}

func init() {
	for name, fn := range map[string]func([]float64) float64{
		"test.slope":  func(x []float64) float64 { return math.Sqrt2 * (x[0] + x[1]) }, // gradient norm 2
		"test.wave":   func(x []float64) float64 { return math.Sin(x[0]) },
		"test.halves": func(x []float64) float64 { return math.Floor(min(2*x[0], 1)) },
		"test.jump":   func(x []float64) float64 { return 1 / math.Floor(x[0]) * math.Log(x[1]-1) },
	} {
		if err := RegisterFunc(name, "1", fn); err != nil {
			panic(err)
		}
	}
}
