package export

import (
	"bytes"
	"flag"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"mvdan.cc/gofumpt/format"

	"github.com/dpkit-go/dpnb/notebooks/nb"
	"github.com/dpkit-go/dpnb/notebooks/nb/celltest"
	"github.com/dpkit-go/dpnb/notebooks/nb/kernel"
)

// The fixtures hold the outputs of the real kernel (nb run -no-html testdata/export/*.ipynb), and beside
// each stands what it is exported to.
const fixtures = "../testdata/export"

// The tests share one build of the kernel with those of other packages. It stays beside what the go command builds for the next time.
var testCache string

// A cell of the fixtures writes a file into the folder that the kernel runs in and removes it; exported, it must not.
// Tests that run cells there and tests that look there take turns.
var inFixtures sync.Mutex

func TestMain(m *testing.M) {
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		panic(err)
	}
	testCache = filepath.Join(strings.TrimSpace(string(cache)), "dpnb-tests")
	if err := os.MkdirAll(testCache, 0o755); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

var update = flag.Bool("update-export", false, "write the exported fixtures anew")

func fixtureNames(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(fixtures + "/*.ipynb")
	if err != nil || len(files) < 4 {
		t.Fatalf("found the fixtures %q, %v", files, err)
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(filepath.Base(f), ".ipynb")
	}
	return files
}

// exportFixture exports a fixture for its golden folder.
func exportFixture(t *testing.T, name string) (*Package, *nb.Notebook) {
	t.Helper()
	file := name + ".ipynb"
	data, err := os.ReadFile(filepath.Join(fixtures, file))
	if err != nil {
		t.Fatal(err)
	}
	n, err := nb.Parse(file, data)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Notebook(n, Options{Name: file, Data: data, Path: "../" + file})
	if err != nil {
		t.Fatal(err)
	}
	return p, n
}

func TestGolden(t *testing.T) {
	for _, name := range fixtureNames(t) {
		t.Run(name, func(t *testing.T) {
			p, _ := exportFixture(t, name)
			dir := filepath.Join(fixtures, name)
			if *update {
				if err := p.WriteDir(dir); err != nil {
					t.Fatal(err)
				}
			}
			var stored []string
			err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
				if err != nil || e.IsDir() {
					return err
				}
				rel, err := filepath.Rel(dir, path)
				stored = append(stored, filepath.ToSlash(rel))
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(stored)
			if want := slices.Sorted(maps.Keys(p.Files)); !slices.Equal(stored, want) {
				t.Fatalf("the folder holds %q, the export %q: run with -update-export and look at the difference", stored, want)
			}
			for file, got := range p.Files {
				want, err := os.ReadFile(filepath.Join(dir, file))
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got, want) {
					t.Errorf("%s differs: run with -update-export and look at the difference; got\n%s", file, got)
				}
				if !strings.HasSuffix(file, ".go") {
					continue
				}
				again, err := format.Source(got, format.Options{LangVersion: "go1.26", ModulePath: modulePath})
				if err != nil || !bytes.Equal(again, got) {
					t.Errorf("%s: gofumpt would change it (%v)", file, err)
				}
			}
		})
	}
}

// TestGoldenVet: what an export writes into a module passes vet there, as it stands. TestFixtures tests it.
func TestGoldenVet(t *testing.T) {
	t.Parallel()
	inFixtures.Lock()
	defer inFixtures.Unlock()
	args := []string{"vet"}
	for _, name := range fixtureNames(t) {
		args = append(args, "./"+name+"/...")
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = fixtures
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go vet: %v\n%s", err, out)
	}
}

// TestKernel runs the fixtures on the real kernel: the stored outputs are what it prints.
func TestKernel(t *testing.T) {
	t.Parallel()
	for _, name := range fixtureNames(t) {
		t.Run(name, func(t *testing.T) {
			inFixtures.Lock()
			defer inFixtures.Unlock()
			_, stored := exportFixture(t, name)
			_, fresh := exportFixture(t, name)
			if _, err := kernel.Run(t.Context(), fresh, kernel.Options{Dir: fixtures, Cache: testCache, KeepGoing: true}); err != nil {
				t.Fatal(err)
			}
			want, got := newGoldens(stored), newGoldens(fresh)
			compared := 0
			for i, c := range stored.Cells {
				var p problems
				cell := readCell(i, c.Source, &p)
				if c.Type != "code" || cell.output != "" || cell.noEval || cell.skip || cell.isTest || cell.special != "" {
					continue
				}
				a, b := want.of(cell, c), got.of(cell, fresh.Cells[i])
				if a == nil || b == nil || celltest.Normalize(a.text) != celltest.Normalize(b.text) || !slices.Equal(a.displays, b.displays) {
					t.Errorf("cell %d stores %+v, the kernel gives %+v", i, a, b)
				}
				compared++
			}
			if compared == 0 {
				t.Error("compared no cell")
			}
		})
	}
}

// cells makes a notebook that was never executed.
func cells(sources ...string) *nb.Notebook {
	n := &nb.Notebook{NBFormat: 4, NBFormatMinor: 5}
	for _, s := range sources {
		n.Cells = append(n.Cells, &nb.Cell{Type: "code", Source: s})
	}
	return n
}

// stored gives the last cell an output.
func stored(n *nb.Notebook, stdout string) *nb.Notebook {
	for _, c := range n.Cells {
		c.ExecutionCount = 1
	}
	n.Cells[len(n.Cells)-1].Outputs = []nb.Output{{Type: "stream", Name: "stdout", Text: stdout}}
	return n
}

func TestRejections(t *testing.T) {
	for _, tc := range []struct {
		name  string
		cells []string
		where Position
		want  string
	}{
		{"two mains", []string{"%%\nx()\n%%\ny()"}, Position{1, 3}, "a second main (%%)"},
		{"%% and %main", []string{"", "%% a b", "%%\n\n%main"}, Position{2, 3}, "the first is in line 1"},
		{"%exec and %%", []string{"func f() {}\n%exec f\n%%"}, Position{1, 3}, "a second main"},
		{"%% and func main", []string{"func main() {}\n%%"}, Position{1, 2}, "a second main"},
		{"wasm", []string{"%wasm\n%%\nf()"}, Position{1, 1}, "%wasm cells run in a browser"},
		{"command in a raw string", []string{"func f() string {\n\treturn `\n%s\n`\n}"}, Position{1, 3}, "raw string begins with %"},
		{"shell in a raw string", []string{"const s = `a\n!rm -r x`"}, Position{1, 2}, "raw string begins with !"},
		{"command in a comment", []string{"/*\n%done\n*/"}, Position{1, 2}, "comment begins with %"},
		{"var _ with a call", []string{"func f() int { return 1 }", "\nvar _ = f()"}, Position{2, 2}, "two to four times"},
		{"var _ in a group", []string{"var (\n\tx = 1\n\t_, _ = f()\n)"}, Position{1, 3}, "var _"},
		{"changed kind", []string{"var x = 1", "// doc\nfunc x() {}"}, Position{2, 2}, "put %rm x above it"},
		{"part of a const block", []string{"const (\n\tA = iota\n\tB\n)", "const B = 5"}, Position{2, 1}, "B is declared again"},
		{"type and const", []string{"type T int", "%%\n", "const T = 1"}, Position{3, 1}, "T is declared again"},
		{"method with another receiver text", []string{"type S[T any] struct{}", "func (s *S[T]) M() {}", "func (s *S[K]) M() {}"}, Position{3, 1}, "S.M is declared again"},
		{"twice in a cell", []string{"func f() {}\n\nfunc f() {}"}, Position{1, 3}, "declared twice in the cell, first in line 1"},
		{"generic value receivers", []string{"type A[T any] struct{}\ntype B[T any] struct{}\nfunc (A[T]) M() {}\nfunc (B[T]) M() {}"}, Position{1, 4}, "use a pointer receiver"},
		{"missing import", []string{"%%\nx := 1\nfmt.Println(x)"}, Position{1, 3}, "fmt is neither declared nor imported"},
		{"missing import after formatting", []string{"import \"fmt\"", "func f()   {  fmt.Println( 1)\n\n\n\n  os.Exit(1) }"}, Position{2, 5}, "os is neither"},
		{"two packages of a name", []string{"import \"math/rand\"\nimport \"math/rand/v2\"\n%%\nrand.Int()"}, Position{1, 2}, "both packages rand"},
		{"no Go", []string{"%%\nif {"}, Position{1, 2}, "missing condition"},
		{"statement without main", []string{"x := 1\nprint(x)"}, Position{1, 1}, "put %% on a line above"},
		{"unknown command", []string{"\n%nosuch x"}, Position{1, 2}, "GoNB does not know %nosuch"},
		{"cell command inside", []string{"var x = 1\n%%bash\necho"}, Position{1, 2}, "%%bash stands inside a cell"},
		{"empty command", []string{"!  "}, Position{1, 1}, "ends the kernel"},
		{"%exec of nothing", []string{"var x int\n%exec"}, Position{1, 2}, "no function name"},
		{"%env of one", []string{"%env X"}, Position{1, 1}, "%env NAME value"},
		{"%env short name", []string{"%env X=1"}, Position{1, 1}, "%env NAME value"},
		{"%cd of two", []string{"%cd a b"}, Position{1, 1}, "want one folder"},
		{"%cd away", []string{"%cd data", "%cd ../.."}, Position{2, 1}, "leaves the notebook's folder"},
		{"%cd absolute", []string{"%cd /tmp"}, Position{1, 1}, "leaves the notebook's folder"},
		{"%reset of something", []string{"%reset x"}, Position{1, 1}, "want nothing or go.mod"},
		{"TestMain", []string{"import \"testing\"\nfunc TestMain(m *testing.M) {}"}, Position{1, 2}, "TestMain belongs to"},
		{"test in name only", []string{"func TestError() float64 { return 1 }"}, Position{1, 1}, "give it another name"},
		{"unknown directive", []string{"// | outptu: ignore\n%%"}, Position{1, 1}, `unknown directive "outptu"`},
		{"bad output", []string{"%%\n//| output: approx=x"}, Position{1, 2}, "want a number from 0 to 1"},
		{"bad regexp", []string{"//| output: regexp ("}, Position{1, 1}, "missing closing )"},
		{"bad exit", []string{"//| exit: 256"}, Position{1, 1}, "want 0 to 255 or any"},
		{"bad timeout", []string{"//| timeout: soon"}, Position{1, 1}, "such as 30s"},
		{"bad seed", []string{"//| seed: x"}, Position{1, 1}, "whole number"},
		{"bad eval", []string{"//| eval: no"}, Position{1, 1}, "want true or false"},
		{"bad skip", []string{"//| skip: why"}, Position{1, 1}, "want nothing, true or false"},
		{"empty name", []string{"//| name:"}, Position{1, 1}, "no value"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Notebook(cells(tc.cells...), Options{Name: "n.ipynb"})
			list, ok := err.(interface{ Unwrap() []error })
			if !ok {
				t.Fatalf("got %v, want errors with positions", err)
			}
			first, ok := list.Unwrap()[0].(*Error)
			if !ok || (Position{first.Cell, first.Line}) != tc.where || !strings.Contains(first.Msg, tc.want) {
				t.Errorf("got %v, want %v: …%s…", err, tc.where, tc.want)
			}
		})
	}
	if _, err := Notebook(cells(), Options{}); err == nil {
		t.Error("a notebook without code is exported")
	}
}

// TestAllErrors: one export reports every cell that stands in its way.
func TestAllErrors(t *testing.T) {
	_, err := Notebook(cells("%nosuch", "var x = 1", "%%\nif", "func x() {}"), Options{})
	for _, want := range []string{"cell 1 line 1", "cell 3 line 2", "cell 4 line 1"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
}
