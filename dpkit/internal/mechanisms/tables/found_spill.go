package tables

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
)

// parallel is how many states of a pass hold groups at a time at most, each of which has a part of the memory.
const parallel = 8

// leastHeld is how many groups a state holds at least: with fewer the file would have ever so many lists.
const leastHeld = 256

// spill is where the groups of a pass go that do not fit memory. What came of them has the same bits as in memory: integers add up in any order, and groups are
// drawn for in the order of their keys.
type spill struct {
	most, keyBytes, width int // groups of a state

	mu   sync.Mutex
	runs *rows.Runs
	none bool  // there is no private file here
	err  error // the first one
}

// spillFor is for so many states, that may take so many bytes together; nil where nothing bounds them.
func (c *finding) spillFor(memory, states int) *spill {
	if memory <= 0 {
		return nil
	}
	each := 8*(len(c.keys.at)+c.width()) + 96 // with what a map and a text take
	return &spill{most: max(leastHeld, memory/states/each), keyBytes: 8 * len(c.keys.at), width: c.width()}
}

// relieve writes the groups of a state to the file where they are too many.
func (p *spill) relieve(s *foundCells) {
	if p != nil && len(s.keys) > p.most {
		p.write(s)
	}
}

// write puts the groups of a state into the file and empties it.
func (p *spill) write(s *foundCells) {
	runs := p.open()
	if runs == nil {
		return
	}
	s.sorted()
	err := runs.Add(len(s.keys), func(g int) (string, []int64) { return s.keys[g], s.cells[g*s.width : (g+1)*s.width] })
	p.mu.Lock()
	if p.err == nil {
		p.err = err
	}
	p.mu.Unlock()
	clear(s.at)
	s.keys, s.cells = s.keys[:0], s.cells[:0]
}

// open is the file; nil where there can be none, and behind an error of it.
func (p *spill) open() *rows.Runs {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.runs == nil && !p.none {
		var err error
		if p.runs, err = rows.NewRuns(p.keyBytes, p.width); err != nil {
			p.runs, p.none = nil, true
		}
	}
	return p.runs
}

// finish is what came of all rows: groups in the order of their keys, in memory or in the file.
func (p *spill) finish(s *foundCells, err error) (*foundCells, error) {
	if p == nil || p.runs == nil {
		return s.sorted(), err
	}
	if err == nil {
		p.write(s)
		if err = p.err; err != nil {
			err = fmt.Errorf("the private file for groups that do not fit the session's memory: %w; make room in the temporary folder, or raise Session.Memory", err)
		}
	}
	if err != nil {
		return s.sorted(), errors.Join(err, p.runs.Close())
	}
	s.runs = p.runs
	return s, nil
}

// each calls fn with groups and their cells in the order of keys, so many at a time as memory holds. fn may change the cells.
func (s *foundCells) each(ctx context.Context, fn func(keys []string, cells []int64)) error {
	if s.runs == nil {
		if len(s.keys) > 0 {
			fn(s.keys, append([]int64(nil), s.cells...))
		}
		return ctx.Err()
	}
	var keys []string
	var cells []int64
	err := s.runs.Merge(ctx, func(key []byte, numbers []int64) error {
		if keys, cells = append(keys, string(key)), append(cells, numbers...); len(keys) == s.spill.most {
			fn(keys, cells)
			keys, cells = keys[:0], cells[:0]
		}
		return nil
	})
	if err == nil && len(keys) > 0 {
		fn(keys, cells)
	}
	return err
}
