package kernel

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

// TestBundle: cells print what they print when each is built by itself, whether they share a program or stand in the way of one.
func TestBundle(t *testing.T) {
	if runtime.GOOS == "darwin" {
		t.Skip("no programs of several cells on macOS")
	}
	log := filepath.Join(t.TempDir(), "log")
	n := codeCells(
		"func f() int { return 1 }\nvar count int",
		"%%\ncount += f()\nfmt.Println(count)",
		"%%\ncount += f()\nfmt.Println(count)\nos.Exit(3)",
		"%args -n 5\nvar n = flag.Int(\"n\", 4, \"\")\n%%\nfmt.Println(*n, flag.Args())",
		"//\n%% -n 6 rest\nfmt.Println(flag.Args(), *n)",
		"func f() int { return 2 }\n%%\nfmt.Println(f())",
		"%%\nfmt.Println(undefined)",
		"%%\nfmt.Println(f() + 1)",
	)
	for _, i := range []int{2, 6} {
		n.Cells[i].Metadata = map[string]json.RawMessage{"tags": json.RawMessage(`["` + tagRaises + `"]`)}
	}
	report, err := testRun(t, t.Context(), n, Options{Bundle: t.TempDir(), Env: []string{"DPNB_CELLGO_LOG=" + log}})
	if err != nil || !report.Bundled {
		t.Fatalf("bundled %v, %v", report.Bundled, err)
	}
	for i, want := range []string{"", "1\n", "1\n", "4 []\n", "[rest] 6\n", "2\n", "", "3\n"} {
		if got := outputText(n.Cells[i]); i != 6 && !strings.HasPrefix(got, want) {
			t.Errorf("cell %d prints %q, want %q", i+1, got, want)
		}
	}
	if e := report.Cells[2].Err; e == nil || !strings.Contains(e.Error(), "exit status 3") {
		t.Errorf("an exit: %v", e)
	}
	if e := report.Cells[6].Err; e == nil || !strings.Contains(e.Error(), "undefined: undefined") {
		t.Errorf("a mistake: %v", e)
	}
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	got := slices.DeleteFunc(lines, func(s string) bool { return s != "bundled" })
	if len(got) != 7 {
		t.Errorf("%d cells were built before, want all but the mistake", len(got))
	}
}

// TestBundles: a notebook that does something beside its programs runs once.
func TestBundles(t *testing.T) {
	for _, tc := range []struct {
		cells []string
		want  bool
	}{
		{[]string{"%%\nf()", "//gonb:%%\ng()"}, true},
		{[]string{"%%\nf()"}, false},
		{[]string{"%%\nf()", "%env A b\n%args x\n%exec f"}, true},
		{[]string{"%%\nf()", "%env GOFLAGS=-race"}, false},
		{[]string{"%%\nf()", "!ls"}, false},
		{[]string{"%%\nf()", "//gonb:!ls"}, false},
		{[]string{"%%\nf()", "%%bash\nls"}, false},
		{[]string{"%%\nf()", "%goflags -race"}, false},
		{[]string{"%%\nf()", "%test\nfunc TestF(t *testing.T) {}"}, false},
		{[]string{"%%\nf()", "%"}, false},
		{[]string{"%%\nf()", "g()\n//gonb:"}, true},
		{[]string{"%%\nf()", "%env \"GOFLAGS\" -race"}, false},
		{[]string{"%%\nf()", "%env XDG_CONFIG_HOME=other"}, false},
		{[]string{"%%\nf()", "%env CC=clang"}, false},
		{[]string{"%%\nf()", "%env CCS=b"}, true},
		{nil, false},
	} {
		if got := bundles(codeCells(tc.cells...)); got != tc.want {
			t.Errorf("%q: %v, want %v", tc.cells, got, tc.want)
		}
	}
	n := codeCells("%%\nf()", "%%\ng()")
	n.Cells = append(n.Cells, &nb.Cell{Type: "markdown", Source: "!"})
	if !bundles(n) {
		t.Error("a text stands in the way")
	}
}
