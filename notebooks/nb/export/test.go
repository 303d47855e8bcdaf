package export

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dpkit-go/dpnb/notebooks/nb/celltest"
)

// ErrNoTests is wrapped where no test ran.
var ErrNoTests = errors.New("no test ran")

// TestOptions configures Test.
type TestOptions struct {
	Run  string           // regular expression of the tests to run, "" for all
	Env  []string         // NAME=value, beside the environment of the process
	Done func(TestResult) // called for each test as it ends; nil: no calls
}

// TestResult is the outcome of one test.
type TestResult struct {
	Name    string   // TestCell05, or of a function of the notebook
	Epoch   string   // "" or e02, …
	Where   Position // the cell; where it failed, with the line
	Status  string   // "pass", "fail" or "skip"
	Elapsed time.Duration
	Output  string // what the test said, with places in the notebook in place of those in the export
}

// TestReport is what go test said.
type TestReport struct {
	Tests  []TestResult
	Failed int
	Ran    int      // passed or failed
	Left   []string // files of the notebook's folder that the disk could not hold a copy of
	Build  string   // what the compiler said where the export did not build, with places in the notebook
	Where  Position
}

// Test runs go test on a package that WriteDir wrote to dir. The epochs run in order and share one copy
// of the notebook's folder. The error wraps ErrNoTests, or says why go test could not run; failing tests
// are in the report.
func Test(ctx context.Context, p *Package, dir string, o TestOptions) (*TestReport, error) {
	work, remove, err := celltest.Scratch(os.TempDir(), celltest.ScratchPrefix)
	if err != nil {
		return nil, err
	}
	defer remove()
	r := newReader(p, work, o.Done)
	says, err := goTest(ctx, dir, o, []string{celltest.EnvWork + "=" + work}, r.line)
	if errors.Is(err, ErrModule) {
		return nil, err
	}
	return r.outcome(ctx, err, says+r.shown(r.loose.String()), o)
}

// goTest runs go test in dir and hands on each line of its events. It returns what the go command says beside them.
func goTest(ctx context.Context, dir string, o TestOptions, env []string, line func([]byte)) (says string, err error) {
	args := []string{"test", "-json", "-count=1", "-p=1", "-timeout=0"}
	if o.Run != "" {
		args = append(args, "-run="+o.Run)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "./...")...)
	cmd.Dir = dir
	cmd.Env = append(append(append(os.Environ(), "GOWORK=off"), env...), o.Env...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", fmt.Errorf("nb: %w: %w", ErrModule, err)
	}
	scan := bufio.NewScanner(stdout)
	scan.Buffer(nil, 64<<20)
	for scan.Scan() {
		line(scan.Bytes())
	}
	err = errors.Join(scan.Err(), cmd.Wait())
	return stderr.String(), err
}

// outcome is the report of a notebook, with the error of go test, which says that.
func (r *reader) outcome(ctx context.Context, err error, says string, o TestOptions) (*TestReport, error) {
	report := r.finish()
	if left, _ := os.ReadFile(filepath.Join(r.work, celltest.LeftFile)); len(left) > 0 {
		report.Left = strings.Split(string(left), "\n")
	}
	switch {
	case ctx.Err() != nil:
		return report, fmt.Errorf("nb: stopped: %w", context.Cause(ctx))
	case report.Build != "" || report.Failed > 0:
		return report, nil
	case err != nil:
		return report, fmt.Errorf("nb: go test: %w\n%s", err, strings.TrimSpace(says))
	case report.Ran == 0:
		return report, fmt.Errorf("nb: %w: %d are skipped, and %s", ErrNoTests, len(report.Tests), cmp.Or(o.Run, "the notebook")+" has no other")
	}
	return report, nil
}

// reader follows the events of go test -json.
type reader struct {
	pkg    *Package
	work   string // the working folder
	report *TestReport
	done   func(TestResult)
	output map[string]*strings.Builder // by epoch and test
	build  strings.Builder
	loose  strings.Builder // output of packages, such as a panic while variables are set
	failed bool            // a package failed
	ended  int             // packages that passed, failed or were skipped
}

func newReader(p *Package, work string, done func(TestResult)) *reader {
	return &reader{pkg: p, work: work, report: &TestReport{}, done: done, output: map[string]*strings.Builder{}}
}

type testEvent struct {
	Action, Package, ImportPath, Test, Output string
	FailedBuild                               string // the ImportPath of the events that say why the package did not build
	Elapsed                                   float64
}

func (r *reader) line(data []byte) {
	var e testEvent
	if json.Unmarshal(data, &e) != nil {
		r.loose.Write(append(data, '\n'))
		return
	}
	r.event(e)
}

func (r *reader) event(e testEvent) {
	epoch := epochOf(e.Package + e.ImportPath)
	top, _, isSub := strings.Cut(e.Test, "/")
	key := epoch + "/" + top
	switch e.Action {
	case "build-output":
		if !strings.HasPrefix(e.Output, "#") {
			r.build.WriteString(r.places(e.Output, epoch))
		}
	case "output":
		if e.Test == "" {
			r.loose.WriteString(r.places(e.Output, epoch))
			return
		}
		if r.output[key] == nil {
			r.output[key] = &strings.Builder{}
		}
		if !frame.MatchString(e.Output) {
			r.output[key].WriteString(r.places(e.Output, epoch))
		}
	case "pass", "fail", "skip":
		r.failed = r.failed || e.Test == "" && e.Action == "fail"
		switch {
		case e.Test == "":
			r.ended++
		case !isSub:
			r.end(e, epoch, key)
		}
	}
}

var (
	frame    = regexp.MustCompile(`^\s*(=== (RUN|PAUSE|CONT|NAME) |--- (PASS|FAIL|SKIP): )`)
	location = regexp.MustCompile(`(?:[^\s"'()]*/)?notebook_test\.go:(\d+)(?::\d+)?(?:: | \+0x[0-9a-f]+)?`)
	origin   = regexp.MustCompile(`cell (\d+) line (\d+)`)
	cellTest = regexp.MustCompile(`^TestCell(\d{2,})`)
	inEpoch  = regexp.MustCompile(`/(e[0-9]{2,})(?:_test|\.test)?(?: |$)`)
)

func epochOf(pkg string) string {
	if m := inEpoch.FindStringSubmatch(pkg); m != nil {
		return m[1]
	}
	return ""
}

// places replaces positions in the export by positions in the notebook.
func (r *reader) places(s, epoch string) string {
	return location.ReplaceAllStringFunc(s, func(m string) string {
		line, _ := strconv.Atoi(location.FindStringSubmatch(m)[1])
		at, ok := r.pkg.Origin(path.Join(epoch, goFile), line)
		switch {
		case !ok:
			return "" // code that the export added says nothing to a reader of the notebook
		case strings.HasSuffix(m, ": "):
			return at.String() + ": "
		}
		return at.String()
	})
}

func (r *reader) end(e testEvent, epoch, key string) {
	t := TestResult{Name: e.Test, Epoch: epoch, Status: e.Action, Elapsed: time.Duration(e.Elapsed * float64(time.Second))}
	if b := r.output[key]; b != nil {
		t.Output = strings.TrimSpace(b.String())
	}
	if !cellTest.MatchString(e.Test) { // of a cell package celltest says what may be shown
		t.Output = r.shown(t.Output)
	}
	if m := cellTest.FindStringSubmatch(e.Test); m != nil {
		t.Where.Cell, _ = strconv.Atoi(m[1])
	}
	if e.Action == "fail" {
		t.Where = firstPlace(t.Output, t.Where)
		r.report.Failed++
	}
	if e.Action != "skip" {
		r.report.Ran++
	}
	r.report.Tests = append(r.report.Tests, t)
	if r.done != nil {
		r.done(t)
	}
}

// firstPlace finds the position that a text names first, in the cell itself where it does.
func firstPlace(text string, cell Position) Position {
	all := origin.FindAllStringSubmatch(text, -1)
	var first Position
	for _, m := range all {
		var at Position
		at.Cell, _ = strconv.Atoi(m[1])
		at.Line, _ = strconv.Atoi(m[2])
		if at.Cell == cell.Cell {
			return at
		}
		if first.Cell == 0 {
			first = at
		}
	}
	if cell.Cell == 0 {
		return first
	}
	return cell
}

// shown is what may be told of an output that may hold what the trial drew.
func (r *reader) shown(text string) string {
	if text != "" && celltest.Drew(celltest.StateFolder(r.work)) {
		return "what it says " + celltest.Withheld
	}
	return text
}

func (r *reader) finish() *TestReport {
	r.report.Build = strings.TrimSpace(r.build.String())
	if r.report.Build == "" && r.failed && r.report.Failed == 0 {
		r.report.Build = strings.TrimSpace(r.shown(r.loose.String())) // ended before the first test
	}
	r.report.Where = firstPlace(r.report.Build, Position{})
	slices.SortStableFunc(r.report.Tests, func(a, b TestResult) int { return cmp.Compare(a.Epoch, b.Epoch) })
	return r.report
}
