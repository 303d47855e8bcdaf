//go:build unix

package viz

import (
	"bytes"
	"context"
	"encoding/gob"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// kernel runs a cell behind the pipes of a GoNB kernel, acknowledges what it sends, and returns it.
func kernel(t *testing.T, what string) []protocol.DisplayData {
	t.Helper()
	dir := t.TempDir()
	var pipes [2]*os.File
	names := [2]string{filepath.Join(dir, "out"), filepath.Join(dir, "back")}
	for i, name := range names {
		if err := syscall.Mkfifo(name, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(name, os.O_RDWR, 0) // opening one side only would wait for the other
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		pipes[i] = f
	}
	if err := pipes[0].SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	got := make(chan []protocol.DisplayData, 1)
	go func() {
		dec, enc := gob.NewDecoder(pipes[0]), gob.NewEncoder(pipes[1])
		var all []protocol.DisplayData
		for {
			var d protocol.DisplayData
			if err := dec.Decode(&d); err != nil {
				break
			}
			v, ok := d.Data[protocol.MIMECommValue].(protocol.CommValue)
			if !ok {
				all = append(all, d)
				continue
			}
			if err := enc.Encode(&protocol.CommValue{Address: protocol.GonbuiSyncAckAddress, Value: v.Value}); err != nil {
				break
			}
		}
		got <- all
	}()
	var errs strings.Builder
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second) // gonbui.Sync has no limit
	defer cancel()
	c := cell(ctx, t, what, protocol.GONB_PIPE_ENV+"="+names[0], protocol.GONB_PIPE_BACK_ENV+"="+names[1])
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	if strings.Contains(string(out), "CONDITIONAL") {
		t.Errorf("the display was printed too: %s", out)
	}
	// Everything was written before the cell ended: a closed writer is not seen on a pipe that is
	// open for writing here, so the reader is stopped by its deadline.
	if err := pipes[0].SetReadDeadline(time.Now().Add(200 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	return <-got
}

func TestShowInNotebook(t *testing.T) {
	got := kernel(t, "show")
	if len(got) != 2 {
		t.Fatalf("got %d displays, want 2", len(got))
	}
	table, plot := got[0], got[1]
	if want := Cost(handCost(true)); len(table.Data) != 2 || table.Data["text/html"] != want.HTML() || table.Data["text/plain"] != want.Text() {
		t.Errorf("the table's bundle: %v", table.Data)
	}
	want := Waterfall(handCost(true))
	if len(plot.Data) != 2 || plot.Data["text/plain"] != want.Text() {
		t.Errorf("the plot's bundle lacks its text")
	}
	img, ok := plot.Data["image/png"].([]byte)
	if !ok {
		t.Fatalf("image/png: got %T", plot.Data["image/png"])
	}
	if _, err := png.Decode(bytes.NewReader(img)); err != nil {
		t.Error(err)
	}
	if plot.Metadata["alt"] != want.alt || want.alt == "" {
		t.Errorf("alternative text: %v", plot.Metadata["alt"])
	}
	if m, ok := plot.Metadata["image/png"].(map[string]int); !ok || m["width"] != figureWidth {
		t.Errorf("width: %v", plot.Metadata["image/png"])
	}
}

func TestProgressInNotebook(t *testing.T) {
	got := kernel(t, "progress")
	if len(got) != 2 || got[0].DisplayID == "" || got[0].DisplayID != got[1].DisplayID {
		t.Fatalf("got %v", got)
	}
	first, last := got[0].Data["text/html"].(string), got[1].Data["text/html"]
	if !strings.Contains(first, "<meter") || !strings.Contains(first, "epochs &lt;b&gt;: 0 of 2") || last != "" {
		t.Errorf("got %q, then %q", first, last)
	}
}

// TestShowBesideGonbui: a cell may use both on its one pipe. Nothing is lost, all is in order, and gonbui
// gets the acknowledgements that it waits for.
func TestShowBesideGonbui(t *testing.T) {
	for _, c := range []struct {
		cell string
		want []string
	}{
		{"mixed", []string{"first", "<table", "second", "<table", "third"}},
		{"mixed later", []string{"", "first", "<table", "second"}},
	} {
		t.Run(c.cell, func(t *testing.T) {
			got := kernel(t, c.cell)
			if len(got) != len(c.want) {
				t.Fatalf("got %d displays, want %d", len(got), len(c.want))
			}
			for i, want := range c.want {
				if h, _ := got[i].Data["text/html"].(string); !strings.Contains(h, want) {
					t.Errorf("display %d is %q, want %q", i, h, want)
				}
			}
		})
	}
}
