package frames_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// scripted is a caller's source: what each Scan gives is a function of how many there were before.
type scripted struct {
	schema frames.Schema
	rows   int
	passes *int
	blocks func(pass int) []frames.Block
	end    func(pass int) error
}

func (s scripted) Schema() frames.Schema { return s.schema }
func (s scripted) Rows() int             { return s.rows }

func (s scripted) Scan(_ context.Context, fn func(*frames.Block) error) error {
	pass := *s.passes
	*s.passes++
	for _, b := range s.blocks(pass) {
		if err := fn(&b); err != nil {
			return err
		}
	}
	if s.end != nil {
		return s.end(pass)
	}
	return nil
}

// always is a source that gives the same blocks at every Scan.
func always(s frames.Schema, blocks ...frames.Block) scripted {
	n := 0
	for _, b := range blocks {
		n += max(0, b.Rows)
	}
	return scripted{schema: s, rows: n, passes: new(int), blocks: func(int) []frames.Block { return blocks }}
}

func wardSchema(t testing.TB) frames.Schema {
	a, b := frames.Numeric("a", 0, 1), frames.Numeric("b", 0, 1)
	a.Block, b.Block = "k", "k"
	return mustSchema(t, frames.Person("who"), frames.Numeric("age", 0, 120), frames.Numeric("gain", -10, 100).MayMiss().Clamped(),
		frames.Category("job", "clerk", "nurse"), frames.Unbounded("free"), a, b, frames.NumericLabel("y", 0, 1))
}

func wardBlock(first int, rows ...[]float64) frames.Block {
	b := frames.Block{First: first, Rows: len(rows), Cols: 6}
	for i, r := range rows {
		b.X, b.Y = append(b.X, r[:6]...), append(b.Y, r[6])
		b.Person = append(b.Person, frames.NewPersonID(fmt.Append(nil, (first+i)/2)))
	}
	return b
}

func wardRow() []float64 { return []float64{30, 5, 1, 1e9, 1, 0, 0.5} }

// TestCheckAgrees: rows under guard are those of a frame made of them, in whatever blocks they come, and so are their fingerprints.
func TestCheckAgrees(t *testing.T) {
	s := wardSchema(t)
	var rows [][]float64
	for i := range 2500 {
		r := wardRow()
		r[0], r[1], r[2] = float64(i%120), float64(i%200-50), float64(i%2)
		if i%7 == 0 {
			r[1] = math.Float64frombits(0x7ff8_0000_0000_beef) // a missing cell of another payload
		}
		if i%5 == 0 {
			r[0], r[4] = math.Copysign(0, -1), 0
		}
		rows = append(rows, r)
	}
	whole := wardBlock(0, rows...)
	f, err := frames.FromBlock(s, &whole)
	if err != nil {
		t.Fatal(err)
	}
	wantX, wantY := rowsIn(t, f)
	columns := []string{"who", "age", "gain", "job", "free", "a", "b", "y"}
	for _, size := range []int{1, 1000, 1024, 2500} {
		var blocks []frames.Block
		for first := 0; first < len(rows); first += size {
			blocks = append(blocks, wardBlock(first, rows[first:min(first+size, len(rows))]...))
		}
		src, err := frames.Check(t.Context(), always(s, blocks...))
		if err != nil {
			t.Fatal(err)
		}
		if x, y := rowsIn(t, src); !same(x, wantX) || !same(y, wantY) {
			t.Errorf("blocks of %d: other rows", size)
		}
		if fingerprintOf(t, src, columns...) != fingerprintOf(t, f, columns...) {
			t.Errorf("blocks of %d: another fingerprint of the content", size)
		}
		if sum, err := frames.Fingerprint(t.Context(), src, []byte("key")); err != nil || sum != f.Fingerprint([]byte("key")) {
			t.Errorf("blocks of %d: another fingerprint of the order, or %v", size, err)
		}
		if got, want := src.Clamped()["gain"], f.Clamped()["gain"]; got != want || want == 0 {
			t.Errorf("blocks of %d: %d cells clamped, want %d", size, got, want)
		}
		if n, err := frames.People(t.Context(), src); err != nil || n != 1250 || !frames.Fixed(src) {
			t.Errorf("blocks of %d: got %d people, %v, fixed %v", size, n, err, frames.Fixed(src))
		}
		if got := fmt.Sprintf("%+v", src); !strings.HasPrefix(got, "source of the rows of 1250 people (private)\ncolumn") {
			t.Errorf("prints %s", got)
		}
	}
	if blocks := whole.X[1]; !math.IsNaN(blocks) {
		t.Error("the source's own block was changed")
	}
}

func rowsIn(t *testing.T, src frames.Source) (x, y []float64) {
	t.Helper()
	return rows(t, src)
}

// TestCheckIsOfAFile: rows under guard have the fingerprint of the same rows loaded from text.
func TestCheckIsOfAFile(t *testing.T) {
	text, _, _ := manyPeople(3000)
	file := openText(t, text)
	src, err := frames.Check(t.Context(), struct{ frames.Source }{file})
	if err != nil {
		t.Fatal(err)
	}
	if fingerprintOf(t, src, "age", "job", "gain", "income") != fingerprintOf(t, file, "age", "job", "gain", "income") {
		t.Error("another fingerprint")
	}
	c, err := frames.Collect(t.Context(), src)
	if err != nil || fingerprintOf(t, c, "age") != fingerprintOf(t, file, "age") {
		t.Errorf("collected: another fingerprint, or %v", err)
	}
}

// TestCheckRefuses: whatever a source gives that its schema does not allow, with the place and without the cell.
func TestCheckRefuses(t *testing.T) {
	s := wardSchema(t)
	const secret = 731.25
	cell := func(j int, v float64) scripted {
		r := wardRow()
		r[j] = v
		return always(s, wardBlock(0, wardRow(), wardRow()), wardBlock(2, wardRow(), r))
	}
	spoil := func(do func(b *frames.Block)) scripted {
		b := wardBlock(2, wardRow(), wardRow())
		do(&b)
		return always(s, wardBlock(0, wardRow(), wardRow()), b)
	}
	promises := func(n int) scripted {
		src := always(s, wardBlock(0, wardRow(), wardRow()))
		src.rows = n
		return src
	}
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name string
		src  frames.Source
		is   error
		says string
	}{
		{"above the bound", cell(0, secret), frames.ErrBounds, `row 4, column "age"`},
		{"missing", cell(0, nan), frames.ErrMissing, `row 4, column "age"`},
		{"infinite", cell(0, inf), frames.ErrNumber, `row 4, column "age"`},
		{"infinite where it would be clamped", cell(1, -inf), frames.ErrNumber, `row 4, column "gain"`},
		{"no code", cell(2, 2), frames.ErrLevel, `row 4, column "job"`},
		{"a negative code", cell(2, -1), frames.ErrLevel, `row 4, column "job"`},
		{"half a code", cell(2, 0.5), frames.ErrLevel, `row 4, column "job"`},
		{"infinite without bounds", cell(3, inf), frames.ErrNumber, `row 4, column "free"`},
		{"a block beyond its norm", cell(5, 1), frames.ErrBounds, `row 4: outside the declared bounds: the cells of block "k"`},
		{"a label", cell(6, secret), frames.ErrBounds, `row 4, column "y"`},
		{"no label", cell(6, nan), frames.ErrMissing, `row 4, column "y"`},
		{"nobody", spoil(func(b *frames.Block) { b.Person[1] = frames.PersonID{} }), frames.ErrMissing, `row 4, column "who"`},
		{"an empty row", spoil(func(b *frames.Block) { b.Empty = []bool{false, true} }), frames.ErrMissing, "row 4"},
		{"few values", spoil(func(b *frames.Block) { b.X = b.X[1:] }), frames.ErrRagged, "behind row 2"},
		{"no labels", spoil(func(b *frames.Block) { b.Y = nil }), frames.ErrRagged, "behind row 2"},
		{"no people", spoil(func(b *frames.Block) { b.Person = nil }), frames.ErrRagged, "behind row 2"},
		{"columns", spoil(func(b *frames.Block) { b.Cols, b.Rows = 4, 3 }), frames.ErrRagged, "behind row 2"},
		{"a negative count", spoil(func(b *frames.Block) { b.Rows, b.Cols = -2, -6 }), frames.ErrRagged, "behind row 2"},
		{"out of order", spoil(func(b *frames.Block) { b.First = 3 }), frames.ErrRagged, "begins with row 4"},
		{"more rows than promised", promises(1), frames.ErrRagged, "more than the 1 rows"},
		{"fewer", promises(3), frames.ErrRagged, "got 2 rows, want the 3"},
		{"none", promises(0), frames.ErrEmpty, "0 rows"},
		{"no schema", always(frames.Schema{}, wardBlock(0, wardRow())), frames.ErrSchema, "without columns"},
		{"no source", nil, frames.ErrOptions, "no source"},
	} {
		src, err := frames.Check(t.Context(), c.src)
		if src != nil || !errors.Is(err, c.is) || !strings.Contains(fmt.Sprint(err), c.says) {
			t.Errorf("%s: got %v, want %v and %q", c.name, err, c.is, c.says)
		}
		if strings.Contains(fmt.Sprint(err), "731") {
			t.Errorf("%s: the error repeats the cell: %v", c.name, err)
		}
	}
}

// TestCheckListsProblems in the order of the rows, the first ten, and stops when there are too many.
func TestCheckListsProblems(t *testing.T) {
	bad := wardRow()
	bad[0], bad[6] = -1, 2
	many := slices.Repeat([][]float64{bad}, 9000)
	src := always(wardSchema(t), wardBlock(0, many...))
	_, err := frames.Check(t.Context(), src)
	var load *frames.LoadError
	if !errors.As(err, &load) || len(load.Problems) != 10 || load.More+10 < 10000 || load.More > 13000 {
		t.Fatalf("got %v", err)
	}
	for i, p := range load.Problems {
		if c := p.(*frames.CellError); c.Row != i/2+1 || c.Column != []string{"age", "y"}[i%2] {
			t.Errorf("problem %d is %v", i+1, p)
		}
	}
}

// placed is a source of two files.
type placed struct{ scripted }

func (placed) Place(row int) (string, int) {
	if row < 3 {
		return "part-1.parquet", row
	}
	return "part-2.parquet", row - 3
}

func TestCheckNamesTheFile(t *testing.T) {
	bad := wardRow()
	bad[0] = -1
	_, err := frames.Check(t.Context(), placed{always(wardSchema(t), wardBlock(0, wardRow(), wardRow(), wardRow(), wardRow(), bad))})
	if !errors.Is(err, frames.ErrBounds) || !strings.Contains(fmt.Sprint(err), `part-2.parquet, row 2, column "age"`) {
		t.Errorf("got %v", err)
	}
}

// TestCheckHoldsRows: rows that are others at a later Scan, or no longer fit the schema, end it with ErrChanged; what is wrong with
// the way to them ends it with the reason.
func TestCheckHoldsRows(t *testing.T) {
	gone := errors.New("the server is gone")
	with := func(change func(b *frames.Block)) func(int) []frames.Block {
		return func(pass int) []frames.Block {
			b := wardBlock(0, wardRow(), wardRow(), wardRow())
			if pass > 0 {
				change(&b)
			}
			return []frames.Block{b}
		}
	}
	for _, c := range []struct {
		name   string
		blocks func(pass int) []frames.Block
		end    func(pass int) error
		is     error
	}{
		{"a cell", with(func(b *frames.Block) { b.X[0] = 31 }), nil, frames.ErrChanged},
		{"a missing cell", with(func(b *frames.Block) { b.X[1] = math.NaN() }), nil, frames.ErrChanged},
		{"a label", with(func(b *frames.Block) { b.Y[2] = 1 }), nil, frames.ErrChanged},
		{"a person", with(func(b *frames.Block) { b.Person[2] = b.Person[0] }), nil, frames.ErrChanged},
		{"order", with(func(b *frames.Block) { b.Person[0], b.Person[2] = b.Person[2], b.Person[0] }), nil, frames.ErrChanged},
		{"outside its bounds", with(func(b *frames.Block) { b.X[0] = 300 }), nil, frames.ErrChanged},
		{"a row less", with(func(b *frames.Block) { *b = wardBlock(0, wardRow(), wardRow()) }), nil, frames.ErrChanged},
		{"a row more", with(func(b *frames.Block) { *b = wardBlock(0, wardRow(), wardRow(), wardRow(), wardRow()) }), nil, frames.ErrChanged},
		{"nothing", with(func(*frames.Block) {}), nil, nil},
		{"an end in the middle", with(func(*frames.Block) {}), func(pass int) error {
			if pass == 0 {
				return nil
			}
			return gone
		}, gone},
	} {
		src, err := frames.Check(t.Context(), scripted{wardSchema(t), 3, new(int), c.blocks, c.end})
		if err != nil {
			t.Fatal(c.name, err)
		}
		if err := src.Scan(t.Context(), func(*frames.Block) error { return nil }); !errors.Is(err, c.is) || c.is == gone && errors.Is(err, frames.ErrChanged) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.is)
		}
	}
	_, err := frames.Check(t.Context(), scripted{wardSchema(t), 3, new(int), with(nil), func(int) error { return gone }})
	if !errors.Is(err, gone) || !strings.Contains(fmt.Sprint(err), "after row 3") {
		t.Errorf("gone in the first pass: got %v", err)
	}
}

// deaf is a source that goes on whatever its function returns, and forgets the error.
type deaf struct{ scripted }

func (d deaf) Scan(_ context.Context, fn func(*frames.Block) error) error {
	for _, b := range d.blocks(0) {
		_ = fn(&b)
	}
	return nil
}

func TestCheckStops(t *testing.T) {
	src, err := frames.Check(t.Context(), deaf{always(wardSchema(t), wardBlock(0, wardRow()), wardBlock(1, wardRow()))})
	if err != nil {
		t.Fatal(err)
	}
	enough := errors.New("enough")
	calls := 0
	if err := src.Scan(t.Context(), func(*frames.Block) error { calls++; return enough }); err != enough || calls != 1 {
		t.Errorf("got %v after %d calls", err, calls)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	if err := src.Scan(ctx, func(*frames.Block) error { cancel(enough); return nil }); !errors.Is(err, enough) || errors.Is(err, frames.ErrChanged) {
		t.Errorf("cancelled: got %v", err)
	}
	bad := deaf{always(wardSchema(t), wardBlock(1, wardRow()), wardBlock(0, wardRow()))}
	if _, err := frames.Check(t.Context(), bad); !errors.Is(err, frames.ErrRagged) {
		t.Errorf("out of order: got %v", err)
	}
}

func BenchmarkCheck(b *testing.B) {
	f := columns11(b)
	for name, src := range map[string]frames.Source{"frame": f, "block": always(f.Schema(), block11())} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := frames.Check(context.Background(), src); err != nil {
					b.Fatal(err)
				}
			}
			perSecond(b)
			b.ReportMetric(b.Elapsed().Seconds()*1e6/float64(b.N)/benchRows, "µs/row")
		})
	}
}

// block11 is rows of ten numbers and a category, as a source hands them on.
func block11() frames.Block {
	block := frames.Block{Rows: benchRows, Cols: 11}
	for i := range benchRows {
		for j := range 10 {
			block.X = append(block.X, float64((i*7919+j*104729)%1000)/8)
		}
		block.X = append(block.X, float64(i%3))
	}
	return block
}

func columns11(b *testing.B) *frames.Frame {
	var cols []frames.Column
	for j := range 10 {
		cols = append(cols, frames.Numeric(fmt.Sprint("x", j), 0, 1000))
	}
	cols = append(cols, frames.Category("c", "a", "b", "c"))
	block := block11()
	f, err := frames.FromBlock(mustSchema(b, cols...), &block)
	if err != nil {
		b.Fatal(err)
	}
	return f
}
