package rows

import (
	"encoding/binary"
	"math/bits"
	"sync"

	"github.com/dpkit-go/dpnb/frames"
)

// shard holds the rows of some people, chained by whose they are: who reads a bag goes from its last row to the one before.
type shard struct {
	mu      sync.Mutex
	width   int // cells of a row: features, then the label where there is one
	periods int
	paper   *paper

	who   map[frames.PersonID]int
	ids   []frames.PersonID // in order of appearance
	last  []uint32          // of each bag, periods of them a person: 1 more than the row that came last; 0: none
	count []uint32          // of each bag: its rows
	rows  uint32
	pages []page
}

// page is memory for some rows.
type page struct {
	cells  []float64
	before []uint32 // of each row: 1 more than the row before it of its bag; 0: none
}

// paper hands out pages, and takes them back.
type paper struct {
	mu    sync.Mutex
	shift int // 2^shift rows of a page
	width int
	spare []page
}

// pageCells is about how many cells a page has.
const pageCells = 1 << 12

// newPaper is for a table of so many rows.
func newPaper(rows, width int) *paper {
	return &paper{width: width, shift: max(bits.Len(uint(min(pageCells/max(width, 1), rows)))-1, 0)}
}

func (p *paper) page() page {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.spare); n > 0 {
		out := p.spare[n-1]
		p.spare = p.spare[:n-1]
		return out
	}
	return page{make([]float64, p.width<<p.shift), make([]uint32, 1<<p.shift)}
}

// row is a row that is held, and which is before it.
func (s *shard) row(i uint32) (cells []float64, before *uint32) {
	p := &s.pages[i>>s.paper.shift]
	at := int(i & (1<<s.paper.shift - 1))
	return p.cells[at*s.width : (at+1)*s.width], &p.before[at]
}

// add takes in rows of a block. Rows that an earlier step removed leave their person.
func (s *shard) add(b *frames.Block, rows []int32, split func(frames.PersonID) (frames.PersonID, int)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.who == nil {
		s.who = map[frames.PersonID]int{}
	}
	for _, i := range rows {
		id, period := b.Person[i], 0
		if split != nil {
			id, period = split(id)
		}
		who, ok := s.who[id]
		if !ok {
			who = len(s.ids)
			s.who[id] = who
			s.ids = append(s.ids, id)
			for range s.periods {
				s.last, s.count = append(s.last, 0), append(s.count, 0)
			}
		}
		if b.Empty != nil && b.Empty[i] {
			continue
		}
		if int(s.rows>>s.paper.shift) == len(s.pages) {
			s.pages = append(s.pages, s.paper.page())
		}
		cells, before := s.row(s.rows)
		if copy(cells, b.Row(int(i))); b.Y != nil {
			cells[s.width-1] = b.Y[i]
		}
		s.rows++
		bag := who*s.periods + min(period, s.periods-1)
		*before, s.last[bag] = s.last[bag], s.rows
		s.count[bag]++
	}
}

// clear forgets the rows and whose they are.
func (s *shard) clear() {
	s.paper.mu.Lock()
	s.paper.spare = append(s.paper.spare, s.pages...)
	s.paper.mu.Unlock()
	s.who, s.ids, s.last, s.count, s.rows, s.pages = nil, nil, nil, nil, 0, nil
}

// spread are bits that say with whom somebody is read. They decide about memory and order of work, and nothing that is made of rows.
func spread(id frames.PersonID) uint64 {
	hi, lo := bits.Mul64(binary.LittleEndian.Uint64(id[:8])^0x9e3779b97f4a7c15, binary.LittleEndian.Uint64(id[8:])^0xbf58476d1ce4e5b9)
	return hi ^ lo
}
