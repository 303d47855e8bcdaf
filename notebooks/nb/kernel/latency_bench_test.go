package kernel

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

// BenchmarkEditedReleaseCell is the wait of a person who edits ε in the quickstart and runs the release
// again: from the execute request to idle, on the pinned kernel with a warm build cache. It reports the
// parts: build-ms from the request to the first line of the cell's main (goimports, go build, start),
// run-ms from there to idle (data, ledger, release, display), and cpu-ms, the processor time of the
// kernel and of all it started, which other work on the machine disturbs less.
func BenchmarkEditedReleaseCell(b *testing.B) {
	setup, release := quickstartCells(b)
	dir := b.TempDir()
	ownModule(b, dir)
	b.Setenv("XDG_STATE_HOME", dir)
	o, err := Options{Dir: dir, Cache: testCache}.withDefaults()
	if err != nil {
		b.Fatal(err)
	}
	front, err := CellGo(b.Context(), testCache, func(string) {})
	if err != nil {
		b.Fatal(err)
	}
	err = Build(b.Context(), ".", testCache, func(string) {}, func(tools string) error {
		r := &run{
			Options: o, setup: startOptions{Dir: dir, Tools: tools, Front: front},
			outputs: outputs{displays: map[string][]place{}}, cells: map[string]*cellOutputs{},
		}
		if r.kernel, err = startKernel(b.Context(), r.setup); err != nil {
			return err
		}
		defer r.kernel.close()
		for _, source := range append(setup, release(0)) { // the first release warms the cache
			if _, err := timedCell(b.Context(), r, source); err != nil {
				return err
			}
		}
		var build time.Duration
		edit, cpu := 0, kernelCPU(r.kernel)
		for b.Loop() {
			edit++
			before := time.Now()
			started, err := timedCell(b.Context(), r, release(edit))
			if err != nil {
				return err
			}
			build += started.Sub(before)
		}
		n := float64(edit)
		b.ReportMetric(float64(build.Microseconds())/1e3/n, "build-ms")
		b.ReportMetric(float64((b.Elapsed()-build).Microseconds())/1e3/n, "run-ms")
		b.ReportMetric(float64((kernelCPU(r.kernel)-cpu).Microseconds())/1e3/n, "cpu-ms")
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

// ownModule makes a module of a user's own, which requires this project, in a folder.
func ownModule(tb testing.TB, dir string) {
	tb.Helper()
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		tb.Fatal(err)
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o600)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	const project = "github.com/dpkit-go/dpnb"
	if _, err := goCommand(tb.Context(), dir, "mod", "edit", "-module=example.org/own", "-require="+project+"@v0.0.0", "-replace="+project+"="+root); err != nil {
		tb.Fatal(err)
	}
}

// startMark precedes the time that a timed cell prints when its main starts.
const startMark = "main started at "

// quickstartCells are the quickstart's cells up to the plan, for a kernel in another folder and with a
// budget that a benchmark does not use up, and its release cell after the i-th edit of ε.
func quickstartCells(tb testing.TB) (setup []string, release func(edit int) string) {
	tb.Helper()
	n, err := nb.ReadFile(filepath.Join("..", "..", "quickstart.ipynb"))
	if err != nil {
		tb.Fatal(err)
	}
	edited := func(source, old, replacement string) string {
		if strings.Count(source, old) != 1 {
			tb.Fatalf("the quickstart has not one %q in\n%s", old, source)
		}
		return strings.Replace(source, old, replacement, 1)
	}
	var plan string
	for _, c := range n.Cells {
		source := c.Source
		switch {
		case c.Type != "code":
		case strings.Contains(source, "func plan("):
			plan = edited(declarations(source), "{Epsilon: 2, Delta: 1e-5}", "{Epsilon: 30, Delta: 1e-3}")
			return append(setup, plan), func(edit int) string {
				s := edited(plan, "{Epsilon: 1,", fmt.Sprintf("{Epsilon: %v,", 1+1e-6*float64(edit)))
				return s + "\n%%\n" +
					"fmt.Println(\"" + startMark + "\", time.Now().UnixNano())\n" +
					"result := cell.Must(plan(session(), dpkit.Midpoint{}).Release(context.Background()))\nviz.Result(result).Show()"
			}
		default:
			setup = append(setup, declarations(source))
		}
	}
	tb.Fatal("the quickstart has no plan")
	return nil, nil
}

// timedCell runs a cell and returns when its main started, zero where it does not say.
func timedCell(ctx context.Context, r *run, source string) (time.Time, error) {
	c, cr := &nb.Cell{Type: "code", Source: source}, CellReport{}
	r.cell(ctx, c, &cr, Event{})
	if cr.Err != nil {
		return time.Time{}, cr.Err
	}
	for _, o := range c.Outputs {
		if _, after, ok := strings.Cut(o.Text, startMark); ok {
			line, _, _ := strings.Cut(after, "\n")
			ns, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
			return time.Unix(0, ns), err
		}
	}
	return time.Time{}, nil
}

// kernelCPU is the processor time of the kernel and of the programs that it started and that ended; 0
// where the system has no /proc.
func kernelCPU(k *kernel) time.Duration {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", k.process.pid()))
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(data), ") ")
	fields, ticks := strings.Fields(after), 0
	for _, f := range fields[11:15] { // utime, stime, cutime, cstime in ticks of 10 ms (proc(5))
		n, _ := strconv.Atoi(f)
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}
