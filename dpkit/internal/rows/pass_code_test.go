package rows

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// TestStateVersions: bytes of another version or of something else are refused by what they are, and are not shown.
func TestStateVersions(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"nothing":           {"", "got 0 bytes that are none"},
		"another file":      {"age,pay\n41,52000\n", "got 17 bytes that are none"},
		"the first version": {"dpnb state 1\n12345678", "got a state of version 1,"},
		"a later version":   {"dpnb state 17\n12345678", "got a state of version 17,"},
		"a broken version":  {"dpnb state 41,52000\n", "got 20 bytes that are none"},
		"the mark alone":    {CodeMark, "got 13 bytes that are none"},
	} {
		err := ReadState(&RowSums{Sums: make([]int64, 1)}, []byte(c.in))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), `"dpnb state 2\n"`) || strings.Contains(err.Error(), "52000") {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

// words is a state of numbers as they come, with a checksum.
func words(name string, v ...uint64) []byte {
	b := binary.LittleEndian.AppendUint64([]byte(CodeMark), uint64(len(name)))
	b = append(b, name...)
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, Castagnoli))
}

// stateOf is a state by what its Code does.
type stateOf func(c *Coder)

func (s stateOf) Code(c *Coder) { s(c) }

// TestHostileNumbers: counts that do not fit the machine and lists that cannot be there are refused, and nothing is held for them.
func TestHostileNumbers(t *testing.T) {
	list := func(c *Coder) { c.Name("n"); c.list(new([]int64)) }
	counts := func(c *Coder) { c.Name("n"); c.counts(make([]int, 1)) }
	for name, tc := range map[string]struct {
		of   stateOf
		raw  []byte
		want string // "": read
	}{
		"largest count":       {counts, words("n", 1, math.MaxInt), ""},
		"count beyond int":    {counts, words("n", 1, math.MaxInt+1), "a count beyond"},
		"negative count":      {counts, words("n", 1, math.MaxUint64), "a count beyond"},
		"another length":      {counts, words("n", 1<<40, 1), "length: got 1099511627776, want 1"},
		"list of two":         {list, words("n", 2, 5, 6), ""},
		"list of 2^40":        {list, words("n", 1<<40, 5, 6), "a list of 1099511627776 in 16 bytes, want at most 2"},
		"list of 2^61":        {list, words("n", 1<<61, 5, 6), "a list of 2305843009213693952 in 16 bytes"},
		"list of 2^64 - 1":    {list, words("n", math.MaxUint64, 5, 6), "a list of 18446744073709551615 in 16 bytes"},
		"list of one too few": {list, words("n", 1, 5, 6), "8 bytes too many"},
		"name of 2^40 bytes":  {func(c *Coder) { c.Name(""); c.Name("n") }, words("", 1<<40), "a name of 1099511627776 bytes"},
		"Gram of 2^40 bytes":  {func(c *Coder) { c.Name("n"); c.Gram(NewGramSum(2)) }, words("n", 1<<40), "a list of 1099511627776 in 0 bytes"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := ReadState(tc.of, tc.raw)
		runtime.ReadMemStats(&after)
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: got %v, want %q", name, err, tc.want)
		}
		if held := after.TotalAlloc - before.TotalAlloc; held > 1<<20 {
			t.Errorf("%s: %d bytes were held for %d", name, held, len(tc.raw))
		}
	}
}

// TestDescriptions: what differs in any part is told apart, and what is equal is not, whichever way it is held.
func TestDescriptions(t *testing.T) {
	type inner struct {
		a float64
		b []int
	}
	type outer struct {
		x    *inner
		any  any
		m    map[string]int
		f    func()
		skip int `dp:"-"`
	}
	base := func() outer {
		return outer{&inner{1, []int{2, 3}}, inner{a: 4}, map[string]int{"p": 1, "q": 2, "r": 3}, func() {}, 5}
	}
	want := describe(base())
	for range 20 { // maps have no order
		if describe(base()) != want {
			t.Fatal("equal values have other hashes")
		}
	}
	same := base()
	same.skip, same.f = 6, nil
	if describe(same) != want || describe(func() any { return base() }) != want {
		t.Error("what is no part of a description changes it")
	}
	seen := map[sum128]string{want: "base"}
	for name, change := range map[string]func(o *outer){
		"number":            func(o *outer) { o.x.a = math.Nextafter(1, 2) },
		"sign of zero":      func(o *outer) { o.x.a = math.Copysign(0, -1) },
		"zero":              func(o *outer) { o.x.a = 0 },
		"order":             func(o *outer) { o.x.b = []int{3, 2} },
		"length":            func(o *outer) { o.x.b = []int{2} },
		"none":              func(o *outer) { o.x = nil },
		"type":              func(o *outer) { o.any = struct{ a float64 }{4} },
		"nil":               func(o *outer) { o.any = nil },
		"key":               func(o *outer) { o.m = map[string]int{"p": 1, "q": 2, "s": 3} },
		"values that swap":  func(o *outer) { o.m = map[string]int{"p": 2, "q": 1, "r": 3} },
		"fewer in a map":    func(o *outer) { delete(o.m, "p") },
		"another in a list": func(o *outer) { o.x.b = []int{2, 4} },
	} {
		o := base()
		change(&o)
		h := describe(o)
		if other, twice := seen[h]; twice {
			t.Errorf("%s is described as %s", name, other)
		}
		seen[h] = name
	}
	if describe("ab", "c") == describe("a", "bc") || describe(1, 2) == describe([]int{1, 2}) {
		t.Error("values run into each other")
	}
}

// passOfRows is a pass of this room that adds exactly.
type passOfRows struct {
	name  string
	begin func() Partial
}

// exactPasses are passes of equal names and lengths, and of other columns, grids, domains and brackets.
func exactPasses() []passOfRows {
	grid, wide := NewFixedPoint(0, 8), NewFixedPoint(0, 16)
	task := func(column int, g FixedPoint, lo, hi int64) countTask {
		return countTask{q: &RankQuery{Column: column, Grid: g, Lo: g.Of(-8), Hi: g.Of(8)}, lo: lo, hi: hi, shift: 48}
	}
	search := func(column int, g FixedPoint, lo, hi int64) []RankSearch {
		b := bracket{lo: lo, hi: hi}
		return []RankSearch{{RankQuery: &RankQuery{Column: column, Grid: g, Lo: g.Of(-8), Hi: g.Of(8)}, in: [2]bracket{b, b}}}
	}
	const top = 1 << 49
	var out []passOfRows
	fixed := func(name string, columns []int, grids ...FixedPoint) {
		out = append(out, passOfRows{"fixed-point sums, " + name, func() Partial { return part[*FixedSums]{NewFixedSums(columns, grids)} }})
	}
	fixed("base", []int{0, 1}, grid, grid)
	fixed("other columns", []int{0, 2}, grid, grid)
	fixed("columns in another order", []int{1, 0}, grid, grid)
	fixed("another grid", []int{0, 1}, grid, wide)
	counts := func(name string, t countTask) {
		out = append(out, passOfRows{"rank counts, " + name, func() Partial { return part[*RankCounts]{newRankCounts([]countTask{t})} }})
	}
	counts("base", task(0, grid, -top, top))
	counts("another column", task(1, grid, -top, top))
	counts("another grid", task(0, wide, -top, top))
	counts("another bracket", task(0, grid, -top+1, top+1))
	held := func(name string, s []RankSearch) {
		out = append(out, passOfRows{"rank numbers, " + name, func() Partial { return part[*RankGather]{NewRankGather(s)} }})
	}
	held("base", search(0, grid, -top, top))
	held("another column", search(1, grid, -top, top))
	held("another grid", search(0, wide, -top, top))
	held("another bracket", search(0, grid, -top, top/2))
	add := func(name string, begin func() Partial) { out = append(out, passOfRows{name, begin}) }
	add("outer products", func() Partial { return part[*GridSum]{NewGridSum(3, 14)} })
	add("outer products on another grid", func() Partial { return part[*GridSum]{NewGridSum(3, 28)} })
	add("moments", func() Partial { return part[Moments]{NewMoments(3, true)} })
	add("means", func() Partial { return part[Moments]{NewMoments(3, false)} })
	add("exact sums", func() Partial {
		return part[*ExactSums]{&ExactSums{make([]ExactSum, 2), func(sums []ExactSum, row []float64, _ float64) {
			sums[0].Add(row[0] * row[1])
			sums[1].Add(math.Exp(40 * row[2]))
		}}}
	})
	add("largest", func() Partial { return part[*Largest]{&Largest{make([]float64, 3)}} })
	sums := func(name string, of ...fact) {
		begin := summing(2, func() func([]int64, []float64, float64) {
			return func(s []int64, row []float64, _ float64) { s[0]++; s[1] += grid.Of(row[0]) }
		})
		out = append(out, passOfRows{"integer sums, " + name, func() Partial {
			var p Partial = part[*RowSums]{begin()}
			for _, f := range of {
				p = boundPartial{p, f}
			}
			return p
		}})
	}
	sums("base")
	sums("of a chain", fact{"chain", []any{"Clip"}, false})
	sums("of another chain", fact{"chain", []any{"Scale"}, false})
	sums("of another chain and schema", fact{"chain", []any{"Scale"}, false}, fact{"columns", []any{"x"}, false})
	sums("at a point", fact{"point", []any{[]float64{0.625}}, true})
	sums("at another point", fact{"point", []any{[]float64{0.375}}, true})
	return out
}

// TestShardsOfRows: states of shards that were written, read and merged in any order are the state of one pass; one pass refuses the
// states of the others, and its errors hold no number that depends on rows.
func TestShardsOfRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	m := tableOf(t, 5000, 3, true, func(i, j int) float64 { return rng.Float64()*16 - 8 })
	passes := exactPasses()
	raws := make([][]byte, len(passes))
	state := func(p Partial) []byte {
		if g, ok := p.(part[*RankGather]); ok { // numbers that are sorted before they are used
			for k := range g.of.Held {
				slices.Sort(g.of.Held[k][0])
			}
		}
		return must(WriteState(p))
	}
	for i, p := range passes {
		whole := p.begin()
		whole.Add(m.Block(0, m.Rows()))
		raws[i] = state(whole)
		for range 5 {
			cuts := []int{0, rng.IntN(m.Rows()), rng.IntN(m.Rows()), m.Rows(), m.Rows()}
			slices.Sort(cuts)
			all := p.begin()
			for _, k := range rng.Perm(len(cuts) - 1) {
				shard, part := p.begin(), p.begin()
				shard.Add(m.Block(cuts[k], cuts[k+1]))
				if err := ReadState(part, must(WriteState(shard))); err != nil {
					t.Fatalf("%s: %v", p.name, err)
				}
				all.Merge(part)
			}
			if string(state(all)) != string(raws[i]) {
				t.Errorf("%s: shards at %v give another state", p.name, cuts)
			}
		}
	}
	for i, p := range passes {
		for j, q := range passes {
			err := ReadState(q.begin(), raws[i])
			if (err == nil) != (i == j) {
				t.Errorf("%s, read as %s: got %v", p.name, q.name, err)
			}
			if err != nil && !strings.Contains(err.Error(), "read it into the pass that it was written of") {
				t.Errorf("%s, read as %s: got %v, want the fix", p.name, q.name, err)
			}
		}
	}
	secret := exactPasses()
	err := ReadState(secret[len(secret)-1].begin(), raws[len(raws)-2])
	if want := "dpkit: state of a pass: point: got others than this pass wants: read it"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestManyShards: hundreds of shards, some of no rows, that merge from the left, from the right, in pairs and in any order, each state
// written and read, are the state of one pass, and as small.
func TestManyShards(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	m := tableOf(t, 1500, 3, true, func(i, j int) float64 { return math.Ldexp(rng.Float64()*16-8, -rng.IntN(9)) })
	const shards = 257
	for _, p := range exactPasses() {
		carry := func(s Partial) Partial {
			back := p.begin()
			if err := ReadState(back, must(WriteState(s))); err != nil {
				t.Fatalf("%s: %v", p.name, err)
			}
			return back
		}
		state := func(p Partial) string {
			if g, ok := p.(part[*RankGather]); ok {
				for k := range g.of.Held {
					slices.Sort(g.of.Held[k][0])
				}
			}
			return string(must(WriteState(p)))
		}
		whole := p.begin()
		whole.Add(m.Block(0, m.Rows()))
		want := state(whole)
		merge := func(a, b Partial) Partial {
			all := carry(a)
			all.Merge(carry(b))
			return all
		}
		for name, order := range map[string]func(of []Partial) Partial{
			"left": func(of []Partial) Partial {
				all := p.begin()
				for _, s := range of {
					all = merge(all, s)
				}
				return all
			},
			"right": func(of []Partial) Partial {
				all := p.begin()
				for _, s := range of {
					all = merge(s, all)
				}
				return all
			},
			"pairs": func(of []Partial) Partial {
				for len(of) > 1 {
					of = append(of[2:], merge(of[1], of[0]))
				}
				return of[0]
			},
			"any": func(of []Partial) Partial {
				for len(of) > 1 {
					rng.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
					of = append(of[2:], merge(of[0], of[1]))
				}
				return of[0]
			},
		} {
			var of []Partial
			for k := range shards {
				s := p.begin()
				s.Add(m.Block(k*m.Rows()/shards/7*7, min((k+1)*m.Rows()/shards/7*7, m.Rows())))
				of = append(of, s)
			}
			rest := p.begin()
			rest.Add(m.Block(m.Rows()/7*7, m.Rows()))
			if got := state(order(append(of, rest))); got != want {
				t.Errorf("%s, %s: got another state, of %d bytes, want that of one pass, of %d", p.name, name, len(got), len(want))
			}
		}
	}
}

// TestOverBindsColumns: the passes over two sources are told apart by their columns.
func TestOverBindsColumns(t *testing.T) {
	write := func(c frames.Column) (raw []byte, begin func() Partial) {
		m := &Matrix{Domain: must(frames.NewSchema(c)), Cols: 1, X: []float64{1, 2}}
		in := Over(m).(bound)
		begin = func() Partial { return boundPartial{part[*GridSum]{NewGridSum(1, 1)}, in.to} }
		return must(WriteState(begin())), begin
	}
	a, readA := write(frames.Numeric("x", 0, 2))
	b, _ := write(frames.Numeric("x", 0, 3))
	if err := ReadState(readA(), a); err != nil {
		t.Error(err)
	}
	if err := ReadState(readA(), b); err == nil || !strings.Contains(err.Error(), "columns: got those of hash") {
		t.Errorf("another bound was read: %v", err)
	}
}

// TestErrorsTellNoRows: what tells how many rows there were stands in no error.
func TestErrorsTellNoRows(t *testing.T) {
	m := tableOf(t, 5000, 3, true, func(i, j int) float64 { return float64(i + j) })
	full := NewGramSum(3)
	full.Add(m.Block(0, m.Rows()))
	gram := func(s *GramSum) Coded { return stateOf(func(c *Coder) { c.Name("n"); c.Gram(s) }) }
	raw := must(WriteState(gram(full)))
	for name, c := range map[string]struct {
		in   []byte
		want string
	}{
		"fewer columns": {raw, "dpkit: state of a pass: got another sum of outer products, want one of as many columns: read it into the pass " +
			"that it was written of: the same release, of the same chain on the same columns"},
		"cut": {raw[:len(raw)-8], "dpkit: state of a pass: got bytes without their checksum, want a whole state: " +
			"they were cut or changed on the way: send them again"},
	} {
		if err := ReadState(gram(NewGramSum(2)), c.in); err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
}
