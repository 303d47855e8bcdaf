package kernel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

// inputTick is how often it is asked whether a cell waits for input. Twice in a row is no accident.
const inputTick = 250 * time.Millisecond

// cell runs one cell and puts a failure into cr.Err. The run cannot go on where it is fatal.
func (r *run) cell(ctx context.Context, c *nb.Cell, cr *CellReport, e Event) (fatal bool) {
	began := time.Now()
	broken := func(what string, cause error) bool {
		cr.Err = &CellError{Cell: e.Cell, Reason: what, Detail: cause.Error(), Err: ErrUnavailable}
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
		waiting   = time.NewTicker(inputTick)
		reader    string // waited for input at the last tick
	)
	defer waiting.Stop()
	interrupt := func(reason error) {
		if stop == nil {
			stop, timeout, cancelled = reason, nil, nil
			grace, again = time.After(r.Grace), time.Tick(time.Second)
			r.kernel.interrupt()
		}
	}
	limit := r.limit(c)
	if limit > 0 {
		timeout = time.After(limit)
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
		case <-waiting.C:
			now := r.kernel.readsInput()
			if now != "" && now == reader {
				interrupt(fmt.Errorf("%w: it reads standard input", ErrInput))
			}
			reader = now
		case <-timeout:
			interrupt(ErrTimeout)
		case <-cancelled:
			interrupt(context.Cause(ctx))
		case <-again:
			// An end that is on its way, and an interrupt that the kernel has not taken yet, come first.
			if !idle && len(r.kernel.incoming) == 0 && r.kernel.interrupted() {
				r.kernel.interrupt()
			}
		case <-grace:
			r.kernel.process.kill()
			cr.Err = r.stopped(e.Cell, stop, limit, out)
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
		cr.Err = r.stopped(e.Cell, stop, limit, out)
		return ctx.Err() != nil || !r.settle(grace)
	case reply.Status != "ok":
		cr.Err = fail(e.Cell, c.Source, *reply, out.said(detailLines))
	default:
		if err := silentFailure(c.Source, e.Cell, out, status); err != nil {
			cr.Err = err
		}
	}
	return false
}

// settle waits until the kernel has taken the interrupt of a cell that ended: what it has not taken would reach the next cell. Where
// that does not come in time, it kills the kernel and reports false.
func (r *run) settle(grace <-chan time.Time) bool {
	for !r.kernel.interrupted() {
		select {
		case m := <-r.kernel.incoming:
			if m.err == nil {
				_, _, _ = r.handle(m) // a bad message is no more than a lost late output
			}
		case <-time.After(5 * time.Millisecond):
		case <-grace:
			r.kernel.process.kill()
			return false
		case <-r.kernel.died():
			return false
		}
	}
	return true
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
func (r *run) stopped(number int, reason error, limit time.Duration, out *cellOutputs) *CellError {
	e := &CellError{Cell: number, Reason: reason.Error(), Err: reason, Detail: out.said(5)}
	switch {
	case errors.Is(reason, context.Canceled):
		e.Reason = "interrupted"
	case errors.Is(reason, ErrTimeout):
		e.Reason = fmt.Sprintf("%v: it was interrupted after %v: set a longer timeout (-timeout, or //| timeout: 1h in the cell), or look for an endless loop or a read from standard input", reason, limit)
	case errors.Is(reason, ErrOutput):
		e.Reason = fmt.Sprintf("%v: more than %d MiB of text", reason, maxText>>20)
	case errors.Is(reason, ErrInput):
		e.Reason = fmt.Sprintf("%v: replace the question by a constant, an environment variable or a file", reason)
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
