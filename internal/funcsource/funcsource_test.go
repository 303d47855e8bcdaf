package funcsource

import (
	"strings"
	"testing"
)

// of is the text of the function that a file's lines with "HERE" hand over or begin.
func of(t *testing.T, file string) string {
	t.Helper()
	line := 1 + strings.Count(file[:strings.Index(file, "HERE")], "\n")
	s := read([]byte(file))
	return s.text(append(s.functions(line), s.calls("RegisterFunc", line)...))
}

// file is a program as GoNB makes one of cells.
func file(change ...string) string {
	return strings.NewReplacer(change...).Replace(`package main

import (
	"fmt"
	m "math"
)

const (
	one = iota
	two
)

var (
	scale = 2.0
	other = 3.0
)

type law struct{ a, b float64 }

func (l *law) at(x float64) float64 { return l.a + l.b*x }

func shifted(x float64) float64 { return x + two }

func unused(x float64) float64 { return x }

func main() {
	local := 1.5
	local *= 2
	nothing := 4
	x := 5
	helper := func(a float64) float64 { return a / 3 }
	point := law{
		1, 7,
	}
	RegisterFunc("f", "1", func(x []float64) float64 { // HERE
		l := law{1, scale}
		return m.Log(l.at(shifted(x[0]))) + local + helper(point.a)
	})
	fmt.Println(nothing, x)
}
`)
}

// TestText: what a function does counts, in its own body and in what it names; what it does not name, comments and layout do not.
func TestText(t *testing.T) {
	want := of(t, file())
	for name, change := range map[string][]string{
		"the body":                    {"m.Log(l.at", "m.Log1p(l.at"},
		"a function":                  {"x + two", "x - two"},
		"a constant":                  {"one = iota", "one = iota + 1"},
		"a variable":                  {"scale = 2.0", "scale = 2.5"},
		"a method":                    {"l.a + l.b*x", "l.a - l.b*x"},
		"a type":                      {"a, b float64", "b, a float64"},
		"an import":                   {`m "math"`, `m "example.org/math"`},
		"a local variable":            {"local := 1.5", "local := 1.25"},
		"a local function":            {"a / 3", "a / 4"},
		"a local composite":           {"1, 7,", "1, 8,"},
		"a local variable thereafter": {"local *= 2", "local *= 3"},
	} {
		if got := of(t, file(change...)); got == want {
			t.Errorf("%s: the change is not seen", name)
		}
	}
	apart := map[string]string{}
	for name, change := range map[string][]string{
		"once":           {},
		"twice":          {"local *= 2", "local *= 2\n\tlocal *= 2"},
		"then added":     {"local *= 2", "local *= 2\n\tlocal += 3"},
		"added before":   {"local *= 2", "local += 3\n\tlocal *= 2"},
		"added and over": {"local *= 2", "local *= 2\n\tlocal += 3\n\tlocal *= 2"},
	} {
		got := of(t, file(change...))
		if apart[got] != "" {
			t.Errorf("a local variable set %s is taken for one set %s", name, apart[got])
		}
		apart[got] = name
	}
	for name, change := range map[string][]string{
		"nothing":                          {},
		"comments":                         {"// HERE", "/* HERE, and why */", "x + two", "x + /* of old */ two"},
		"layout":                           {"{ return x + two }", "{\n\treturn x +\n\t\ttwo\n}"},
		"a comma and a semicolon":          {"law{1, scale}", "law{1,\n\t\t\tscale,\n\t\t}", "type law struct{ a, b float64 }", "type law struct {\n\ta, b float64;\n}"},
		"another function":                 {"{ return x }", "{ return -x }"},
		"another variable":                 {"other = 3.0", "other = 4.0", "nothing := 4", "nothing := 5"},
		"another import":                   {`"fmt"`, "\"fmt\"\n\t\"os\""},
		"the order of the file":            {"func unused", "var last = 1\n\nfunc before() {}\n\nfunc unused"},
		"variables of their own":           {"var (\n\tscale = 2.0\n\tother = 3.0\n)", "var other = 3.0\n\nvar scale = 2.0"},
		"a variable of a parameter's name": {"x := 5", "x := 6"},
		"the rest of the function":         {"fmt.Println(nothing, x)", "fmt.Println(nothing, 2)"},
	} {
		if got := of(t, file(change...)); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
}

// TestHash: of functions that are handed over in several ways, and none outside notebooks.
func TestHash(t *testing.T) {
	hash := func(fn func([]float64) float64) string { return Hash(fn, "hash", 0) }
	t.Setenv("GONB_TMP_DIR", "")
	if got := hash(declared); got != "" {
		t.Errorf("outside a notebook: got %q", got)
	}
	t.Setenv("GONB_TMP_DIR", t.TempDir())
	all := map[string]string{}
	for name, got := range map[string]string{
		"declared":  hash(declared),
		"literal":   hash(func(x []float64) float64 { return x[0] + 1 }),
		"another":   hash(func(x []float64) float64 { return x[0] + 2 }),
		"made of 2": hash(made(2)),
	} {
		if len(got) != 64 || all[got] != "" {
			t.Errorf("%s: got %q, as %s", name, got, all[got])
		}
		all[got] = name
	}
	if a, b := hash(declared), hash(declared); a != b {
		t.Errorf("the same function: %s and %s", a, b)
	}
}

func declared(x []float64) float64 { return x[0] }

func made(a float64) func([]float64) float64 {
	return func(x []float64) float64 { return a * x[0] }
}

// FuzzText: any file is read, and gives the same text twice.
func FuzzText(f *testing.F) {
	f.Add(file(), 31)
	f.Add("func f() {", 1)
	f.Add("var (\n\ta = (\n", 2)
	f.Add("func (", 1)
	f.Fuzz(func(t *testing.T, text string, line int) {
		once := func() string {
			s := read([]byte(text))
			return s.text(append(s.functions(line), s.calls("f", line)...))
		}
		if a, b := once(), once(); a != b {
			t.Errorf("%q and %q", a, b)
		}
	})
}
