package frames

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"sync"
)

// textParser parses the rows of a text one after another.
type textParser interface {
	// common is the part that all parsers share: the current row, what is wrong so far, and the reader of lines.
	common() *rowParser
	// begin reads what stands before the rows, so many records; row says that the last of them is a row, which is parsed. Its
	// error ends the reading; io.EOF says that there is no record.
	begin() (records int, row bool, err error)
	// next parses the next row, or reports what is wrong with it: io.EOF at the end of the text, errOpen where a record goes on behind it.
	next() error
	// another parses rows of the same text in another goroutine.
	another() textParser
}

// errOpen says that a segment ends within a record.
var errOpen = errors.New("frames: the record goes on behind the segment")

// A text is read by all processors. One goroutine cuts it into segments at ends of lines, several parse these, and the first takes the
// rows in order, which for a table is to find their places: those who parse write them there. What it gives is as if it had parsed every row itself, errors and their lines with it: it parses again, in its turn, each
// segment in which anything is no row. A record within quotes may go on over lines; where a segment ends in one, that record is
// parsed with the segment behind it.
const (
	segmentCells = 4 << 20 // cells beyond which a segment, of sparse rows, is parsed in its turn, in parts
	widestShared = 1 << 16 // columns beyond which one goroutine parses: each holds a parser for every column
)

// segmentation says how a text is parted.
type segmentation struct {
	first   int // bytes; a text that ends within them is parsed by one goroutine
	size    int // bytes of the segments behind them
	workers int // goroutines that parse
}

func segmentsOf(s Schema) segmentation {
	p := segmentation{64 << 10, 256 << 10, runtime.GOMAXPROCS(0)} // a second-level cache holds a segment and its rows
	if s.Len() > widestShared {
		p.workers = 1
	}
	return p
}

// textReader reads one text once.
type textReader struct {
	segmentation
	p     textParser
	c     *rowParser // what p has in common
	lines lineCutter
	rows  int
	batch *batch
}

// readText gives the rows of a text to sink, block by block. It returns sink's error, the reader's, or the LoadError of all problems.
func readText(p textParser, text io.Reader, o CSVOptions, sink func(*Block) error) error {
	c := p.common()
	if err := c.read(text, o); err != nil {
		return err
	}
	records, row, err := p.begin()
	if errors.Is(err, io.EOF) {
		return c.end(0, 0)
	}
	if err != nil {
		return err
	}
	r := &textReader{segmentation: c.segments, p: p, c: c, lines: lineCutter{r: c.rr.r, limit: c.rr.limit}, batch: newBatch(c.schema, blockRows, sink)}
	if row {
		r.rows++
		if err := c.pass(r.batch.push); err != nil {
			return err
		}
		records-- // it counts as a row
	}
	if err := r.read(); err != nil {
		return err
	}
	if err := r.batch.flush(); err != nil {
		return err
	}
	return c.end(records+r.rows, r.rows)
}

// read reads the rows.
func (r *textReader) read() error {
	text, err := r.lines.cut(nil, r.first)
	rest, bad := r.inTurn(text, errors.Is(err, io.EOF))
	switch {
	case bad != nil:
		return bad
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return r.broken(rest, err)
	}
	jobs := make(chan func(p textParser), r.segments())
	var wg sync.WaitGroup
	if r.workers > 1 {
		for range r.workers {
			p := r.p.another()
			wg.Go(func() {
				for do := range jobs {
					do(p)
				}
			})
		}
	}
	defer wg.Wait()
	defer close(jobs)
	return r.inOrder(jobs, bytes.Clone(rest))
}

// segments is how many there are at most: those that wait to be taken, and as many whose rows are written.
func (r *textReader) segments() int { return 2 * (r.workers + 1) }

// inOrder cuts the text into segments, hands them to those who read jobs, and takes the rows in order. A record that goes on behind its segment is
// open, as far as it was read.
func (r *textReader) inOrder(jobs chan<- func(textParser), open []byte) error {
	want := 2 * len(open)      // bytes to gather before the open record is parsed again: so often that all of them are parsed twice
	var queue, free []*segment // of the free ones, the first waits longest for its rows to be written
	var end error
	for {
		for end == nil && len(queue) <= r.workers {
			var s *segment
			if len(free) > 0 && (free[0].written(false) || len(queue)+len(free) == r.segments()) {
				s, free = free[0], free[1:]
				s.written(true)
			} else {
				s = newSegment(r.c.schema)
			}
			s.text, end = r.lines.cut(s.text[:0], r.size)
			s.last = errors.Is(end, io.EOF)
			queue = append(queue, s)
			if r.workers > 1 {
				jobs <- func(p textParser) {
					s.parse(p)
					s.done <- struct{}{}
				}
			}
		}
		if len(queue) == 0 {
			break
		}
		s := queue[0]
		queue = queue[1:]
		if r.workers > 1 {
			<-s.done
		}
		text, again := s.text, s.odd || r.workers == 1
		if len(open) > 0 {
			if need := len(open) + len(s.text); need > cap(open) {
				open = append(make([]byte, 0, max(want, need)), open...)
			}
			open = append(open, s.text...)
			if text, again = open, true; !s.last && len(open) < want {
				free = append(free, s)
				continue
			}
		}
		rest, err := s.text[s.open:], error(nil)
		if again {
			rest, err = r.inTurn(text, s.last)
		} else {
			err = r.take(s)
		}
		if err != nil {
			return err
		}
		if write := s.write; write != nil {
			s.write, s.busy = nil, true
			jobs <- func(textParser) {
				write()
				s.done <- struct{}{}
			}
		}
		open = append(open[:0], rest...) // which may lie in open itself
		want = 2 * len(open)
		free = append(free, s)
	}
	if errors.Is(end, io.EOF) {
		return nil
	}
	return r.broken(open, end)
}

// broken is the verdict on a text whose reader failed behind a record that was not at its end.
func (r *textReader) broken(open []byte, err error) error {
	r.c.rr.line += bytes.Count(open, []byte("\n"))
	return r.c.broken(err)
}

// inTurn parses a segment behind all before it. It returns the record at its end that goes on behind it.
func (r *textReader) inTurn(text []byte, last bool) (rest []byte, err error) {
	rr := r.c.rr
	rr.restart(text, rr.line, last)
	for {
		switch err := r.p.next(); {
		case errors.Is(err, io.EOF):
			return nil, nil
		case errors.Is(err, errOpen):
			rr.line = rr.first - 1
			return text[rr.begun:], nil
		case err != nil:
			return nil, r.c.broken(err)
		}
		r.rows++
		if err := r.c.pass(r.batch.push); err != nil {
			return nil, err
		}
	}
}

// take takes the rows of a segment that holds nothing else.
func (r *textReader) take(s *segment) error {
	rr := r.c.rr
	if rr.cr == 0 && s.cr > 0 {
		rr.cr = rr.line + s.cr
	}
	rr.line += s.lines
	r.rows += s.block.Rows
	for i, n := range s.clamped {
		if n > 0 {
			r.c.cells[i].clamped += n
		}
	}
	if len(r.c.errs.Problems) > 0 {
		return nil
	}
	return r.batch.give(s.block)
}

// segment is a part of a text, of whole lines, and what a parser makes of it alone.
type segment struct {
	text []byte
	last bool // the text ends with it
	done chan struct{}

	block     *Block
	lines, cr int   // lines in it, and the first that holds a lone CR, from 1
	clamped   []int // by schema column
	open      int   // where the record begins that goes on behind it; its length if none does
	odd       bool  // it holds something else than rows

	write func() // its rows, where that was left to be done; nil if it was not
	busy  bool   // they are being written: done says when they are
}

func newSegment(s Schema) *segment {
	out := &segment{block: newBlock(s, 0), clamped: make([]int, s.Len()), done: make(chan struct{}, 1)}
	out.block.later = func(write func()) { out.write = write }
	return out
}

// written reports whether the rows of a segment that was taken are written; it waits for them if asked to.
func (s *segment) written(wait bool) bool {
	if s.busy && (wait || len(s.done) > 0) {
		<-s.done
		s.busy = false
	}
	return !s.busy
}

// parse makes rows of the segment.
func (s *segment) parse(p textParser) {
	c := p.common()
	c.rr.restart(s.text, 0, s.last)
	c.rr.cr, c.errs = 0, &LoadError{}
	for _, cell := range c.cells {
		if cell != nil {
			cell.clamped = 0
		}
	}
	s.block.advance()
	s.odd, s.open = false, len(s.text)
	for {
		err := p.next()
		switch {
		case errors.Is(err, io.EOF):
			s.lines = c.rr.line
		case errors.Is(err, errOpen):
			s.lines, s.open = c.rr.first-1, c.rr.begun
		case err != nil || len(c.errs.Problems) > 0 || len(s.block.X) > segmentCells:
			s.odd = true
		default:
			if c.stamp != nil {
				c.stamp(&c.rowValues)
			}
			s.block.push(c.rowValues)
			continue
		}
		break
	}
	s.cr = c.rr.cr
	for i, cell := range c.cells {
		if cell != nil {
			s.clamped[i] = cell.clamped
		}
	}
}

// lineCutter cuts a text at ends of lines.
type lineCutter struct {
	r     io.Reader
	limit int    // bytes of a line
	rest  []byte // of a line whose end was not read
}

// cut appends so many bytes of the text to buf, or some more where a line goes on, and ends with a line, but where the text ends, or where a line is
// too long. It returns io.EOF with the last of the text, and another error of the reader with the last lines before it.
func (l *lineCutter) cut(buf []byte, size int) ([]byte, error) {
	buf = append(buf, l.rest...)
	l.rest = l.rest[:0]
	for nothing := 0; ; {
		for len(buf) < size {
			if len(buf) == cap(buf) {
				buf = append(make([]byte, 0, max(size, 2*cap(buf))), buf...)
			}
			n, err := l.r.Read(buf[len(buf):min(cap(buf), max(size, len(buf)+1))])
			buf = buf[:len(buf)+n]
			if nothing++; n > 0 {
				nothing = 0
			}
			if err == nil && nothing == 100 {
				err = io.ErrNoProgress
			}
			if errors.Is(err, io.EOF) {
				return buf, io.EOF
			}
			if err != nil {
				return buf[:bytes.LastIndexByte(buf, '\n')+1], err
			}
		}
		if i := bytes.LastIndexByte(buf, '\n'); i >= 0 {
			l.rest = append(l.rest, buf[i+1:]...)
			return buf[:i+1], nil
		}
		if len(buf)-len("\r\n") > l.limit { // too long whatever follows
			return buf, nil
		}
		size = 2 * len(buf)
	}
}
