package celltest

import (
	"encoding/gob"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// frontEnd takes what a cell shows, in GoNB's place, and acknowledges its calls of Sync.
type frontEnd struct {
	seen     map[string]bool // display ids that an earlier cell showed: an update adds nothing here
	displays []string        // MIME types of each display, sorted and joined by commas
	index    map[string]int  // display id → place in displays
	in, out  *os.File
	hold     *os.File // the writing end of in: without a writer, reading would end before the cell begins
	done     chan struct{}
}

// listen opens the pipes between a cell and GoNB and names them to cmd.
func (n *Notebook) listen(cmd *exec.Cmd, dir string) (*frontEnd, error) {
	f := &frontEnd{seen: n.seen, index: map[string]int{}, done: make(chan struct{})}
	in, out := filepath.Join(dir, "pipe"), filepath.Join(dir, "pipe_back")
	if err := f.open(in, out); err != nil {
		return nil, err
	}
	cmd.Env = append(cmd.Env, protocol.GONB_PIPE_ENV+"="+in, protocol.GONB_PIPE_BACK_ENV+"="+out)
	go f.serve()
	return f, nil
}

func (f *frontEnd) serve() {
	defer close(f.done)
	in, out := gob.NewDecoder(f.in), gob.NewEncoder(f.out)
	for {
		var d protocol.DisplayData
		if in.Decode(&d) != nil {
			return // the end, or a cell that does not speak the protocol: what it shows is not seen
		}
		if v, ok := d.Data[protocol.MIMECommValue].(protocol.CommValue); ok && v.Address == protocol.GonbuiSyncAddress {
			if out.Encode(&protocol.CommValue{Address: protocol.GonbuiSyncAckAddress, Value: v.Value}) != nil {
				return
			}
			continue
		}
		f.show(d)
	}
}

func (f *frontEnd) show(d protocol.DisplayData) {
	var types []string
	for _, t := range slices.Sorted(maps.Keys(d.Data)) {
		if !strings.HasPrefix(string(t), "gonb/") { // messages to the kernel
			types = append(types, string(t))
		}
	}
	if len(types) == 0 {
		return
	}
	joined := strings.Join(types, ",")
	if d.DisplayID == "" {
		f.displays = append(f.displays, joined)
		return
	}
	if i, ok := f.index[d.DisplayID]; ok {
		f.displays[i] = joined
		return
	}
	if f.seen[d.DisplayID] {
		return
	}
	f.seen[d.DisplayID] = true
	f.index[d.DisplayID] = len(f.displays)
	f.displays = append(f.displays, joined)
}

// close reads on to the last message of the cell, which has ended, and returns what it showed.
func (f *frontEnd) close() []string {
	_ = f.hold.Close()
	// A program that the cell left behind may hold the pipe.
	_ = f.in.SetReadDeadline(time.Now().Add(5 * time.Second))
	<-f.done
	_ = f.in.Close()
	_ = f.out.Close()
	return f.displays
}
