package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dpkit-go/dpnb/notebooks/nb"
	"github.com/dpkit-go/dpnb/notebooks/nb/kernel"
)

// progress prints a run: one line for each cell, and for one that prints something its first words, the first lines
// that it prints, and how it ended.
type progress struct {
	w        io.Writer
	maxLines int  // of one cell, -1: all
	terminal bool // a status line is shown while a cell runs
	status   bool // the status line stands at the cursor

	partial map[string]string // by stream: the start of an unfinished line
	lines   int               // of this cell
	cell    kernel.Event      // its start
	labeled bool              // its first words are printed
}

func newProgress(w io.Writer, quiet, verbose bool) *progress {
	p := &progress{w: w, maxLines: 10, partial: map[string]string{}}
	if quiet {
		p.maxLines = 0
	}
	if verbose {
		p.maxLines = -1
	}
	if f, ok := w.(*os.File); ok {
		info, err := f.Stat()
		p.terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return p
}

func (p *progress) event(e kernel.Event) {
	switch e.Kind {
	case kernel.Note:
		fmt.Fprintf(p.w, "%s\n", e.Text)
	case kernel.CellStart:
		p.lines, p.cell, p.labeled = 0, e, false
		clear(p.partial)
		p.showStatus(e)
	case kernel.CellOutput:
		text := p.partial[e.Stream] + e.Text
		for {
			line, rest, complete := strings.Cut(text, "\n")
			if !complete {
				break
			}
			p.line(line)
			text = rest
		}
		p.partial[e.Stream] = text
		p.showStatus(e)
	case kernel.CellEnd:
		for _, stream := range []string{"stdout", "stderr"} {
			if p.partial[stream] != "" {
				p.line(p.partial[stream])
			}
		}
		if p.maxLines > 0 && p.lines > p.maxLines {
			p.clearStatus()
			fmt.Fprintf(p.w, "        | … %d more lines (-v prints them)\n", p.lines-p.maxLines)
		}
		p.clearStatus()
		status := string(e.Report.Status)
		if e.Report.Status == kernel.Failed {
			status = "FAILED"
		}
		end := fmt.Sprintf("[%d/%d] %s %s", e.Cell, e.Of, status, seconds(e.Report.Duration))
		if !p.labeled {
			end += "  " + headline(e.Source)
		}
		fmt.Fprintln(p.w, end)
	}
}

// line prints one line of a cell, as long as there are not too many.
func (p *progress) line(s string) {
	p.lines++
	if p.maxLines >= 0 && p.lines > p.maxLines {
		return
	}
	p.clearStatus()
	if !p.labeled {
		p.labeled = true
		fmt.Fprintf(p.w, "[%d/%d]  %s\n", p.cell.Cell, p.cell.Of, headline(p.cell.Source))
	}
	fmt.Fprintf(p.w, "        | %s\n", shorten(printable(s), 110))
}

func (p *progress) showStatus(e kernel.Event) {
	if p.terminal && !p.status {
		fmt.Fprintf(p.w, "[%d/%d] …  %s", e.Cell, e.Of, headline(e.Source))
		p.status = true
	}
}

func (p *progress) clearStatus() {
	if p.status {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.status = false
	}
}

// headline is the first line of a cell that says something: not %%, not empty.
func headline(source string) string {
	for line := range strings.Lines(source) {
		if line = strings.TrimSpace(line); line != "" && line != "%%" && line != "%main" {
			return shorten(printable(line), 60)
		}
	}
	return "%%"
}

// printable drops what would move the cursor or change colours.
func printable(s string) string {
	if i := strings.LastIndexByte(strings.TrimRight(s, "\r"), '\r'); i >= 0 {
		s = s[i+1:] // what a terminal would show of a progress bar
	}
	s = strings.ReplaceAll(nb.StripANSI(s), "\t", "    ")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, s)
}

func shorten(s string, width int) string {
	if utf8.RuneCountInString(s) <= width {
		return s
	}
	return string([]rune(s)[:width-1]) + "…"
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1fs", d.Seconds()) }
