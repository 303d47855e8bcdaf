package kernel

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

// What a run refuses before it starts a kernel.
var (
	ErrNoCode    = errors.New("nothing to run")
	ErrLanguage  = errors.New("not a Go notebook")
	ErrTimeLimit = errors.New("bad time limit")
)

// The tags that Run obeys, as nbclient names them.
const (
	tagSkip   = "skip-execution"
	tagRaises = "raises-exception"
)

// Run executes the code cells in order and puts outputs and execution counts into the notebook; the
// outputs of an earlier run are cleared first. It needs Go and no Jupyter: the kernel is GoNB at the
// version that the notebook's module pins, else the version that this module pins. [CellGo] builds the cells.
//
// A cell fails as it does in Jupyter, and also where GoNB only prints a message: a shell line or a
// script that fails, and an unknown %command. The tags raises-exception and skip-execution mean what
// they mean to nbclient.
//
// With KeepGoing, a kernel that died, or that had to be killed as it did not obey an interrupt, is
// started again. It forgets everything, so that the declarations, imports and settings of the cells that
// had succeeded are given to it again; what these cells ran is not run again.
//
// With Bundle, where the notebook has Go cells and no shell lines, a kernel first runs the cells with programs that do nothing, to see
// what it would build; of that programs of several cells are built where that cannot show (package bundle), and the run takes them. It
// takes half the time or less, and places in traces are those of such a program: whoever tells of a failure runs again without.
//
// The error is nil where every cell succeeded. It wraps ErrNoCode, ErrLanguage or ErrUnavailable where the
// run did not start or the kernel died, the cause of ctx, or joins the *CellError of each failed cell.
// The report is never nil, and the notebook holds what was produced. No process is left in any case.
func Run(ctx context.Context, n *nb.Notebook, o Options) (report *Report, err error) {
	began := time.Now()
	report = &Report{}
	defer func() { report.Total = time.Since(began) }()
	runs := 0
	for i, c := range n.Cells {
		if c.Type == "code" && strings.TrimSpace(c.Source) != "" {
			report.Cells = append(report.Cells, CellReport{Index: i, Status: Skipped})
			if _, err := cellTimeout(c); err != nil {
				return report, fmt.Errorf("nb: cell %d: %w", len(report.Cells), err)
			}
			if !c.HasTag(tagSkip) {
				runs++
			}
		}
	}
	if runs == 0 {
		return report, fmt.Errorf("nb: %w: the notebook has no code cells, or skips them all", ErrNoCode)
	}
	if lang := n.Language(); lang != "" && !strings.EqualFold(lang, "go") && lang != "gonb" {
		return report, fmt.Errorf("nb: %w: its kernel is for %q, want go: choose the kernel gonb in Jupyter", ErrLanguage, lang)
	}
	if o, err = o.withDefaults(); err != nil {
		return report, err
	}

	box := &toolbox{
		modules: moduleFolders(o.Dir), cache: o.Cache,
		note: func(s string) { o.Progress(Event{Kind: Note, Text: s}) },
	}
	defer box.close()
	tools, err := box.path(ctx)
	if err != nil {
		return report, err
	}
	front, done, err := builder(ctx, o.Cache, box.note)
	if err != nil {
		return report, err
	}
	defer done()
	r := &run{
		Options: o, setup: startOptions{Dir: o.Dir, Tools: tools, Front: front, Keep: o.keep(), Env: o.Env},
		outputs: outputs{displays: map[string][]place{}}, cells: map[string]*cellOutputs{},
	}
	if o.Bundle != "" {
		remove, err := r.bundle(ctx, n, report)
		if err != nil {
			return report, err
		}
		defer remove()
	}
	if r.kernel, err = startKernel(ctx, r.setup); err != nil {
		return report, err
	}
	defer func() { r.kernel.close() }() // the last one, after restarts
	report.Start = time.Since(began)

	for _, c := range n.Cells {
		if c.Type == "code" {
			c.Outputs, c.ExecutionCount = nil, 0
		}
	}
	return report, r.all(ctx, n, report)
}

func (o Options) withDefaults() (Options, error) {
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Minute
	}
	if o.Grace == 0 {
		o.Grace = 7 * time.Second
	}
	if o.Progress == nil {
		o.Progress = func(Event) {}
	}
	if o.Cache == "" {
		o.Cache = defaultCache()
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return o, fmt.Errorf("nb: %w: %w", ErrUnavailable, err)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return o, fmt.Errorf("nb: %w: the folder to run in, %s, does not exist", ErrUnavailable, dir)
	}
	o.Dir = dir
	return o, nil
}

// keep is the folder for what the builder of cells keeps for later kernels.
func (o Options) keep() string {
	if !filepath.IsAbs(o.Cache) {
		return ""
	}
	return filepath.Join(o.Cache, "builds")
}

// run is the state of one Run.
type run struct {
	Options
	setup   startOptions
	kernel  *kernel
	outputs outputs
	cells   map[string]*cellOutputs // by the id of the request: late messages find their cell
}

func (r *run) all(ctx context.Context, n *nb.Notebook, report *Report) error {
	var failures []error
	for i := range report.Cells {
		cr := &report.Cells[i]
		c := n.Cells[cr.Index]
		if c.HasTag(tagSkip) {
			continue
		}
		if ctx.Err() != nil {
			failures = append(failures, fmt.Errorf("nb: stopped before cell %d: %w", i+1, context.Cause(ctx)))
			break
		}
		e := Event{Kind: CellStart, Cell: i + 1, Of: len(report.Cells), Source: c.Source}
		r.Progress(e)
		began := time.Now()
		fatal := r.cell(ctx, c, cr, e)
		cr.Duration = time.Since(began)
		switch {
		case cr.Err == nil:
			cr.Status = OK
		case !fatal && c.HasTag(tagRaises):
			cr.Status = ExpectedFailure
		default:
			cr.Status = Failed
			report.Failed++
			failures = append(failures, cr.Err)
		}
		e.Kind, e.Report = CellEnd, *cr
		r.Progress(e)
		if cr.Status == Failed && !r.KeepGoing || fatal && (ctx.Err() != nil || i+1 == len(report.Cells)) {
			break
		}
		if fatal {
			if err := r.restart(ctx, n, report.Cells[:i]); err != nil {
				failures = append(failures, err)
				break
			}
		}
	}
	r.drain()
	return errors.Join(failures...)
}

// drain takes what comes late: GoNB reads rich output on the side and may send it after a cell's end
// (gonbui.Sync in the cell is the way to be sure).
func (r *run) drain() {
	for {
		select {
		case m := <-r.kernel.incoming:
			if m.err == nil {
				_, _, _ = r.handle(m) // a bad message is no more than a lost late output
			}
		case <-time.After(30 * time.Millisecond):
			return
		}
	}
}
