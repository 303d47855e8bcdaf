package dpkit

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
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
	name   string
	step   Preprocessor
	schema frames.Schema
	row    func(*rand.Rand) []float64
	// displaced columns may differ in common rows; without one the rows arrive as they were.
	displaced []string
	empty     bool    // rows may be removed
	tight     float64 // on 8 rows the best attacks reach this share of the bounds, in every norm
}

// stage is the public stage of the step: the displacement is that of these rows, in the narrowest state.
func (s stepUnderAttack) stage(t *testing.T, rows []attackedRow) Stage {
	t.Helper()
	st := Stage{In: s.schema, Empty: s.empty, Unordered: s.empty}
	st.Before = must(accountant.Start(len(rows), startRadius(s.schema), ReplaceOne))
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
		st.Before.T1, st.Before.TF, st.Before.TInf = up(st.Before.T1), up(st.Before.TF), up(st.Before.TInf)
		st.Taint = Taint{}.with(s.displaced...)
	}
	return s.priced(t, st)
}

func (s stepUnderAttack) priced(t *testing.T, st Stage) Stage {
	t.Helper()
	var err error
	if st.Out, err = s.step.Check(st.In); err != nil {
		t.Fatal(err)
	}
	pr, err := s.step.Propagate(st)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pr.Taint.after(st.Taint, st.Out, pr.Pair); err != nil {
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

func (s stepUnderAttack) fitted(t *testing.T, st Stage, rows []attackedRow, side int) *matrix {
	t.Helper()
	d := len(s.schema.Features())
	m := &matrix{schema: s.schema, cols: d}
	for _, row := range rows {
		cells, none := row.a, row.none || row.emptyA
		if side == 1 {
			cells, none = row.b, row.none
		}
		if none {
			cells = make([]float64, d+1)
		}
		m.x, m.y, m.empty = append(m.x, cells[:d]...), append(m.y, cells[d]), append(m.empty, none)
	}
	f, err := s.step.Fit(context.Background(), m, st)
	if err != nil {
		t.Fatal(err)
	}
	return must(materialise(context.Background(), m, st.Out, f))
}

// ratios returns observed/bound for τ, Frobenius and row, and fails where a row leaves its domain.
func (s stepUnderAttack) ratios(t *testing.T, rows []attackedRow) [3]float64 {
	t.Helper()
	st := s.stage(t, rows)
	x, y := s.fitted(t, st, rows, 0), s.fitted(t, st, rows, 1)
	var sum, frobenius, largest float64
	for i := range rows {
		for _, m := range []*matrix{x, y} {
			s.inDomain(t, st, m.row(i))
		}
		if i == 0 || rows[i].none {
			continue
		}
		d := distance(x.row(i), y.row(i))
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

func (s stepUnderAttack) inDomain(t *testing.T, st Stage, row []float64) {
	t.Helper()
	if n := encodedNorm(st.Out, row); !(n <= up(st.After.R)) {
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

func TestAttackSteps(t *testing.T) {
	for _, s := range stepsUnderAttack(t) {
		t.Run(s.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(31, 5))
			for _, n := range []int{2, 5, 8} {
				var worst [3]float64
				for metric := range worst {
					for range 3 {
						rows := s.start(r, n)
						best := s.ratios(t, rows)[metric]
						for range 200 {
							next := s.mutate(r, rows)
							got := s.ratios(t, next)
							for k := range worst {
								worst[k] = max(worst[k], got[k])
							}
							if got[metric] >= best {
								rows, best = next, got[metric]
							}
						}
					}
				}
				t.Logf("n = %d: worst observed/bound: τ %.4f, Frobenius %.4f, row %.4f", n, worst[0], worst[1], worst[2])
				for _, w := range worst {
					if !(w <= 1) {
						t.Errorf("n = %d: bound broken: %v", n, worst)
					}
				}
				if n == 8 && slices.Min(worst[:]) < s.tight {
					t.Errorf("the best attacks reach %.3f of the bounds, want %v: they have lost their teeth or the bounds their tightness", worst, s.tight)
				}
			}
		})
	}
}

// encodedSchema has what the steps of this package encode.
func encodedSchema(t testing.TB, missing bool, label frames.Column) frames.Schema {
	t.Helper()
	cols := []frames.Column{
		frames.Category("town", "a", "b", "c"), frames.Numeric("u", -1, 1),
		frames.Category("job", "x", "y"), frames.Numeric("v", 0, 2),
	}
	if missing {
		for i := range cols {
			cols[i].Missing = true
		}
	}
	return must(frames.NewSchema(append(cols, label)...))
}

// drawEncoded draws a row of encodedSchema: ends of the bounds, a few inner values that repeat, and others.
func drawEncoded(missing bool, lo, hi float64) func(*rand.Rand) []float64 {
	number := func(r *rand.Rand, lo, hi float64) float64 {
		switch r.IntN(4) {
		case 0:
			return lo
		case 1:
			return hi
		case 2:
			return lo + (hi-lo)*float64(r.IntN(4))/4
		}
		return lo + (hi-lo)*r.Float64()
	}
	return func(r *rand.Rand) []float64 {
		row := []float64{float64(r.IntN(3)), number(r, -1, 1), float64(r.IntN(2)), number(r, 0, 2), lo}
		if r.IntN(2) == 0 {
			row[4] = hi
		}
		for j := range 4 {
			if missing && r.IntN(5) == 0 {
				row[j] = math.NaN()
			}
		}
		return row
	}
}

func stepsUnderAttack(t testing.TB) []stepUnderAttack {
	classes := frames.Label("y", "no", "yes")
	whole, holes := encodedSchema(t, false, classes), encodedSchema(t, true, classes)
	number := encodedSchema(t, true, frames.NumericLabel("y", -3, 5))
	rows, gaps, labels := drawEncoded(false, 0, 1), drawEncoded(true, 0, 1), drawEncoded(true, -3, 5)
	numbers := []string{"u", "v"}
	imputed := must(frames.NewSchema(
		frames.Numeric("z", -1, 1), frames.Numeric("u", -1, 1).MayMiss(), frames.Numeric("v", 0, 2).MayMiss(), classes,
	))
	imputedRow := func(r *rand.Rand) []float64 {
		row := gaps(r)
		return []float64{rows(r)[1], row[1], row[3], row[4]}
	}
	return []stepUnderAttack{
		{name: "target", step: targetEncode{TargetPrior{0.5, 0}, []string{"town"}}, schema: whole, row: rows, tight: 0.95},
		{name: "target, two columns", step: targetEncode{TargetPrior{2, 1}, nil}, schema: whole, row: rows, tight: 0.9},
		{name: "target, missing and removed", step: targetEncode{TargetPrior{2, 5}, nil}, schema: number, row: labels, empty: true, tight: 0.9},
		{name: "target beside displaced columns", step: targetEncode{TargetPrior{1, 0.5}, nil}, schema: whole, row: rows, displaced: numbers, tight: 0.8},
		{name: "frequency", step: frequencyEncode{[]string{"job"}}, schema: whole, row: rows, tight: 0.999},
		{name: "frequency, two columns, missing and removed", step: frequencyEncode{}, schema: holes, row: gaps, empty: true, tight: 0.99},
		{name: "rank", step: rankTransform{[]string{"u"}}, schema: whole, row: rows, tight: 0.999},
		{name: "rank, two columns, missing and removed", step: rankTransform{numbers}, schema: holes, row: gaps, empty: true, tight: 0.99},
		{name: "bins", step: quantileBin{2, []string{"u"}}, schema: whole, row: rows, tight: 0.999},
		{name: "bins, two columns", step: quantileBin{3, numbers}, schema: whole, row: rows, tight: 0.99},
		{name: "bins, missing and removed", step: quantileBin{4, numbers}, schema: holes, row: gaps, empty: true, tight: 0.9},
		{name: "cell means", step: cellMean{CellMean{1, 0.01}, numbers}, schema: whole, row: rows, tight: 0.7},
		{name: "cell means, missing and removed", step: cellMean{CellMean{0.75, 1}, numbers}, schema: holes, row: gaps, empty: true, tight: 0.5},
		{name: "median", step: medianImpute{Columns: columnSet{"u", "v"}}, schema: imputed, row: imputedRow, empty: true, tight: 0.65},
		{name: "median of displaced columns", step: medianImpute{Columns: columnSet{"u", "v"}}, schema: imputed, row: imputedRow, displaced: []string{"z", "u", "v"}, tight: 0.6},
		{name: "ridge", step: ridgeImpute{Ridge{Lambda: 0.3}, columnSet{"u", "v"}}, schema: imputed, row: imputedRow, empty: true, tight: 0.2},
		{name: "ridge with a low floor", step: ridgeImpute{Ridge{Lambda: 0.5, Pad: 2, On: []string{"z"}}, columnSet{"u"}}, schema: imputed, row: imputedRow, tight: 0.2},
		{name: "ridge of displaced columns", step: ridgeImpute{Ridge{Lambda: 0.5}, columnSet{"u", "v"}}, schema: imputed, row: imputedRow, displaced: []string{"z", "u", "v"}, tight: 0.2},
		{name: "ordinal", step: ordinal{}, schema: holes, row: gaps, displaced: numbers, tight: 0.999},
		{name: "public bins", step: bin{[]float64{0.25, 0.5}, []string{"u"}}, schema: holes, row: gaps, displaced: []string{"v"}, tight: 0.999},
		{name: "function of clean columns", step: mutation{"w", MutateOptions{From: numbers, Func: "test.jump", Version: "1", Lo: -1, Hi: 2}}, schema: holes, row: gaps, empty: true},
		{
			name: "function of displaced columns", schema: holes, row: gaps, displaced: numbers, tight: 0.99,
			step: mutation{"w", MutateOptions{From: numbers, Func: "test.slope", Version: "1", Lo: -4, Hi: 4, Lipschitz: 2}},
		},
		{
			name: "function in place", schema: holes, row: gaps, displaced: numbers, tight: 0.3,
			step: mutation{"u", MutateOptions{From: numbers, Func: "test.slope", Version: "1", Lo: -4, Hi: 1, Lipschitz: 2}},
		},
	}
}

func init() {
	for name, fn := range map[string]func([]float64) float64{
		"test.slope": func(x []float64) float64 { return math.Sqrt2 * (x[0] + x[1]) }, // gradient norm 2
		"test.wave":  func(x []float64) float64 { return math.Sin(x[0]) },
		"test.jump":  func(x []float64) float64 { return 1 / math.Floor(x[0]) * math.Log(x[1]-1) },
	} {
		if err := RegisterFunc(name, "1", fn); err != nil {
			panic(err)
		}
	}
}
