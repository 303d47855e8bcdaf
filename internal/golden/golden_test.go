package golden_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/internal/golden"
)

// recorder counts failures in place of a test.
type recorder struct {
	testing.TB
	errors int
}

func (r *recorder) Helper()               {}
func (r *recorder) Errorf(string, ...any) { r.errors++ }
func (r *recorder) FailNow()              { panic("failed") }
func (r *recorder) Fatal(...any)          { panic("failed") }

// failures is how often a check fails, and -1 where it ends the test.
func failures(check func(t testing.TB)) (n int) {
	r := &recorder{}
	defer func() {
		if recover() != nil {
			n = -1
		}
	}()
	check(r)
	return r.errors
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		raw    string
		want   float64
		number bool // else null alone is read
	}{
		{`1.5`, 1.5, true},
		{`"1e-300"`, 1e-300, true},
		{`"inf"`, math.Inf(1), true},
		{`"-Inf"`, math.Inf(-1), true},
		{`null`, math.Inf(1), false},
		{`"1/2"`, 0, false},
		{`true`, 0, false},
	} {
		var n golden.Number
		err := json.Unmarshal([]byte(c.raw), &n)
		if (err == nil) != c.number || c.number && float64(n) != c.want {
			t.Errorf("%s: %v, %v", c.raw, n, err)
		}
		var o golden.OrNull
		err = json.Unmarshal([]byte(c.raw), &o)
		if (err == nil) != (c.number || c.raw == "null") || err == nil && float64(o) != c.want {
			t.Errorf("%s: %v, %v", c.raw, o, err)
		}
	}
	out, err := json.Marshal([]golden.Number{1, golden.Number(math.Inf(1)), golden.Number(math.Inf(-1))})
	if err != nil || string(out) != `[1,"+Inf","-Inf"]` {
		t.Errorf("%s, %v", out, err)
	}
	var one golden.Numbers
	if err := json.Unmarshal([]byte(`"2"`), &one); err != nil || !slices.Equal(one.Floats(), []float64{2}) {
		t.Errorf("%v, %v", one, err)
	}
	if got := string(golden.Plain(t, []byte(`{"a": ["1e-400", "word", "-2", 3]}`))); got != `{"a":[1e-400,"word",-2,3]}` {
		t.Errorf("plain numbers: %s", got)
	}
}

// TestDecode: an unknown field and an entry that is not understood fail, of themselves; the others are read.
func TestDecode(t *testing.T) {
	type entry struct{ A int }
	for _, c := range []struct {
		raw  string
		want int // failures
		read int // entries
	}{
		{`[{"A": 1}, {"A": 2}]`, 0, 2},
		{`[{"A": 1}, {"A": 2, "B": 3}]`, 1, 2},
		{`[{"A": 1}, {"A": "x"}, {"A": 3}]`, 2, 2},
		{`{"A": 1}`, -1, 0},
	} {
		var list []entry
		got := failures(func(t testing.TB) { golden.Decode(t, json.RawMessage(c.raw), &list) })
		if got != c.want || c.want >= 0 && len(list) != c.read {
			t.Errorf("%s: %d failures, %d entries", c.raw, got, len(list))
		}
	}
}

func TestTolerance(t *testing.T) {
	const tol = golden.Tolerance(1e-6)
	for _, c := range []struct {
		got, want          float64
		same, near, atMost int
	}{
		{1, 1, 0, 0, 0},
		{1 + 5e-7, 1, 0, 0, 0},
		{1 - 5e-7, 1, 1, 0, 0}, // a bound is not rounded down
		{1 + 2e-6, 1, 1, 1, 1},
		{0.5, 1, 1, 1, 0},
		{math.NaN(), 1, 1, 1, 1},
		{math.Inf(1), math.Inf(1), 0, 0, 0},
	} {
		for i, check := range []func(testing.TB, string, float64, float64){tol.Same, tol.Near, tol.AtMost} {
			if got := failures(func(t testing.TB) { check(t, "", c.got, c.want) }); got != []int{c.same, c.near, c.atMost}[i] {
				t.Errorf("check %d of %v against %v: %d failures", i, c.got, c.want, got)
			}
		}
	}
	for raw, want := range map[string]golden.Tolerance{`{}`: 1e-9, `{"meta": {"tolerance_rel": 1e-3}}`: 1e-3} {
		if got := golden.ToleranceOf(t, golden.Groups(t, []byte(raw))); got != want {
			t.Errorf("%s: %v", raw, got)
		}
	}
}

// TestFiles: every committed file is found from here, and a group that a file does not name is told.
func TestFiles(t *testing.T) {
	for _, name := range []string{"accounting", "calculus", "mechanisms", "preprocessing"} {
		if len(golden.Groups(t, golden.Committed(t, name))) < 2 {
			t.Errorf("%s: no groups", name)
		}
	}
	const here = "internal/golden/golden_test.go"
	missing := fmt.Sprint("no such ", "group")
	for group, want := range map[string]int{"calculus": 0, missing: 1} {
		if got := failures(func(t testing.TB) { golden.Names(t, here, group) }); got != want {
			t.Errorf("%q: %d failures", group, got)
		}
	}
	if got := failures(func(t testing.TB) { golden.Names(t, "no/such/file", "calculus") }); got != -1 {
		t.Errorf("a file that is not there: %d", got)
	}
}
