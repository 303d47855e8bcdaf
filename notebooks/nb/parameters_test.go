package nb

import (
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// taggedCells makes a notebook whose cells all carry the tag.
func taggedCells(sources ...string) *Notebook {
	n := &Notebook{NBFormat: 4, NBFormatMinor: 5}
	for _, s := range sources {
		n.Cells = append(n.Cells, &Cell{Type: "code", Source: s, Metadata: map[string]json.RawMessage{"tags": json.RawMessage(`["parameters"]`)}})
	}
	return n
}

func TestSetParameters(t *testing.T) {
	for _, tc := range []struct {
		name, source string
		set          string // name=value, several by spaces
		want         string // the source, or the part of an error behind ErrParameter's text
		refused      bool
	}{
		{"const", "const epsilon = 1", "epsilon=0.5", "const epsilon = 0.5", false},
		{"const with a type", "const epsilon float64 = 1 // per release", "epsilon=2", "const epsilon float64 = 2 // per release", false},
		{"group", "const (\n\ta = iota\n\tb\n\tn = 3\n)", "n=4", "const (\n\ta = iota\n\tb\n\tn = 4\n)", false},
		{"var", "var seed = 7\nvar other = seed", "seed=-8", "var seed = -8\nvar other = seed", false},
		{"var without a value", "var seed int64 // of the split", "seed=9", "var seed int64 = 9 // of the split", false},
		{"tuple", "var a, b = 1, 2", "a=10 b=20", "var a, b = 10, 20", false},
		{"below %%", "import \"fmt\"\n%%\nε := 1.0\nfmt.Println(ε)", "ε=0.25", "import \"fmt\"\n%%\nε := 0.25\nfmt.Println(ε)", false},
		{"const below %%", "%% -v\nconst n = 1\nvar m, _ = 2, 3", "n=5 m=6", "%% -v\nconst n = 5\nvar m, _ = 6, 3", false},
		{"main written out", "func main() {\n\tn := 1\n\tprintln(n)\n}", "n=2", "func main() {\n\tn := 2\n\tprintln(n)\n}", false},
		{"commands stay", "!*go version \\\n  now\n%env A=B\n//gonb:%goflags x\nconst n = 1", "n=2", "!*go version \\\n  now\n%env A=B\n//gonb:%goflags x\nconst n = 2", false},
		{"text", `const name = "adult"`, "name=iris", `const name = "iris"`, false},
		{"text with quotes", `var name string`, `name="iris"`, `var name string = "iris"`, false},
		{"half a quotation is text", `const name = "a"`, `name="b`, `const name = "\"b"`, false},
		{"text in a raw string", "const name = `adult`", "name=a\"b\\", `const name = "a\"b\\"`, false},
		{"text that looks like a number", `const name = "adult"`, "name=5", `const name = "5"`, false},
		{"no text", `const name = "adult"`, "name=", `const name = ""`, false},
		{"truth", "const demo = false", "demo=true", "const demo = true", false},
		{"an expression", "var epsilons = []float64{1}", "epsilons=[]float64{0.5,1}", "var epsilons = []float64{0.5,1}", false},
		{"a duration", "var limit = time.Second", "limit=3*time.Second", "var limit = 3*time.Second", false},
		{"a number for a const of whole numbers", "const epsilon = 1", "epsilon=1e-3", "const epsilon = 1e-3", false},

		{"unknown", "const a, b = 1, 2", "c=1", `unknown name "c", want a, b`, true},
		{"nothing known", "import \"fmt\"", "c=1", "the tagged cells declare none", true},
		{"a result of a call", "var a, b = f()", "a=1", `unknown name "a"`, true},
		{"deeper", "%%\nif true {\n\tn := 1\n}", "n=2", `unknown name "n"`, true},
		{"not a number", "const epsilon = 1", "epsilon=high", "epsilon: got high, want a constant such as 1 (cell 1 line 1)", true},
		{"not whole", "%%\nn := 10", "n=0.5", "n: got 0.5, want a constant of type int such as 10 (cell 1 line 2)", true},
		{"too large", "var n int8", "n=128", "want a constant of type int8", true},
		{"negative", "var n uint = 1", "n=-1", "want a constant of type uint", true},
		{"not a truth value", "var demo = true", "demo=1", "want a constant of type bool such as true", true},
		{"text for a const number", "const epsilon = 1", `epsilon="1"`, "want a constant such as 1", true},
		{"code behind the value", "const epsilon = 1", "epsilon=1;os.Exit(0)", "want a Go value such as 1", true},
		{"a comment behind the value", "var a, b = 1, 2", "a=1//", "want a Go value", true},
		{"nothing", "const epsilon = 1", "epsilon=", "want a Go value", true},
		{"twice", "const n = 1\n%%\nn := 2", "n=3", "n is declared twice, in cell 1 line 1 and in cell 1 line 3", true},
		{"no Go", "%%bash\nn=1", "n=3", `cell 1 is tagged "parameters" and is no Go`, true},
		{"does not parse", "const a = 1\nn := 1", "a=3", "cell 1 line 2, tagged \"parameters\": expected declaration", true},
		{"does not parse below %%", "%%\nn := ", "n=3", "cell 1 line 2", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			values := map[string]string{}
			for _, s := range strings.Split(tc.set, " ") {
				name, value, _ := strings.Cut(s, "=")
				values[name] = value
			}
			n := taggedCells(tc.source)
			err := SetParameters(n, values)
			if !tc.refused {
				if err != nil || n.Cells[0].Source != tc.want {
					t.Errorf("got %q, %v\nwant %q", n.Cells[0].Source, err, tc.want)
				}
				return
			}
			if !errors.Is(err, ErrParameter) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want an error with %q", err, tc.want)
			}
			if n.Cells[0].Source != tc.source {
				t.Errorf("a refusal changed the cell to %q", n.Cells[0].Source)
			}
		})
	}
}

// TestSetParametersInSeveralCells: all tagged cells hold parameters, others are not touched.
func TestSetParametersInSeveralCells(t *testing.T) {
	n := taggedCells("const a = 1", "", "%%\nb := 2", "const c = 3")
	n.Cells[3].Metadata = nil
	if err := SetParameters(n, map[string]string{"a": "10", "b": "20"}); err != nil {
		t.Fatal(err)
	}
	if got := n.Cells[0].Source + n.Cells[2].Source; got != "const a = 10%%\nb := 20" {
		t.Errorf("got %q", got)
	}
	if err := SetParameters(n, map[string]string{"c": "1"}); err == nil || !strings.Contains(err.Error(), "want a, b") {
		t.Errorf("a cell without the tag was found: %v", err)
	}
	n.Cells = n.Cells[3:]
	if err := SetParameters(n, map[string]string{"c": "1"}); !errors.Is(err, ErrParameter) || !strings.Contains(err.Error(), `"tags": ["parameters"]`) {
		t.Errorf("without a tagged cell: %v", err)
	}
	if err := SetParameters(n, nil); err != nil {
		t.Errorf("nothing to set: %v", err)
	}
}

// FuzzParameters: a value is refused or stands in the cell, which has the same number of lines as before
// and declares the same names.
func FuzzParameters(f *testing.F) {
	f.Add("const x = 1", "2")
	f.Add("!*go \\\nx\n%% a\nvar x, y string = \"1\", `2`", "a\nb")
	f.Add("var x = []int{1}", "[]int{1, /* */ 2}")
	f.Add("%%\nx := 'a'\npackage\n", "'\\n'")
	f.Fuzz(func(t *testing.T, source, value string) {
		n := taggedCells(source)
		before, _, err := findParameters(n)
		if SetParameters(n, map[string]string{"x": value}) != nil {
			if n.Cells[0].Source != source {
				t.Fatalf("a refusal changed the cell to %q", n.Cells[0].Source)
			}
			return
		}
		if err != nil {
			t.Fatalf("set in a cell that does not parse: %v", err)
		}
		after, _, err := findParameters(n)
		if err != nil || len(after) != len(before) {
			t.Fatalf("%d parameters in %q, want %d (%v)", len(after), n.Cells[0].Source, len(before), err)
		}
		for i, p := range after {
			if p.name != before[i].name || p.name != "x" && p.value != before[i].value {
				t.Fatalf("%s = %s was %s = %s", p.name, p.value, before[i].name, before[i].value)
			}
			if _, err := parser.ParseExprFrom(token.NewFileSet(), "", p.value, 0); p.name == "x" && err != nil {
				t.Fatalf("the value %q: %v", p.value, err)
			}
		}
	})
}
