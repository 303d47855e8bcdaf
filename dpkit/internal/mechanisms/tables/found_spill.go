package tables

import (
	"context"
	"errors"
	"sync"

	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
)

// leastHeld is how many groups a state holds at least: with fewer the file would have ever so many lists.
const leastHeld = 256

// spill is where the groups of a pass go that do not fit memory. What came of them has the same bits as in memory: integers add up in any order, and groups are
// drawn for in the order of their keys.
type spill struct {
	most, keyBytes, width int // groups of a state

	mu   sync.Mutex
	runs *rows.Runs
	none bool // there is no private file here, or no more of one
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

// write puts the groups of a state into the file and empties it. Where the file takes no more, as on a full disk, they stay: a release does not
// fail for how many groups there are.
func (p *spill) write(s *foundCells) (written bool) {
	runs := p.open()
	if runs == nil {
		return false
	}
	s.sorted()
	if err := runs.Add(len(s.keys), func(g int) (string, []int64) { return s.keys[g], s.cells[g*s.width : (g+1)*s.width] }); err != nil {
		p.mu.Lock()
		p.none = true
		p.mu.Unlock()
		return false
	}
	clear(s.at)
	s.keys, s.cells = s.keys[:0], s.cells[:0]
	return true
}

// open is the file to write to; nil where there can be none.
func (p *spill) open() *rows.Runs {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.none {
		return nil
	}
	if p.runs == nil {
		var err error
		if p.runs, err = rows.NewRuns(p.keyBytes, p.width); err != nil {
			p.runs, p.none = nil, true
		}
	}
	return p.runs
}

// finish is what came of all rows: groups in the order of their keys, in memory or in the file.
func (p *spill) finish(ctx context.Context, s *foundCells, err error) (*foundCells, error) {
	if p == nil || p.runs == nil {
		return s.sorted(), err
	}
	if err == nil && p.write(s) {
		s.runs = p.runs
		return s, nil
	}
	if err == nil { // what the file took comes back to the rest
		err = p.runs.Merge(ctx, func(key []byte, numbers []int64) error {
			at := s.place(key)
			for k, v := range numbers {
				s.cells[at+k] += v
			}
			return nil
		})
	}
	return s.sorted(), errors.Join(err, p.runs.Close())
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
