package kernel

import (
	"bytes"
	"io"
	"os"
)

// A SIGINT to the kernel's group ends what a cell runs at once, but GoNB passes it on by goroutines of its own: on a busy machine after
// the cell has ended, and then to the program of the cell that runs by then. GoNB logs each interrupt when it has
// passed it on; until it did, no other is sent, and no other cell. (Signals that wait together would count as one.)

// signalTaken is what GoNB logs.
const signalTaken = "Signal interrupt received."

// signalLog counts the interrupts that the kernel has taken.
type signalLog struct {
	path   string
	at     int64 // what is before it has been read
	taken  int   // so far
	wanted int   // taken, once the last interrupt is
}

// count reads what is new in the log.
func (s *signalLog) count() int {
	f, err := os.Open(s.path)
	if err != nil {
		return s.taken
	}
	defer f.Close()
	data, _ := io.ReadAll(io.NewSectionReader(f, s.at, 1<<62))
	data = data[:bytes.LastIndexByte(data, '\n')+1] // the rest of a line comes later
	s.at += int64(len(data))
	s.taken += bytes.Count(data, []byte(signalTaken))
	return s.taken
}

// interrupt interrupts what the kernel runs.
func (k *kernel) interrupt() {
	k.signals.wanted = k.signals.count() + 1
	k.process.interrupt()
}

// interrupted tells if the kernel has taken the last interrupt, or there was none.
func (k *kernel) interrupted() bool { return k.signals.count() >= k.signals.wanted }
