package gonb

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

// The named pipes of a GoNB cell: to the kernel, and back.
const (
	pipeEnv     = "GONB_PIPE"
	pipeBackEnv = "GONB_PIPE_BACK"
)

// Display is what a kernel is sent, by MIME type.
type Display struct {
	Data     map[string]string
	Raw      map[string]bool // data that is bytes, not text
	Metadata map[string]string
	Widths   map[string]int // metadata of an image: its width on the page
	ID       string         // "", or of a display to show or to replace
}

// A pipe speaks to the kernel of a cell. It is opened with the first display.
type pipe struct {
	mu       sync.Mutex
	out      *os.File
	in       *bufio.Reader
	deadline func(time.Time) error // of in
	asked    int64                 // the last request for an acknowledgement
	err      error                 // of an earlier display: the stream cannot be mended
}

// kernelPipe is that of this program.
var kernelPipe pipe

// InNotebook reports whether this program is a cell of a GoNB kernel.
func InNotebook() bool { return os.Getenv(pipeEnv) != "" }

// Send displays d in the cell. With wait it returns once the kernel has taken it, so that what is printed next comes after it.
func Send(d Display, wait bool) error { return kernelPipe.send(d, wait) }

// syncTimeout bounds the wait for the kernel, which lasts forever where a pipe broke in between.
const syncTimeout = 5 * time.Second

// firstSync is where requests are counted from, so that none is one of gonbui's, which counts from 0. A kernel may
// read them into 32 bits.
const firstSync = 1 << 30

// send displays d. With wait it returns once the kernel has taken it, so that what is printed next comes
// after it.
func (p *pipe) send(d Display, wait bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = p.sendLocked(d, wait)
	}
	return p.err
}

func (p *pipe) sendLocked(d Display, wait bool) error {
	message := gobDisplayData(d)
	if p.out == nil {
		out, err := os.OpenFile(os.Getenv(pipeEnv), os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		p.out = out
		message = append(gobTypes(), message...)
	}
	asks := wait && !UsesGoNB()
	if asks {
		p.asked++
		message = append(message, gobSync(firstSync+p.asked)...)
	}
	if _, err := p.out.Write(message); err != nil {
		return err
	}
	switch {
	case asks:
		return p.await(firstSync + p.asked)
	case wait:
		time.Sleep(sharedPause)
	}
	return nil
}

// sharedPause is the wait for the kernel where it cannot be asked: it takes displays in their order, so
// that gonbui.Sync at the end of such a cell covers these too.
const sharedPause = 50 * time.Millisecond

// UsesGoNB reports whether a package of GoNB is linked into this program; this package is not one. Tests replace it.
// Then the way back belongs to gonbui: the kernel defines each type once, and whoever reads that first
// leaves the other without it. A test binary does not know its modules, and is taken to use it.
var UsesGoNB = sync.OnceValue(func() bool {
	info, ok := debug.ReadBuildInfo()
	return !ok || len(info.Deps) == 0 || slices.ContainsFunc(info.Deps, func(m *debug.Module) bool { return m.Path == gonbModule })
})

const gonbModule = "github.com/janpfeifer/gonb"

// await reads what the kernel sends until it acknowledges that request.
func (p *pipe) await(id int64) error {
	if p.in == nil {
		in, err := os.OpenFile(os.Getenv(pipeBackEnv), os.O_RDONLY, 0)
		if err != nil {
			return err
		}
		p.in, p.deadline = bufio.NewReader(in), in.SetReadDeadline
	}
	if err := p.deadline(time.Now().Add(syncTimeout)); err != nil {
		return err
	}
	for {
		n, err := gobLength(p.in)
		if err != nil {
			return fmt.Errorf("the kernel did not acknowledge the display: %w", err)
		}
		message := make([]byte, n)
		if _, err := io.ReadFull(p.in, message); err != nil {
			return fmt.Errorf("the kernel did not acknowledge the display: %w", err)
		}
		if isAck(message, id) {
			return nil
		}
	}
}

// gobLength reads the length of a message.
func gobLength(r *bufio.Reader) (uint64, error) {
	b, err := r.ReadByte()
	if err != nil || b < 128 {
		return uint64(b), err
	}
	n := -int(int8(b))
	var word [8]byte
	if n > len(word) {
		return 0, errors.New("a length of more than 8 bytes")
	}
	if _, err := io.ReadFull(r, word[8-n:]); err != nil {
		return 0, err
	}
	length := binary.BigEndian.Uint64(word[:])
	if length > 1<<30 { // as encoding/gob
		return 0, errors.New("a message of more than 1 GiB")
	}
	return length, nil
}
