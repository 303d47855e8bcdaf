package export

import (
	"context"
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
func testNotebook(t *testing.T, n *nb.Notebook, o TestOptions) (report *TestReport, err error) {
	t.Helper()
	source := userFolder(t, n)
	dir := t.TempDir()
	p := exportFrom(t, n, source)
	if err := p.WriteDir(dir); err != nil {
		t.Fatal(err)
	}
	if err := WriteModule(t.Context(), n, dir, "."); err != nil {
		t.Fatal(err)
	}
	leavesNothing(t, func() { report, err = Test(t.Context(), p, dir, o) }, source)
	return report, err
}

// testNotebooks does the same with several notebooks at once.
func testNotebooks(t *testing.T, list []*nb.Notebook, o TestOptions) (reports []*TestReport, errs []error) {
	t.Helper()
	var sources []string
	dir := t.TempDir()
	together := InOne(dir)
	for _, n := range list {
		source := userFolder(t, n)
		sources = append(sources, source)
		if err := together.Add(exportFrom(t, n, source)); err != nil {
			t.Fatal(err)
		}
	}
	if err := WriteModule(t.Context(), list[0], dir, "."); err != nil {
		t.Fatal(err)
	}
	leavesNothing(t, func() {
		err := together.Test(t.Context(), o, func(i int, r *TestReport, err error) {
			if i != len(reports) {
				t.Errorf("told of notebook %d, want %d", i, len(reports))
			}
			reports, errs = append(reports, r), append(errs, err)
		})
		if err != nil {
			t.Fatal(err)
		}
	}, sources...)
	if len(reports) != len(list) {
		t.Fatalf("told of %d notebooks, want %d", len(reports), len(list))
	}
	return reports, errs
}

// userFolder is a folder with a notebook and other files.
func userFolder(t *testing.T, n *nb.Notebook) (source string) {
	t.Helper()
	source = t.TempDir()
	if err := n.WriteFile(filepath.Join(source, "n.ipynb")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"data.csv", "old.ledger", ".hidden"} {
		if err := os.WriteFile(filepath.Join(source, name), []byte("of the user"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return source
}

func exportFrom(t *testing.T, n *nb.Notebook, source string) *Package {
	t.Helper()
	p, err := Notebook(n, Options{Name: "n.ipynb", Path: filepath.Join(source, "n.ipynb")})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// leavesNothing looks at the users' folders and the temporary one after a test run.
func leavesNothing(t *testing.T, run func(), sources ...string) {
	t.Helper()
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	run()
	if left, _ := os.ReadDir(tmp); len(left) > 0 {
		t.Errorf("%d temporary folders are left, such as %s", len(left), left[0].Name())
	}
	for _, source := range sources {
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
	}
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

// TestSeveral: notebooks that are tested together have a folder each, which their epochs share. What does not build is told of at its place
// in the notebook, and one of which no test ran is a failure, whatever else is tested with it.
func TestSeveral(t *testing.T) {
	const imports = "import (\n\t\"fmt\"\n\t\"os\"\n)"
	const put, exists = "%%%%\nos.WriteFile(%q, nil, 0o600)", "%%%%\n_, err := os.Stat(%q)\nfmt.Println(err == nil)"
	cases := []struct {
		name        string
		n           *nb.Notebook
		ran, failed int
		where       Position // of the failure
		says        string   // the compiler, or the test that fails
		err         error
	}{
		{"epochs", stored(cells(imports, "func f() {}\n"+fmt.Sprintf(put, "one"), "func f(x int) {}\n"+fmt.Sprintf(exists, "one")), "true\n"), 2, 0, Position{}, "", nil},
		{"undefined", cells("var x = 1", "%%\n\n  print( 1)\nundefined()"), 0, 0, Position{2, 4}, "undefined: undefined", nil},
		{"in a declaration", cells("\n// doc\nfunc f() int {\n}", "%%"), 0, 0, Position{1, 4}, "missing return", nil},
		{"another folder, other output", stored(cells(imports, fmt.Sprintf(exists, "one")), "true\n"), 1, 1, Position{2, 0}, `got  "false"`, nil},
		{"second epoch", cells("func f() {}", "%%\nf()", "func f(x int) {}\n%%\nf()"), 1, 0, Position{3, 3}, "not enough arguments", nil},
		{"vet", cells("import \"fmt\"\n%%\n\nfmt.Printf(\"%d\\n\", \"x\")"), 0, 0, Position{1, 4}, "wrong type string", nil},
		{"panic while variables are set", cells("import \"os\"\nfunc f() int {\n\tos.Exit(7)\n\treturn 1\n}\nvar x = f()", "%%"), 0, 0, Position{}, "exit status 7", nil},
		{"no cell runs", cells("var x = 1"), 0, 0, Position{}, "", ErrNoTests},
		{"all are skipped", cells("//| skip\n%%\nprintln(1)"), 0, 0, Position{}, "", ErrNoTests},
		{"a shell cell", cells("%%bash\ntrue"), 0, 0, Position{}, "", ErrNoTests},
	}
	var list []*nb.Notebook
	for _, tc := range cases {
		list = append(list, tc.n)
	}
	reports, errs := testNotebooks(t, list, TestOptions{})
	for i, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			report, where, says := reports[i], reports[i].Where, reports[i].Build
			for _, r := range report.Tests {
				if r.Status == "fail" {
					where, says = r.Where, r.Output
				}
			}
			if !errors.Is(errs[i], tc.err) || report.Ran != tc.ran || report.Failed != tc.failed || where != tc.where || !strings.Contains(says, tc.says) || (tc.says == "") != (says == "") {
				t.Errorf("got %+v at %v: %s (%v)\nwant %+v", report, where, says, errs[i], tc)
			}
		})
	}
	if last := reports[0].Tests[len(reports[0].Tests)-1]; last.Epoch != "e02" || last.Where.Cell != 3 {
		t.Errorf("the second epoch's test is %+v", last)
	}

	t.Run("stopped", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		together := InOne(t.TempDir())
		for _, n := range list[:2] {
			if err := together.Add(exportFrom(t, n, userFolder(t, n))); err != nil {
				t.Fatal(err)
			}
		}
		told := 0
		err := together.Test(ctx, TestOptions{}, func(i int, _ *TestReport, err error) {
			if told++; i != 0 || !errors.Is(err, context.Canceled) {
				t.Errorf("of notebook %d: %v, want context.Canceled", i+1, err)
			}
		})
		if err == nil && told != 1 {
			t.Errorf("told of %d notebooks, want the first", told)
		}
	})
}

// TestBuildFailure: what does not build is told of at its place in the notebook.
func TestBuildFailure(t *testing.T) {
	report, err := testNotebook(t, cells("var x = 1", "%%\n\n  print( 1)\nundefined()"), TestOptions{})
	if err != nil || report.Where != (Position{2, 4}) || !strings.Contains(report.Build, "undefined: undefined") {
		t.Errorf("got %v: %s (%v), want what is undefined in cell 2 line 4", report.Where, report.Build, err)
	}
}

// TestNothingRan: a test run without tests is a failure.
func TestNothingRan(t *testing.T) {
	if report, err := testNotebook(t, cells("%%\nprintln(1)"), TestOptions{Run: "Nothing"}); !errors.Is(err, ErrNoTests) {
		t.Errorf("got %+v, %v, want ErrNoTests", report, err)
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
