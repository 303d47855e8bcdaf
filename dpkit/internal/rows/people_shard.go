package rows

import (
	"encoding/binary"
	"math"
	"math/bits"
	"sync"

	"github.com/dpkit-go/dpnb/frames"
)

// shard holds the rows of some people, chained by whose they are: who reads a bag goes from its last row to the one before.
type shard struct {
	width   int // cells of a row: features, then the label where there is one
	periods int
	paper   *paper

	who   map[frames.PersonID]int
	ids   []frames.PersonID // in order of appearance
	last  []uint32          // of each bag, periods of them a person: 1 more than the row that came last; 0: none
	count []uint32          // of each bag: its rows
	pages []page            // rows are numbered as if all pages were full
}

// page is memory for some rows.
type page struct {
	cells  []float64
	who    []frames.PersonID // whose each row is
	before []uint32          // of each row: 1 more than the row before it of its bag; 0: none; removed until then, where an earlier step removed it
	rows   int
}

const removed = math.MaxUint32

// paper hands out pages, and takes them back.
type paper struct {
	mu    sync.Mutex
	shift int // 2^shift rows of a page
	width int
	spare []page
}

// pageCells is about how many cells a page has.
const pageCells = 1 << 12

// newPaper is for about so many rows that are written one behind the other: the last page of them is not full.
func newPaper(rows, width int) *paper {
	return &paper{width: width, shift: max(bits.Len(uint(min(pageCells/max(width, 1), max(rows/4, fewestRows))))-1, 0)}
}

// fewestRows are on a page, unless they are wide.
const fewestRows = 16

func (p *paper) page() page {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.spare); n > 0 {
		out := p.spare[n-1]
		p.spare = p.spare[:n-1]
		out.rows = 0
		return out
	}
	return page{make([]float64, p.width<<p.shift), make([]frames.PersonID, 1<<p.shift), make([]uint32, 1<<p.shift), 0}
}

// row is a row that is held, and which is before it.
func (s *shard) row(i uint32) (cells []float64, before *uint32) {
	p := &s.pages[i>>s.paper.shift]
	at := int(i & (1<<s.paper.shift - 1))
	return p.cells[at*s.width : (at+1)*s.width], &p.before[at]
}

// dealt are the rows that a worker has read, dealt to shards. It writes them one behind the other, where nobody else writes.
type dealt struct {
	paper  *paper
	pages  [][]page // of each shard
	unread []Blank
}

// add takes in a row of a block.
func (d *dealt) add(shard int, b *frames.Block, i int) {
	pages := d.pages[shard]
	if n := len(pages); n == 0 || pages[n-1].rows == len(pages[n-1].who) {
		pages = append(pages, d.paper.page())
		d.pages[shard] = pages
	}
	p, width := &pages[len(pages)-1], d.paper.width
	cells := p.cells[p.rows*width : (p.rows+1)*width]
	if copy(cells, b.Row(i)); b.Y != nil {
		cells[width-1] = b.Y[i]
	}
	for _, b := range d.unread {
		cells[b.Cell] = b.Value
	}
	p.who[p.rows], p.before[p.rows] = b.Person[i], 0
	if b.Empty != nil && b.Empty[i] {
		p.before[p.rows] = removed
	}
	p.rows++
}

// gather takes the rows of a shard from all who read, and chains them. Rows that an earlier step removed leave their person.
func (s *shard) gather(from []*dealt, k int, split func(frames.PersonID) (frames.PersonID, int)) {
	if s.who == nil {
		s.who = map[frames.PersonID]int{}
	}
	for _, d := range from {
		s.pages = append(s.pages, d.pages[k]...)
	}
	for i, p := range s.pages {
		row := uint32(i) << s.paper.shift
		for j, id := range p.who[:p.rows] {
			period := 0
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
			if row++; p.before[j] == removed {
				continue
			}
			bag := who*s.periods + min(period, s.periods-1)
			p.before[j], s.last[bag] = s.last[bag], row
			s.count[bag]++
		}
	}
}

// clear forgets the rows and whose they are, and keeps the memory.
func (s *shard) clear() {
	s.paper.mu.Lock()
	s.paper.spare = append(s.paper.spare, s.pages...)
	s.paper.mu.Unlock()
	clear(s.who)
	clear(s.pages)
	s.ids, s.last, s.count, s.pages = s.ids[:0], s.last[:0], s.count[:0], s.pages[:0]
}

// spread are bits that say with whom somebody is read. They decide about memory and order of work, and nothing that is made of rows.
func spread(id frames.PersonID) uint64 {
	hi, lo := bits.Mul64(binary.LittleEndian.Uint64(id[:8])^0x9e3779b97f4a7c15, binary.LittleEndian.Uint64(id[8:])^0xbf58476d1ce4e5b9)
	return hi ^ lo
}
