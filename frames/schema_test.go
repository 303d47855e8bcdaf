package frames_test

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

func mustSchema(t testing.TB, cols ...frames.Column) frames.Schema {
	t.Helper()
	s, err := frames.NewSchema(cols...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// people is a small schema with every kind of column.
func people(t testing.TB) frames.Schema {
	return mustSchema(
		t,
		frames.Numeric("age", 0, 120),
		frames.Category("job", "clerk", "nurse", "smith").MayMiss(),
		frames.Ignored("id"),
		frames.Numeric("gain", -10, 100).MayMiss().Clamped(),
		frames.Label("income", "low", "high"),
	)
}

func TestNewSchemaRefuses(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	block := func(c frames.Column) frames.Column { c.Block = "b"; return c }
	for name, cols := range map[string][]frames.Column{
		"no columns":                 {},
		"no name":                    {frames.Numeric("", 0, 1)},
		"control character":          {frames.Numeric("a\nb", 0, 1)},
		"name not UTF-8":             {frames.Numeric("\xff", 0, 1)},
		"same name":                  {frames.Numeric("a", 0, 1), frames.Ignored("a")},
		"no kind":                    {{Name: "a", Lo: 0, Hi: 1}},
		"unknown kind":               {{Name: "a", Kind: 9}},
		"lo = hi":                    {frames.Numeric("a", 1, 1)},
		"lo > hi":                    {frames.Numeric("a", 2, 1)},
		"infinite hi":                {frames.Numeric("a", 0, inf)},
		"infinite lo":                {frames.Numeric("a", -inf, 0)},
		"NaN lo":                     {frames.Numeric("a", nan, 1)},
		"NaN hi":                     {frames.Numeric("a", 0, nan)},
		"numeric with levels":        {{Name: "a", Kind: frames.KindNumeric, Hi: 1, Levels: []string{"x", "y"}}},
		"category, no level":         {frames.Category("a")},
		"category, one level":        {frames.Category("a", "x")},
		"same level":                 {frames.Category("a", "x", "y", "x")},
		"empty level":                {frames.Category("a", "x", "")},
		"category with bounds":       {{Name: "a", Kind: frames.KindCategory, Hi: 1, Levels: []string{"x", "y"}}},
		"clamped category":           {frames.Category("a", "x", "y").Clamped()},
		"block of a category":        {block(frames.Category("a", "x", "y"))},
		"block below zero":           {block(frames.Numeric("a", -1, 2))},
		"block of two heights":       {block(frames.Numeric("a", 0, 1)), block(frames.Numeric("b", 0, 2))},
		"block that a number splits": {block(frames.Numeric("a", 0, 1)), frames.Numeric("c", 0, 1), block(frames.Numeric("b", 0, 1))},
		"block that misses in part":  {block(frames.Numeric("a", 0, 1)), block(frames.Numeric("c", 0, 1).MayMiss())},
		"block named like a column":  {block(frames.Numeric("a", 0, 1)), frames.Category("b", "x", "y")},
		"block of a label":           {block(frames.NumericLabel("a", 0, 1))},
		"block not printable":        {{Name: "a", Kind: frames.KindNumeric, Hi: 1, Block: "\t"}},
		"label, neither":             {{Name: "a", Kind: frames.KindLabel}},
		"label, both":                {{Name: "a", Kind: frames.KindLabel, Hi: 1, Levels: []string{"x", "y"}}},
		"label that may miss":        {frames.Label("a", "x", "y").MayMiss()},
		"two labels":                 {frames.Label("a", "x", "y"), frames.NumericLabel("b", 0, 1)},
		"ignored with bounds":        {{Name: "a", Kind: frames.KindIgnored, Hi: 1}},
		"ignored that may miss":      {frames.Ignored("a").MayMiss()},
		"ignored that is clamped":    {frames.Ignored("a").Clamped()},
	} {
		t.Run(name, func(t *testing.T) {
			if s, err := frames.NewSchema(cols...); !errors.Is(err, frames.ErrSchema) || s.Len() != 0 {
				t.Errorf("got %d columns and %v, want ErrSchema", s.Len(), err)
			}
		})
	}
}

// TestLegalSizes: a schema keeps to the legal sizes, to the last bit, and says the fix.
func TestLegalSizes(t *testing.T) {
	above, below := math.Nextafter(frames.MaxBound, math.Inf(1)), math.Nextafter(frames.MinWidth, 0)
	unboundedLabel := frames.UnboundedLabel("a")
	for name, tc := range map[string]struct {
		col  frames.Column
		want string // in the error; "" if the column is legal
	}{
		"largest":                {frames.Numeric("a", -frames.MaxBound, frames.MaxBound), ""},
		"narrowest":              {frames.Numeric("a", 0, frames.MinWidth), ""},
		"narrowest, large":       {frames.Numeric("a", math.Nextafter(frames.MaxBound, 0), frames.MaxBound), ""},
		"largest label":          {frames.NumericLabel("a", -frames.MaxBound, frames.MaxBound), ""},
		"largest guess":          {frames.Unbounded("a").Guess(frames.MaxBound), ""},
		"least guess":            {unboundedLabel.Guess(frames.MinWidth), ""},
		"hi above":               {frames.Numeric("a", 0, above), "larger unit"},
		"lo below":               {frames.Numeric("a", -above, 0), "larger unit"},
		"both far":               {frames.Numeric("a", 1e300, 2e300), "larger unit"},
		"clamped":                {frames.Numeric("a", -1e162, 1e162).Clamped(), "larger unit"},
		"too narrow":             {frames.Numeric("a", 0, below), "smaller unit"},
		"too narrow about 0":     {frames.Numeric("a", -below/2, below/2), "smaller unit"},
		"denormal width":         {frames.Numeric("a", 0, 5e-324), "smaller unit"},
		"label too narrow":       {frames.NumericLabel("a", 0, below), "smaller unit"},
		"label too large":        {frames.NumericLabel("a", 0, above), "larger unit"},
		"block too narrow":       {frames.Column{Name: "a", Kind: frames.KindNumeric, Hi: below, Block: "b"}, "smaller unit"},
		"guess above":            {frames.Unbounded("a").Guess(above), "another unit"},
		"guess below":            {unboundedLabel.Guess(below), "another unit"},
		"one value, no width":    {frames.Numeric("a", 7, 7), "Ignored"},
		"label of one value":     {frames.NumericLabel("a", 7, 7), "one value"},
		"zero width, beyond all": {frames.Numeric("a", above, above), "larger unit"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := frames.NewSchema(tc.col)
			if (err == nil) != (tc.want == "") || err != nil && !(errors.Is(err, frames.ErrSchema) && strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
	var s frames.Schema
	err := json.Unmarshal([]byte(`[{"name":"a","kind":"numeric","lo":0,"hi":1e61}]`), &s)
	if !errors.Is(err, frames.ErrSchema) || s.Len() != 0 {
		t.Errorf("JSON: got %v, want ErrSchema", err)
	}
}

func TestSchemaAccess(t *testing.T) {
	s := people(t)
	if got := len(s.Features()); s.Len() != 5 || got != 3 {
		t.Errorf("got %d columns and %d features, want 5 and 3", s.Len(), got)
	}
	if j, ok := s.FeatureIndex("gain"); j != 2 || !ok {
		t.Errorf("FeatureIndex(gain): got %d %v, want 2 true", j, ok)
	}
	for _, name := range []string{"id", "income", "nobody"} {
		if _, ok := s.FeatureIndex(name); ok {
			t.Errorf("FeatureIndex(%s): got a feature", name)
		}
	}
	if c, ok := s.Column("id"); !ok || c.Kind != frames.KindIgnored {
		t.Errorf("Column(id): got %v %v", c, ok)
	}
	if _, ok := s.Column("nobody"); ok {
		t.Error("Column(nobody): got a column")
	}
	if c, ok := s.Label(); !ok || c.Name != "income" {
		t.Errorf("Label: got %v %v", c, ok)
	}
	var zero frames.Schema
	if _, ok := zero.Label(); ok || zero.Len() != 0 || zero.Features() != nil || len(zero.Columns()) != 0 || zero.NormBound() != 0 {
		t.Error("the zero schema has columns")
	}
	if _, ok := zero.Column("a"); ok {
		t.Error("the zero schema has a column")
	}
	if _, ok := zero.FeatureIndex("a"); ok {
		t.Error("the zero schema has a feature")
	}
	if zero.String() == "" || zero.Hash() == s.Hash() {
		t.Error("the zero schema has no text or another's hash")
	}
}

func TestSchemaIsImmutable(t *testing.T) {
	levels := []string{"x", "y"}
	c := frames.Category("a", levels...)
	s := mustSchema(t, c, frames.Label("l", levels...))
	before := s.Hash()
	levels[0], c.Levels[0] = "z", "z"
	s.Columns()[0].Levels[0] = "z"
	s.Features()[0].Levels[0] = "z"
	if l, ok := s.Label(); ok {
		l.Levels[0] = "z"
	}
	if l, ok := s.Column("a"); ok {
		l.Levels[0] = "z"
	}
	if s.Hash() != before {
		t.Error("a copy changed the schema")
	}
}

func TestSchemaHash(t *testing.T) {
	base := []frames.Column{frames.Numeric("a", 0, 1), frames.Category("b", "x", "y"), frames.Label("c", "n", "p")}
	hash := func(cols ...frames.Column) string {
		h := mustSchema(t, cols...).Hash()
		return hex.EncodeToString(h[:])
	}
	// Golden: ledgers refer to it. Computed by this code when it was first written.
	const want = "2af0f45e01566b969b4455bc062b5dce5f3cfc42216dac818eab10e896c36bb9"
	if got := hash(base...); got != want {
		t.Errorf("got %s, want %s: stored releases would not replay", got, want)
	}
	seen := map[string]string{hash(base...): "base"}
	block := frames.Numeric("a", 0, 1)
	block.Block = "k"
	for name, cols := range map[string][]frames.Column{
		"name":     {frames.Numeric("A", 0, 1), base[1], base[2]},
		"lo":       {frames.Numeric("a", -1, 1), base[1], base[2]},
		"hi":       {frames.Numeric("a", 0, 2), base[1], base[2]},
		"missing":  {base[0].MayMiss(), base[1], base[2]},
		"clamp":    {base[0].Clamped(), base[1], base[2]},
		"block":    {block, base[1], base[2]},
		"order":    {base[1], base[0], base[2]},
		"levels":   {base[0], frames.Category("b", "y", "x"), base[2]},
		"boundary": {base[0], frames.Category("bx", "x", "y"), base[2]},
		"kind":     {base[0], base[1], frames.Category("c", "n", "p")},
		"fewer":    {base[0], base[1]},
	} {
		h := hash(cols...)
		if other, dup := seen[h]; dup {
			t.Errorf("%s and %s have the same hash", name, other)
		}
		seen[h] = name
	}
	if hash(frames.Numeric("a", math.Copysign(0, -1), 1)) != hash(frames.Numeric("a", 0, 1)) {
		t.Error("bounds -0 and 0 have two hashes")
	}
}

func TestSchemaString(t *testing.T) {
	want := `column  kind      domain                 notes
age     numeric   [0, 120]
job     category  clerk | nurse | smith  may miss
id      ignored   -
gain    numeric   [-10, 100]             may miss, clamped
income  label     low | high
`
	if got := people(t).String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	long := mustSchema(t, frames.Category("a", "1", "2", "3", "4", "5")).String()
	if !strings.Contains(long, "1 | 2 | 3 | … (5 levels)") {
		t.Errorf("got %s, want the levels shortened", long)
	}
	for k, want := range map[frames.Kind]string{1: "numeric", 2: "category", 3: "label", 4: "ignored", 0: "Kind(0)", 7: "Kind(7)"} {
		if k.String() != want {
			t.Errorf("Kind %d: got %s, want %s", uint8(k), k, want)
		}
	}
}

func TestNormBound(t *testing.T) {
	in := func(block, name string) frames.Column {
		c := frames.Numeric(name, 0, 1)
		c.Block = block
		return c
	}
	scaled := func(block, name string) frames.Column {
		c := in(block, name)
		c.Hi = 0.25
		return c
	}
	for name, tc := range map[string]struct {
		cols []frames.Column
		want float64
	}{
		"one":            {[]frames.Column{frames.Numeric("a", -3, 2)}, 3},
		"3-4-5":          {[]frames.Column{frames.Numeric("a", -3, 2), frames.Numeric("b", 0, 4)}, 5},
		"label apart":    {[]frames.Column{frames.Numeric("a", -3, 2), frames.NumericLabel("y", 0, 400)}, 3},
		"scaled block":   {[]frames.Column{scaled("k", "a"), scaled("k", "b")}, 0.25},
		"block counts 1": {[]frames.Column{in("k", "a"), in("k", "b"), in("k", "c")}, 1},
		"four blocks":    {[]frames.Column{in("k", "a"), in("k", "e"), in("l", "b"), in("m", "c"), in("n", "d")}, 2},
		"category":       {[]frames.Column{frames.Category("a", "x", "y")}, math.Inf(1)},
		"no features":    {[]frames.Column{frames.Label("a", "x", "y")}, 0},
		"huge":           {[]frames.Column{frames.Numeric("a", -3e59, 0), frames.Numeric("b", 0, 4e59)}, math.Nextafter(5e59, math.Inf(1))},
		"tiny":           {[]frames.Column{frames.Numeric("a", -frames.MinWidth, 0)}, math.Nextafter(frames.MinWidth, 1)},
	} {
		t.Run(name, func(t *testing.T) {
			got := mustSchema(t, tc.cols...).NormBound()
			if got != tc.want && !(name == "huge" && got >= 5e59 && got <= 5.000000000000002e59) {
				t.Errorf("got %.17g, want %.17g", got, tc.want)
			}
		})
	}
}

// Property: the bound is at least the exact norm and at most a hair above it.
func TestNormBoundRoundsUp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		sum := new(big.Float).SetPrec(4000)
		var cols []frames.Column
		for j := range 1 + r.IntN(12) {
			hi := math.Exp(200 * (r.Float64() - 0.5))
			cols = append(cols, frames.Numeric(string(rune('a'+j)), -hi/2, hi))
			v := new(big.Float).SetPrec(4000).SetFloat64(hi)
			sum.Add(sum, v.Mul(v, v))
		}
		exact := sum.Sqrt(sum)
		got := new(big.Float).SetFloat64(mustSchema(t, cols...).NormBound())
		slack := new(big.Float).Mul(exact, big.NewFloat(1+1e-14))
		if got.Cmp(exact) < 0 || got.Cmp(slack) > 0 {
			t.Fatalf("got %.20g for the norm %.20g", got, exact)
		}
	}
}

// TestWidth: the number of features, of a schema and of none.
func TestWidth(t *testing.T) {
	s, err := frames.NewSchema(frames.Numeric("a", 0, 1), frames.Ignored("b"), frames.Category("c", "x", "y"), frames.Label("y", "-", "+"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.Width(), len(s.Features()); got != want || got != 2 {
		t.Errorf("got %d, and %d features, want 2", got, want)
	}
	if got := (frames.Schema{}).Width(); got != 0 {
		t.Errorf("no schema: got %d, want 0", got)
	}
}
