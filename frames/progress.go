package frames

import (
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Progress is how far the reading of rows has come. It is timing, and of the size of files: show it to who may see the files, and do not publish it.
type Progress struct {
	What    string // "load", "scan", "check" or "fingerprint"
	Name    string // of the file or pattern; "" where rows are in memory
	Rows    int    // so far; 0 where rows are of people, since how many those have is private
	OfRows  int    // of how many; 0: not known
	Bytes   int64  // of files so far, packed ones as they are
	OfBytes int64  // of how many; 0: not known
	Elapsed time.Duration
	Done    bool // nothing follows, also behind an error
}

// Share is the part that was read, in [0, 1]; 0 where nobody knows.
func (p Progress) Share() float64 {
	switch {
	case p.OfBytes > 0:
		return min(1, float64(p.Bytes)/float64(p.OfBytes))
	case p.OfRows > 0:
		return min(1, float64(p.Rows)/float64(p.OfRows))
	}
	return 0
}

// PerSecond is how many rows were read a second.
func (p Progress) PerSecond() float64 {
	if p.Elapsed <= 0 {
		return 0
	}
	return float64(p.Rows) / p.Elapsed.Seconds()
}

// Left is how long the rest takes if it goes on so; 0 where nobody knows.
func (p Progress) Left() time.Duration {
	share := p.Share()
	if share <= 0 {
		return 0
	}
	return time.Duration(float64(p.Elapsed) * (1 - share) / share)
}

// String is a line of text.
func (p Progress) String() string {
	text := p.What
	if p.Name != "" {
		text += " " + p.Name
	}
	if p.Rows > 0 {
		text += fmt.Sprintf(": %d rows, %s rows/s", p.Rows, rate(p.PerSecond()))
	} else if p.Bytes > 0 {
		text += fmt.Sprintf(": %.1f MB", float64(p.Bytes)/1e6)
	}
	if left := p.Left(); left >= time.Second && !p.Done {
		text += fmt.Sprintf(", %v left", left.Round(time.Second))
	}
	return text
}

// rate is a number of three digits, in thousands or millions where it is so large.
func rate(v float64) string {
	unit := ""
	for _, next := range []string{" k", " M", " G"} {
		if v < 999.5 {
			break
		}
		v, unit = v/1000, next
	}
	return fmt.Sprintf("%.3g%s", v, unit)
}

// watcher is who is told.
var watcher atomic.Pointer[func(Progress)]

// Watch has report called while this process loads, checks, scans or fingerprints rows, at most about ten times a second for each such pass and once at
// its end, until stop is called: passes take the function that there is when they begin. It may be called by several goroutines at a time. Package
// viz draws a bar: defer frames.Watch(viz.Loading())().
func Watch(report func(Progress)) (stop func()) {
	watcher.Store(&report)
	return func() { watcher.CompareAndSwap(&report, nil) }
}

// pace is how often a pass reports.
const pace = 100 * time.Millisecond

// meter counts what a pass has read; nil counts nothing.
type meter struct {
	report func(Progress)
	began  time.Time
	people bool

	mu    sync.Mutex
	p     Progress
	shown time.Time
}

// newMeter begins a pass over so many rows (0: not known) of files.
func newMeter(what, name string, s Schema, rows int, paths ...string) *meter {
	report := watcher.Load()
	if report == nil || *report == nil {
		return nil
	}
	_, people := s.Person()
	m := &meter{report: *report, began: time.Now(), people: people, p: Progress{What: what, Name: name}}
	m.shown = m.began
	if !people {
		m.p.OfRows = rows
	}
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			m.p.OfBytes += info.Size()
		}
	}
	return m
}

func pathsOf(parts []part) []string {
	var paths []string
	for _, p := range parts {
		paths = append(paths, p.paths...)
	}
	return paths
}

func (m *meter) add(rows int, bytes int64) {
	if m == nil {
		return
	}
	m.mu.Lock()
	if !m.people {
		m.p.Rows += rows
	}
	m.p.Bytes += bytes
	now := time.Now()
	due := now.Sub(m.shown) >= pace
	if due {
		m.shown, m.p.Elapsed = now, now.Sub(m.began)
	}
	p := m.p
	m.mu.Unlock()
	if due {
		m.report(p)
	}
}

// done ends the pass.
func (m *meter) done() {
	if m == nil {
		return
	}
	m.mu.Lock()
	m.p.Elapsed, m.p.Done = time.Since(m.began), true
	p := m.p
	m.mu.Unlock()
	m.report(p)
}

// counted is a function of blocks that counts them.
func (m *meter) counted(fn func(*Block) error) func(*Block) error {
	if m == nil {
		return fn
	}
	return func(b *Block) error {
		m.add(b.Rows, 0)
		return fn(b)
	}
}

// reader is a reader that is counted.
func (m *meter) reader(r io.Reader) io.Reader {
	if m == nil {
		return r
	}
	return countedReader{r, m}
}

type countedReader struct {
	r io.Reader
	m *meter
}

func (c countedReader) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.m.add(0, int64(n))
	return n, err
}
