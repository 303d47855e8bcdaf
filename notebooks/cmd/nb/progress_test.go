package main

import (
	"bytes"
	"testing"

	"github.com/dpkit-go/dpnb/notebooks/nb/kernel"
)

// What a cell prints stands between its first words and how it ended.
func TestProgressOfCells(t *testing.T) {
	var b bytes.Buffer
	p := newProgress(&b, false, false)
	for i, text := range []string{"one\ntwo", ""} {
		e := kernel.Event{Kind: kernel.CellStart, Cell: i + 1, Of: 2, Source: "%%\nwork()"}
		p.event(e)
		if text != "" {
			e.Kind, e.Stream, e.Text = kernel.CellOutput, "stdout", text
			p.event(e)
		}
		e.Kind, e.Report.Status = kernel.CellEnd, kernel.OK
		p.event(e)
	}
	want := "[1/2]  work()\n        | one\n        | two\n[1/2] ok 0.0s\n[2/2] ok 0.0s  work()\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}
