package nb

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// What a run refuses before it starts a kernel.
var (
	ErrNoCode   = errors.New("nothing to run")
	ErrLanguage = errors.New("not a Go notebook")
)

// The tags that Run obeys, as nbclient names them.
const (
	tagSkip   = "skip-execution"
	tagRaises = "raises-exception"
)

// Run executes the code cells in order and puts outputs and execution counts into the notebook; the
// outputs of an earlier run are cleared first. It needs Go and no Jupyter: the kernel is GoNB at the
// version that the notebook's module pins, else the version that this module pins.
//
// A cell fails as it does in Jupyter, and also where GoNB only prints a message: a shell line or a
// script that fails, and an unknown %command. The tags raises-exception and skip-execution mean what
// they mean to nbclient.
//
// The error is nil where every cell succeeded. It wraps ErrNoCode, ErrLanguage or ErrKernel where the
// run did not start or the kernel died, the cause of ctx, or joins the *CellError of each failed cell.
// The report is never nil, and the notebook holds what was produced. No process is left in any case.
func Run(ctx context.Context, n *Notebook, o RunOptions) (report *Report, err error) {
	began := time.Now()
	report = &Report{}
	defer func() { report.Total = time.Since(began) }()
	runs := 0
	for i, c := range n.Cells {
		if c.Type == "code" && strings.TrimSpace(c.Source) != "" {
			report.Cells = append(report.Cells, CellReport{Index: i, Status: Skipped})
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
	k, err := startKernel(ctx, kernelOptions{Dir: o.Dir, Tools: tools, Env: o.Env})
	if err != nil {
		return report, err
	}
	defer k.close()
	report.Start = time.Since(began)

	for _, c := range n.Cells {
		if c.Type == "code" {
			c.Outputs, c.ExecutionCount = nil, 0
		}
	}
	r := &run{RunOptions: o, kernel: k, outputs: outputs{displays: map[string][]place{}}, cells: map[string]*cellOutputs{}}
	return report, r.all(ctx, n, report)
}

func (o RunOptions) withDefaults() (RunOptions, error) {
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
		if dir, err := os.UserCacheDir(); err == nil {
			o.Cache = filepath.Join(dir, "dpnb", "tools")
		}
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return o, fmt.Errorf("nb: %w: %w", ErrKernel, err)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return o, fmt.Errorf("nb: %w: the folder to run in, %s, does not exist", ErrKernel, dir)
	}
	o.Dir = dir
	return o, nil
}

// run is the state of one Run.
type run struct {
	RunOptions
	kernel  *kernel
	outputs outputs
	cells   map[string]*cellOutputs // by the id of the request: late messages find their cell
}

func (r *run) all(ctx context.Context, n *Notebook, report *Report) error {
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
		if fatal || cr.Status == Failed && !r.KeepGoing {
			break
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

// cell runs one cell and puts a failure into cr.Err. The run cannot go on where it is fatal.
func (r *run) cell(ctx context.Context, c *Cell, cr *CellReport, e Event) (fatal bool) {
	began := time.Now()
	broken := func(what string, cause error) bool {
		cr.Err = &CellError{Cell: e.Cell, Reason: what, Detail: cause.Error(), Err: ErrKernel}
		return true
	}
	r.kernel.shells.take() // nothing of an earlier cell may count
	id, err := r.kernel.execute(c.Source)
	if err != nil {
		return broken("the kernel does not take it", r.kernel.death(err))
	}
	out := &cellOutputs{Cell: c}
	r.cells[id] = out

	var (
		idle      bool
		reply     *content
		stop      error // why the cell is interrupted
		timeout   <-chan time.Time
		grace     <-chan time.Time
		again     <-chan time.Time // an interrupt ends one shell line of a cell: repeat it
		cancelled = ctx.Done()
	)
	interrupt := func(reason error) {
		if stop == nil {
			stop, timeout, cancelled = reason, nil, nil
			grace, again = time.After(r.Grace), time.Tick(time.Second)
			r.kernel.interrupt()
		}
	}
	if r.Timeout > 0 {
		timeout = time.After(r.Timeout)
	}
	for !idle || reply == nil {
		select {
		case m := <-r.kernel.incoming:
			if m.err != nil {
				return broken("a bad message came on "+m.channel, m.err)
			}
			in, owner, err := r.handle(m)
			if err != nil {
				return broken("a bad message came: "+m.Header.Type, err)
			}
			if owner != out {
				continue
			}
			switch m.Header.Type {
			case "status":
				idle = idle || in.State == "idle"
			case "execute_reply":
				reply = &in
				c.ExecutionCount = in.ExecutionCount
			case "input_request":
				interrupt(ErrInput)
			case "stream":
				e.Kind, e.Stream, e.Text = CellOutput, in.Name, in.Text
				r.Progress(e)
				if out.text > maxText {
					interrupt(ErrOutput)
				}
			}
			if cr.FirstOutput == 0 && len(c.Outputs) > 0 {
				cr.FirstOutput = time.Since(began)
			}
		case <-timeout:
			interrupt(ErrTimeout)
		case <-cancelled:
			interrupt(context.Cause(ctx))
		case <-again:
			r.kernel.interrupt()
		case <-grace:
			r.kernel.process.kill()
			cr.Err = r.stopped(e.Cell, stop, out)
			return true
		case <-r.kernel.died():
			if mains(c.Source) > 1 {
				return broken("the kernel died: GoNB takes one %% in a cell, not more", r.kernel.death(nil))
			}
			return broken("the kernel died", r.kernel.death(nil))
		}
	}
	status := r.kernel.shells.take()
	switch {
	case stop != nil:
		cr.Err = r.stopped(e.Cell, stop, out)
		return ctx.Err() != nil
	case reply.Status != "ok":
		cr.Err = fail(e.Cell, c.Source, *reply, out.said(detailLines))
	default:
		if err := silentFailure(c.Source, e.Cell, out, status); err != nil {
			cr.Err = err
		}
	}
	return false
}

// silentFailure finds what GoNB only prints: a shell that failed, a command that it does not know.
func silentFailure(source string, number int, out *cellOutputs, status []int) *CellError {
	if reason, line := shellFailure(source, out.exit, status); reason != "" {
		return &CellError{
			Cell: number, Line: line, Reason: "a shell command failed: " + reason,
			Detail: out.said(detailLines), Err: ErrCell,
		}
	}
	if line := lineOf(source, out.unknown); line > 0 {
		return &CellError{
			Cell: number, Line: line, Reason: fmt.Sprintf("GoNB does not know %s: see %%help", out.unknown), Err: ErrCell,
		}
	}
	return nil
}

// handle applies a message and returns the cell that it is about, nil where it is about none.
func (r *run) handle(m incoming) (content, *cellOutputs, error) {
	owner := r.cells[m.Parent.MsgID]
	if owner == nil {
		return content{}, nil, nil
	}
	if m.channel == "iopub" {
		in, err := r.outputs.apply(owner, m.message)
		return in, owner, err
	}
	var in content
	err := json.Unmarshal(m.Content, &in)
	return in, owner, err
}

// stopped describes a cell that was interrupted.
func (r *run) stopped(number int, reason error, out *cellOutputs) *CellError {
	e := &CellError{Cell: number, Reason: reason.Error(), Err: reason, Detail: out.said(5)}
	switch {
	case errors.Is(reason, context.Canceled):
		e.Reason = "interrupted"
	case errors.Is(reason, ErrTimeout):
		e.Reason = fmt.Sprintf("%v: it was interrupted after %v: set a longer timeout, or look for an endless loop or a read from standard input", reason, r.Timeout)
	case errors.Is(reason, ErrOutput):
		e.Reason = fmt.Sprintf("%v: more than %d MiB of text", reason, maxText>>20)
	case errors.Is(reason, ErrInput):
		e.Reason = fmt.Sprintf("%v: replace the question by a constant or an environment variable", reason)
	}
	return e
}

// lineOf returns the 1-based line that holds the %command, 0 where none does.
func lineOf(source, command string) int {
	if command == "" {
		return 0
	}
	return 1 + slices.IndexFunc(strings.Split(source, "\n"), func(l string) bool {
		l = strings.TrimPrefix(l, "//gonb:")
		return strings.HasPrefix(l, "%") && strings.HasPrefix(strings.TrimLeft(l[1:], " \t"), command[1:])
	})
}

// mains counts the lines that open func main.
func mains(source string) (n int) {
	for line := range strings.Lines(source) {
		if word := strings.Fields(line + " ."); word[0] == "%%" || word[0] == "%main" {
			n++
		}
	}
	return n
}
