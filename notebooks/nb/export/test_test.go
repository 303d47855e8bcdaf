package export

import (
	"errors"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

// testNotebook exports a notebook that stands in a folder with one file and runs the tests.
func testNotebook(t *testing.T, n *nb.Notebook, o TestOptions) (*TestReport, error) {
	t.Helper()
	source, dir := t.TempDir(), t.TempDir()
	file := filepath.Join(source, "n.ipynb")
	if err := n.WriteFile(file); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"data.csv", "old.ledger", ".hidden"} {
		if err := os.WriteFile(filepath.Join(source, name), []byte("of the user"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p, err := Notebook(n, Options{Name: "n.ipynb", Path: file})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.WriteDir(dir); err != nil {
		t.Fatal(err)
	}
	if err := WriteModule(t.Context(), n, dir, "."); err != nil {
		t.Fatal(err)
	}
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	report, err := Test(t.Context(), p, dir, o)
	if left, _ := os.ReadDir(tmp); len(left) > 0 {
		t.Errorf("%d temporary folders are left, such as %s", len(left), left[0].Name())
	}
	var names []string
	entries, _ := os.ReadDir(source)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := []string{".hidden", "data.csv", "n.ipynb", "old.ledger"}; !slices.Equal(names, want) {
		t.Errorf("the notebook's folder holds %q, want %q", names, want)
	}
	if data, _ := os.ReadFile(filepath.Join(source, "data.csv")); string(data) != "of the user" {
		t.Errorf("the user's file holds %q", data)
	}
	return report, err
}

// TestFixtures: the tests of what an export writes into a module pass there, as it stands. Those of modules of their own are run by what
// follows, and by the tests of nb test.
func TestFixtures(t *testing.T) {
	for _, name := range fixtureNames(t) {
		t.Run(name, func(t *testing.T) {
			inFixtures.Lock()
			defer inFixtures.Unlock()
			p, _ := exportFixture(t, name)
			report, err := Test(t.Context(), p, filepath.Join(fixtures, name), TestOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range report.Tests {
				if r.Status == "fail" {
					t.Errorf("%s %v: %s", r.Name, r.Where, r.Output)
				}
			}
			if report.Build != "" || report.Ran < 2 || report.Ran < p.Tests-1 { // a benchmark does not run
				t.Errorf("%d of %d tests ran: %s", report.Ran, p.Tests, report.Build)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(fixtures, "made.tmp")); err == nil {
		t.Error("a cell wrote into the notebook's folder")
	}
}

// TestFailures: every way to fail is a failure, at its place in the notebook.
func TestFailures(t *testing.T) {
	n := cells(
		"import (\n\t\"errors\"\n\t\"flag\"\n\t\"fmt\"\n\t\"math/rand\"\n\t\"os\"\n\t\"testing\"\n\t\"time\"\n)",
		"func check(err error) {\n\tif err != nil {\n\t\tpanic(err)\n\t}\n}",
		"%%\nfmt.Println(\"other\")",
		"%%\nif true {   \n\n\n\n\n\tcheck(errors.New(\"boom\")) }",
		"%%\nos.Exit(4)",
		"//| exit: 5\n%%\nos.Exit(4)",
		"//| exit: any\n%%",
		"//| exit: any\n%%\nfmt.Println()",
		"//| timeout: 300ms\n%%\ntime.Sleep(time.Minute)",
		"func TestOwn(t *testing.T) {\n\tt.Run(\"sub\", func(t *testing.T) {\n\t\tt.Error(\"own\")\n\t})\n}\n%test",
		"%% -x\nflag.Usage()",
		"//| output: contains never\n%%\nfmt.Println(1)",
		"//| output: regexp ^x$\n%%\nfmt.Println(1)",
		"//| output: unordered\n%%\nfmt.Println(\"a\\nb\")",
		"//| output: approx=0.01\n%%\nfmt.Println(1.2)",
		"%%\nif os.Getenv(\"GONB_PIPE\") == \"\" {\n\tpanic(1)\n}",
		"//| output: approx=0.01\n%%\nfmt.Println(\"x 1.001 y\")",
		"%%\nerr := os.WriteFile(\"data.csv\", nil, 0o600)\n_, ledger := os.Stat(\"old.ledger\")\n_, hidden := os.Stat(\".hidden\")\nfmt.Println(err, ledger, os.IsNotExist(hidden))",
		"//| seed: 7\n%%\nfmt.Println(rand.Int(), os.Getenv(\"NB_SEED\"))",
	)
	for i, text := range map[int]string{2: "one\n", 13: "b\nc\n", 14: "1.3\n", 15: "\n", 16: "x 1 y", 17: "<nil> <nil> true\n", 18: fmt.Sprintln(rand.New(rand.NewSource(7)).Int(), 7)} {
		n.Cells[i].Outputs = []nb.Output{{Type: "stream", Name: "stdout", Text: text}}
		n.Cells[i].ExecutionCount = 1
	}
	var seen []string
	report, err := testNotebook(t, n, TestOptions{Done: func(r TestResult) { seen = append(seen, r.Name) }})
	if err != nil {
		t.Fatal(err)
	}
	if report.Build != "" {
		t.Fatal(report.Build)
	}
	got := map[string]TestResult{}
	for _, r := range report.Tests {
		got[r.Name] = r
	}
	wants := []struct {
		name  string
		where Position
		text  string
	}{
		{"TestCell03", Position{3, 0}, `got  "other"` + "\n          want \"one\""},
		{"TestCell04", Position{4, 7}, "panic: boom"},
		{"TestCell05", Position{5, 0}, "exit status 4, want 0"},
		{"TestCell06", Position{6, 0}, "exit status 4, want 5"},
		{"TestCell08", Position{8, 0}, "exit status 0, want another one than 0"},
		{"TestCell09", Position{9, 0}, "longer than 300ms"},
		{"TestOwn", Position{10, 3}, "own"},
		{"TestCell11", Position{11, 0}, "flag provided but not defined: -x"},
		{"TestCell12", Position{12, 0}, "want in it: never"},
		{"TestCell13", Position{13, 0}, "want a match of ^x$"},
		{"TestCell14", Position{14, 0}, `got  "a"`},
		{"TestCell15", Position{15, 0}, `got  "1.2"`},
	}
	for _, want := range wants {
		r := got[want.name]
		if r.Status != "fail" || r.Where != want.where || !strings.Contains(r.Output, want.text) || strings.Contains(r.Output, goFile) {
			t.Errorf("%s: %q at %v, want a failure at %v with %q in\n%s", want.name, r.Status, r.Where, want.where, want.text, r.Output)
		}
	}
	for _, name := range []string{"TestCell16", "TestCell17", "TestCell18", "TestCell19"} {
		if got[name].Status != "pass" {
			t.Errorf("%s: %s", name, got[name].Output)
		}
	}
	if report.Failed != len(wants) || len(seen) != len(report.Tests) {
		t.Errorf("%d failed, want %d; %d of %d reported", report.Failed, len(wants), len(seen), len(report.Tests))
	}
	if got["TestCell09"].Elapsed > time.Minute {
		t.Error("the timeout did not end the cell")
	}
}

func TestBuildFailure(t *testing.T) {
	for _, tc := range []struct {
		name  string
		cells []string
		where Position
		want  string
	}{
		{"undefined", []string{"var x = 1", "%%\n\n  print( 1)\nundefined()"}, Position{2, 4}, "undefined: undefined"},
		{"in a declaration", []string{"\n// doc\nfunc f() int {\n}", "%%"}, Position{1, 4}, "missing return"},
		{"second epoch", []string{"func f() {}", "%%\nf()", "func f(x int) {}\n%%\nf()"}, Position{3, 3}, "not enough arguments"},
		{"vet", []string{"import \"fmt\"\n%%\n\nfmt.Printf(\"%d\\n\", \"x\")"}, Position{1, 4}, "wrong type string"},
		{"panic while variables are set", []string{"import \"os\"\nfunc f() int {\n\tos.Exit(7)\n\treturn 1\n}\nvar x = f()", "%%"}, Position{}, "exit status 7"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			report, err := testNotebook(t, cells(tc.cells...), TestOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if report.Where != tc.where || !strings.Contains(report.Build, tc.want) {
				t.Errorf("got %v: %s\nwant %v: %s", report.Where, report.Build, tc.where, tc.want)
			}
		})
	}
}

// TestNothingRan: a test run without tests is a failure.
func TestNothingRan(t *testing.T) {
	for _, tc := range []struct {
		name, run string
		cells     []string
	}{
		{"no cell runs", "", []string{"var x = 1"}},
		{"nothing matches", "Nothing", []string{"%%\nprintln(1)"}},
		{"all are skipped", "", []string{"//| skip\n%%\nprintln(1)"}},
		{"a shell cell", "", []string{"%%bash\ntrue"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if report, err := testNotebook(t, cells(tc.cells...), TestOptions{Run: tc.run}); !errors.Is(err, ErrNoTests) {
				t.Errorf("got %+v, %v, want ErrNoTests", report, err)
			}
		})
	}
}

func TestWriteDir(t *testing.T) {
	p, err := Notebook(stored(cells("func f() {}", "%%\nprintln(1)", "func f() { println() }\n%%\nf()"), "x"), Options{Name: "n.ipynb"})
	if err != nil {
		t.Fatal(err)
	}
	small, err := Notebook(cells("%%\nprintln(1)"), Options{Name: "n.ipynb"})
	if err != nil {
		t.Fatal(err)
	}
	put := func(file string) func(string) error {
		return func(dir string) error {
			file := filepath.Join(dir, file)
			return errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte("package mine\n"), 0o600))
		}
	}
	for _, tc := range []struct {
		name string
		put  func(string) error
		want string // kept beside notebook_test.go, "" where the export is refused
	}{
		{"module", put("go.mod"), "go.mod"},
		{"own test data", put("testdata/fuzz/x"), "testdata"},
		{"own code", put("mine.go"), ""},
		{"own code in an epoch", put("e02/mine.go"), ""},
		{"not an export", put(goFile), ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "a", "b")
			if err := p.WriteDir(dir); err != nil {
				t.Fatal(err)
			}
			if err := tc.put(dir); err != nil {
				t.Fatal(err)
			}
			err := small.WriteDir(dir)
			entries, _ := os.ReadDir(dir)
			var names []string
			for _, e := range entries {
				names = append(names, e.Name())
			}
			if tc.want == "" {
				if _, stat := os.Stat(filepath.Join(dir, "e02", goFile)); !errors.Is(err, ErrOccupied) || stat != nil {
					t.Errorf("got %v and %q, want ErrOccupied and nothing removed", err, names)
				}
				return
			}
			want := []string{goFile, tc.want}
			slices.Sort(want)
			slices.Sort(names)
			if err != nil || !slices.Equal(names, want) {
				t.Errorf("got %v and %q, want %q", err, names, want)
			}
		})
	}
}

func TestFetches(t *testing.T) {
	n := cells("!*go get example.com/a@v1.2.3 example.com/b/v2@v2.0.0 example.com/c\n!go get example.com/d@v1.0.0\n!*go install example.com/e@v1.0.0",
		"!*go get -u example.com/f@latest; rm -r x")
	if got, want := fetches(n), []string{"example.com/a@v1.2.3", "example.com/b/v2@v2.0.0"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
