package kernel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

// The tests share one build of the kernel with those of other packages. It stays beside what the go command builds for the next time.
var testCache string

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

func testRun(t *testing.T, ctx context.Context, n *nb.Notebook, o Options) (*Report, error) {
	t.Helper()
	o.Cache = testCache
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	report, err := Run(ctx, n, o)
	if left, _ := os.ReadDir(tmp); len(left) > 0 {
		t.Errorf("%d temporary folders are left, such as %s", len(left), left[0].Name())
	}
	return report, err
}

func codeCells(sources ...string) *nb.Notebook {
	n := &nb.Notebook{NBFormat: 4, NBFormatMinor: 5}
	for _, s := range sources {
		n.Cells = append(n.Cells, &nb.Cell{Type: "code", Source: s})
	}
	return n
}

// outputText joins what the streams of a cell hold.
func outputText(c *nb.Cell) string {
	var b strings.Builder
	for _, o := range c.Outputs {
		b.WriteString(o.Text)
	}
	return b.String()
}

func TestRunOutcomes(t *testing.T) {
	cases := []struct {
		name, source string
		tags         string
		status       Status
		line         int
		err          error
		reason       string // in the error
		text         string // in the stored streams
	}{
		{name: "trivial", source: "%%\nfmt.Println(\"one\")\nfmt.Println(\"two\")", status: OK, text: "one\ntwo\n"},
		{name: "declaration only", source: "func double(x int) int { return 2 * x }", status: OK},
		{name: "uses a declaration", source: "%%\nfmt.Println(double(21))", status: OK, text: "42\n"},
		{name: "environment", source: "!echo $NB_TEST; test \"$PWD\" = \"$GONB_DIR\"", status: OK, text: "from the option\n"},
		{name: "pinned tools", source: "!command -v goimports", status: OK, text: "goimports\n"},
		{name: "compile error", source: "%%\nfmt.Println(\"x\")\nundefinedName()", status: Failed, line: 3, err: ErrCell, reason: "undefined: undefinedName"},
		{name: "panic", source: "%%\nif true {\n\tpanic(\"boom\")\n}", status: Failed, line: 3, err: ErrCell, reason: "panic: boom"},
		{name: "exit status", source: "%%\nos.Exit(4)", status: Failed, err: ErrCell, reason: "exit status 4"},
		{name: "expected failure", source: "%%\nos.Exit(4)", tags: `["raises-exception"]`, status: ExpectedFailure, err: ErrCell, reason: "exit status 4"},
		{name: "skipped", source: "%%\nos.Exit(4)", tags: `["skip-execution"]`, status: Skipped},
		{name: "shell line fails", source: "!true\n!echo why >&2; exit 3\n!true", status: Failed, line: 2, err: ErrCell, reason: "exit status 3\nwhy"},
		{name: "shell line in the kernel's folder fails", source: "!*false", status: Failed, line: 1, err: ErrCell, reason: "exit status 1"},
		{name: "shell line fails before Go", source: "!false\n%%\nfmt.Println(1)", status: Failed, line: 1, err: ErrCell, reason: "exit status 1"},
		{name: "shell replaced", source: "!true\n!exec false", status: Failed, line: 2, err: ErrCell, reason: "exit status 1"},
		{name: "shell killed", source: "!kill -9 $$", status: Failed, line: 1, err: ErrCell, reason: "signal: killed"},
		{name: "shell with a trap of its own", source: "!trap true EXIT; false", status: Failed, line: 1, err: ErrCell, reason: "exit status 1"},
		{name: "shell only prints the message", source: "!echo 'exit status 1' >&2; sleep 0.1", status: OK, text: "exit status 1\n"},
		{name: "continued shell line", source: "!echo a; \\\n  exit 2", status: Failed, line: 1, err: ErrCell, reason: "exit status 2"},
		{name: "bash cell", source: "%%bash\necho x\nexit 5", status: Failed, line: 1, err: ErrCell, reason: "exit status 5", text: "x\n"},
		{name: "sh cell", source: "%%sh\nexit 5", status: Failed, line: 1, err: ErrCell, reason: "exit status 5"},
		{name: "no such script", source: "%%script no-such-program\nx", status: Failed, err: ErrCell, reason: "no-such-program"},
		{name: "writefile", source: "%%writefile /no/such/folder/file\nx", status: Failed, err: ErrCell, reason: "no such file"},
		{name: "unknown command", source: "%nosuchcommand x", status: Failed, line: 1, err: ErrCell, reason: "GoNB does not know %nosuchcommand"},
		{name: "input for a shell", source: "%with_inputs\n!read x; echo got $x", status: Failed, err: ErrInput, reason: "replace the question"},
		{name: "nobody reads", source: "%%bash\nsleep 0.8 | cat\ncat\necho the end of the script", status: OK, text: "the end of the script\n"},
		{name: "still alive", source: "%%\nfmt.Println(double(4))", status: OK, text: "8\n"},
	}
	n := codeCells()
	for _, tc := range cases {
		c := &nb.Cell{Type: "code", Source: tc.source}
		if tc.tags != "" {
			c.Metadata = map[string]json.RawMessage{"tags": json.RawMessage(tc.tags)}
		}
		n.Cells = append(n.Cells, c)
	}
	report, err := testRun(t, t.Context(), n, Options{
		KeepGoing: true, Env: []string{"NB_TEST=from the option"}, Dir: t.TempDir(),
	})
	failed := 0
	for i, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			got := report.Cells[i]
			if got.Index != i || got.Status != tc.status {
				t.Errorf("cell %d is %q, want cell %d %q (%v)", got.Index, got.Status, i, tc.status, got.Err)
			}
			if text := outputText(n.Cells[i]); !strings.Contains(text, tc.text) {
				t.Errorf("output %q, want %q in it", text, tc.text)
			}
			if tc.status == Failed {
				failed++
				if !errors.Is(err, got.Err) {
					t.Errorf("the error of the run does not hold the error of the cell")
				}
			}
			if tc.err == nil {
				if got.Err != nil {
					t.Errorf("unexpected error %v", got.Err)
				}
				return
			}
			var cell *CellError
			if !errors.As(got.Err, &cell) || !errors.Is(got.Err, tc.err) || !strings.Contains(got.Err.Error(), tc.reason) {
				t.Fatalf("error %v, want a CellError of %v with %q", got.Err, tc.err, tc.reason)
			}
			if cell.Cell != i+1 || cell.Line != tc.line {
				t.Errorf("error at cell %d line %d, want cell %d line %d", cell.Cell, cell.Line, i+1, tc.line)
			}
		})
	}
	if report.Failed != failed {
		t.Errorf("report.Failed = %d, want %d", report.Failed, failed)
	}
	first := n.Cells[0]
	if len(first.Outputs) != 1 || first.ExecutionCount != 1 {
		t.Errorf("%d outputs with count %d, want one merged stream with count 1", len(first.Outputs), first.ExecutionCount)
	}
	if report.Start <= 0 || report.Cells[0].FirstOutput <= 0 || report.Cells[0].FirstOutput > report.Cells[0].Duration {
		t.Errorf("durations: start %v, first output %v of %v", report.Start, report.Cells[0].FirstOutput, report.Cells[0].Duration)
	}
}

// TestRunRefusesInput: a cell that reads its standard input, itself or through what it starts, is ended at once and told why; the next
// one runs.
func TestRunRefusesInput(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells what a process waits for")
	}
	n := codeCells(
		"%%\nvar s string\nfmt.Scanln(&s)\nfmt.Println(\"got\", s)",
		"!read x; echo got $x",
		"%%\nc := exec.Command(\"cat\")\nc.Stdin = os.Stdin\nfmt.Println(c.Run())",
		"%%\ngo func() { for range 100 { time.Sleep(10 * time.Millisecond) } }()\nbufio.NewReader(os.Stdin).ReadString('x')",
		"%%\ntime.Sleep(time.Second)\nfmt.Println(\"slept\")",
	)
	report, err := testRun(t, t.Context(), n, Options{KeepGoing: true})
	for i := range 4 {
		var cell *CellError
		if got := report.Cells[i].Err; !errors.As(got, &cell) || !errors.Is(got, ErrInput) || !strings.Contains(got.Error(), "it reads standard input: replace the question") {
			t.Errorf("cell %d: got %v, want a refusal of input", i+1, got)
		}
		if text := outputText(n.Cells[i]); strings.Contains(text, "got") {
			t.Errorf("cell %d went on: %q", i+1, text)
		}
	}
	if report.Cells[4].Status != OK || outputText(n.Cells[4]) != "slept\n" || report.Failed != 4 {
		t.Errorf("the last cell printed %q, %d failed (%v)", outputText(n.Cells[4]), report.Failed, err)
	}
}

func TestRunDisplay(t *testing.T) {
	n, err := nb.ReadFile("testdata/run/display.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	_, err = testRun(t, t.Context(), n, Options{Dir: "testdata/run"})
	if !errors.Is(err, ErrInput) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v, want only the refusal of input in the last cell", err)
	}
	// Text and rich output reach the kernel on two pipes: their order is not fixed.
	var text, html, png string
	for _, o := range n.Cells[1].Outputs {
		text += o.Text
		html += string(o.Data["text/html"])
		png += string(o.Data["image/png"])
	}
	if len(n.Cells[1].Outputs) != 3 || text != "before\n" || !strings.Contains(html, "bold") || !strings.HasPrefix(png, `"iVBORw0KGgo`) {
		t.Errorf("%d outputs: stream %q, HTML %s, PNG %.30s", len(n.Cells[1].Outputs), text, html, png)
	}
	// The update of a later cell changes the display of the earlier one and shows nothing itself.
	if got := string(n.Cells[2].Outputs[0].Data["text/html"]); got != `"second"` || len(n.Cells[2].Outputs) != 1 || len(n.Cells[3].Outputs) != 0 {
		t.Errorf("updated display %s, %d and %d outputs", got, len(n.Cells[2].Outputs), len(n.Cells[3].Outputs))
	}
}

func TestRunStopsAtFirstFailure(t *testing.T) {
	n := codeCells("!false", "!echo not reached", "")
	n.Cells[1].Outputs = []nb.Output{{Type: "stream", Name: "stdout", Text: "stale"}}
	n.Cells[1].ExecutionCount = 7
	var events []EventKind
	report, err := testRun(t, t.Context(), n, Options{Progress: func(e Event) {
		if e.Kind != Note {
			events = append(events, e.Kind)
		}
	}})
	var cell *CellError
	if !errors.As(err, &cell) || cell.Cell != 1 {
		t.Errorf("got %v, want the failure of cell 1", err)
	}
	if len(report.Cells) != 2 || report.Cells[1].Status != Skipped {
		t.Errorf("report %+v, want two cells, the second skipped", report.Cells)
	}
	if len(n.Cells[1].Outputs) != 0 || n.Cells[1].ExecutionCount != 0 {
		t.Error("a cell that was not reached keeps the outputs of an earlier run")
	}
	if want := []EventKind{CellStart, CellOutput, CellEnd}; fmt.Sprint(events) != fmt.Sprint(want) {
		t.Errorf("events %v, want %v", events, want)
	}
}

func TestRunTimeout(t *testing.T) {
	n := codeCells("!echo begun; sleep 60\n!sleep 60", "!echo alive")
	report, err := testRun(t, t.Context(), n, Options{KeepGoing: true, Timeout: time.Second})
	if !errors.Is(err, ErrTimeout) || !strings.Contains(err.Error(), "interrupted after 1s") || report.Failed != 1 {
		t.Errorf("got %v and %d failed, want one ErrTimeout", err, report.Failed)
	}
	if a, b := outputText(n.Cells[0]), outputText(n.Cells[1]); !strings.HasPrefix(a, "begun\n") || b != "alive\n" {
		t.Errorf("outputs %q and %q", a, b)
	}
}

// TestRestart: with KeepGoing, the cells behind one that kills the kernel run on a new one, which knows
// the declarations and settings of the cells before it, and nothing of a cell is run again.
func TestRestart(t *testing.T) {
	dir := t.TempDir()
	n := codeCells(
		"//| timeout: 50s\n!echo once >>log\n!*echo mark >mark\n%noautoget\n%env NB_RESTART set\nfunc half(x int) int { return x / 2 }",
		"%%\nfmt.Println(half(20))\nos.WriteFile(\"ran\", []byte(\"x\"), 0o600)",
		"!rm ran; kill -9 $PPID",
		"%%\n_, err := os.Stat(\"ran\")\nfmt.Println(half(8), os.Getenv(\"NB_RESTART\"), err != nil)",
		"//| timeout: 500ms\n!sleep 60",
		"!cat log\n!*cat mark",
	)
	var notes []string
	report, err := testRun(t, t.Context(), n, Options{Dir: dir, KeepGoing: true, Timeout: time.Minute, Progress: func(e Event) {
		if e.Kind == Note && strings.Contains(e.Text, "again") {
			notes = append(notes, e.Text)
		}
	}})
	if !errors.Is(err, ErrUnavailable) || !errors.Is(err, ErrTimeout) || report.Failed != 2 || len(notes) != 1 {
		t.Errorf("got %v, %d failed and %d restarts, want ErrUnavailable, ErrTimeout and one restart", err, report.Failed, len(notes))
	}
	if a, b := outputText(n.Cells[1]), outputText(n.Cells[3]); a != "10\n" || b != "4 set true\n" {
		t.Errorf("outputs %q and %q", a, b)
	}
	if got := outputText(n.Cells[5]); got != "once\nmark\n" {
		t.Errorf("the log holds %q", got)
	}
	if err == nil || !strings.Contains(err.Error(), "interrupted after 500ms") {
		t.Errorf("the cell's own limit does not count: %v", err)
	}
}

func TestRunawayOutput(t *testing.T) {
	n := codeCells("!yes 'a line that a loop prints again and again' | head -c 17000000; sleep 60")
	_, err := testRun(t, t.Context(), n, Options{})
	if !errors.Is(err, ErrOutput) {
		t.Errorf("got %v, want ErrOutput", err)
	}
}

func TestRunCancelledBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := testRun(t, ctx, codeCells("!true"), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func TestRunRefusals(t *testing.T) {
	python := codeCells("print(1)")
	python.Metadata = map[string]json.RawMessage{"kernelspec": json.RawMessage(`{"name":"python3","language":"python"}`)}
	skipped := codeCells("%%")
	skipped.Cells[0].Metadata = map[string]json.RawMessage{"tags": json.RawMessage(`["skip-execution"]`)}
	for _, tc := range []struct {
		name string
		n    *nb.Notebook
		o    Options
		want error
	}{
		{"no cells", codeCells(), Options{}, ErrNoCode},
		{"only empty cells", codeCells(" \n"), Options{}, ErrNoCode},
		{"only skipped cells", skipped, Options{}, ErrNoCode},
		{"Python", python, Options{}, ErrLanguage},
		{"no folder", codeCells("%%"), Options{Dir: "testdata/none"}, ErrUnavailable},
		{"bad limit", codeCells("//| timeout: 5\n%%"), Options{}, ErrTimeLimit},
	} {
		t.Run(tc.name, func(t *testing.T) {
			report, err := testRun(t, t.Context(), tc.n, tc.o)
			if !errors.Is(err, tc.want) || report == nil || report.Start != 0 {
				t.Errorf("got %v, want %v and an empty report", err, tc.want)
			}
		})
	}
	t.Run("no Go", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		if _, err := testRun(t, t.Context(), codeCells("%%"), Options{}); !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), "go.dev/dl") {
			t.Errorf("got %v, want ErrUnavailable and where to get Go", err)
		}
	})
}

// Cells of two processes that both ignore the interrupt, and write their ids and the kernel's.
const stubbornShell = `!trap '' INT; sleep 600 & echo $$ $PPID $! >ids.tmp; mv ids.tmp ids; while :; do wait; done`

const stubborn = `import ("os"; "os/exec"; "os/signal"; "fmt"; "time")
%%
signal.Ignore(os.Interrupt)
child := exec.Command("sleep", "600")
if err := child.Start(); err != nil {
	panic(err)
}
ids := fmt.Sprintln(os.Getpid(), os.Getppid(), child.Process.Pid)
if err := os.WriteFile("ids.tmp", []byte(ids), 0o600); err != nil {
	panic(err)
}
os.Rename("ids.tmp", "ids")
for {
	time.Sleep(time.Second)
}`

func TestNoProcessIsLeft(t *testing.T) {
	for _, tc := range []struct {
		name   string
		run    func(t *testing.T, n *nb.Notebook, dir string) error
		want   error
		source string
	}{
		{"timeout", func(t *testing.T, n *nb.Notebook, dir string) error {
			_, err := testRun(t, t.Context(), n, Options{Dir: dir, Timeout: time.Second, Grace: time.Second})
			return err
		}, ErrTimeout, stubbornShell},
		{"cancel", func(t *testing.T, n *nb.Notebook, dir string) error {
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				waitFor(t, "the cell", func() bool { return len(readIDs(dir)) > 0 })
				cancel()
			}()
			_, err := testRun(t, ctx, n, Options{Dir: dir, Grace: time.Second})
			return err
		}, context.Canceled, stubborn},
		{"kernel dies", func(t *testing.T, n *nb.Notebook, dir string) error {
			n.Cells = append(n.Cells, codeCells("!kill -9 $PPID").Cells...)
			_, err := testRun(t, t.Context(), n, Options{Dir: dir, KeepGoing: true, Timeout: 20 * time.Second})
			return err
		}, ErrUnavailable, "!(echo $PPID; sleep 600 >/dev/null 2>&1 & echo $!) >ids.tmp; mv ids.tmp ids"},
		{"background process", func(t *testing.T, n *nb.Notebook, dir string) error {
			_, err := testRun(t, t.Context(), n, Options{Dir: dir})
			return err
		}, nil, "!(echo $PPID; sleep 600 >/dev/null 2>&1 & echo $!) >ids.tmp; mv ids.tmp ids"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := tc.run(t, codeCells(tc.source), dir); !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
			ids := readIDs(dir)
			if len(ids) < 2 {
				t.Fatalf("the cell wrote the ids %v, want at least 2", ids)
			}
			waitFor(t, "the end of the processes", func() bool { return !anyAlive(ids) })
		})
	}
}

func readIDs(dir string) []int { return idsIn(filepath.Join(dir, "ids")) }

func idsIn(file string) (ids []int) {
	data, _ := os.ReadFile(file)
	for _, f := range strings.Fields(string(data)) {
		if id, err := strconv.Atoi(f); err == nil {
			ids = append(ids, id)
		}
	}
	return ids
}

func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	for range 600 {
		if done() {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("waited 30 s for %s", what)
}

func TestToolsAreBuiltOnce(t *testing.T) {
	all := toolPackages
	toolPackages = []string{"golang.org/x/tools/cmd/toolstash"} // a small one, of a module that the kernel needs too
	t.Cleanup(func() { toolPackages = all })
	root := t.TempDir()
	builds := make(chan string, 8)
	paths := make(chan string, 3)
	for range 3 {
		go func() {
			box := &toolbox{modules: []string{t.TempDir(), "."}, cache: root, note: func(s string) { builds <- s }}
			path, err := box.path(t.Context())
			if err != nil {
				t.Error(err)
			}
			paths <- path
		}()
	}
	first := <-paths
	for range 2 {
		if p := <-paths; p != first {
			t.Errorf("paths %s and %s", first, p)
		}
	}
	if !complete(first) {
		t.Errorf("%s is not complete", first)
	}
	if entries, _ := os.ReadDir(root); len(entries) != 1 {
		t.Errorf("%d entries in the cache, want 1", len(entries))
	}
	made := len(builds)
	box := &toolbox{modules: []string{"."}, cache: root, note: func(s string) { builds <- s }}
	if p, err := box.path(t.Context()); err != nil || p != first || len(builds) != made {
		t.Errorf("again: %s, %v, %d more builds", p, err, len(builds)-made)
	}
	t.Run("no cache", func(t *testing.T) {
		box := &toolbox{modules: []string{"."}, cache: "/dev/null/cache", note: func(string) {}}
		path, err := box.path(t.Context())
		if err != nil || !complete(path) {
			t.Fatalf("got %s, %v", path, err)
		}
		box.close()
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is left: %v", path, err)
		}
	})
	box = &toolbox{modules: []string{t.TempDir()}, cache: root}
	if _, err := box.path(t.Context()); !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), "go get -tool") {
		t.Errorf("without a module: %v, want ErrUnavailable and the fix", err)
	}
}

// TestToolsAreKnown: the build for a module is found without a list of its modules, until its go.mod changes.
func TestToolsAreKnown(t *testing.T) {
	find := func(dir string) (string, error) {
		box := &toolbox{modules: []string{dir}, cache: testCache, note: func(string) {}}
		return box.path(t.Context())
	}
	first, err := find(".")
	if err != nil {
		t.Fatal(err)
	}
	real, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	noList := t.TempDir()
	if err := os.WriteFile(filepath.Join(noList, "go"), []byte("#!/bin/sh\n[ \"$1\" != list ] || exit 9\nexec '"+real+"' \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", noList+string(filepath.ListSeparator)+os.Getenv("PATH"))
	if again, err := find("."); err != nil || again != first {
		t.Errorf("again: %s, %v, want %s", again, err, first)
	}
	root, copied := filepath.Join("..", "..", ".."), t.TempDir()
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(copied, name), append(data, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := find(copied); !errors.Is(err, ErrUnavailable) {
		t.Errorf("another go.mod: %v, want its modules to be listed", err)
	}
	t.Setenv("GOFLAGS", "-tags=other")
	if _, err := find("."); !errors.Is(err, ErrUnavailable) {
		t.Errorf("another setting: %v, want its modules to be listed", err)
	}
}
