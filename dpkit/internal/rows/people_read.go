package rows

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/dpkit-go/dpnb/frames"
)

// mostShards is into how many parts the people that are read at a time are put: more of them than workers, who share them, and few enough people
// of each that who they are stays in a cache.
const mostShards = 32

// bagFunc makes rows of a bag, at least one, and appends them to a piece. place is that of the person. It may reorder the bag, and must not
// keep it.
type bagFunc func(out *piece, of Bag, place [16]byte)

// piece are rows that were made of bags.
type piece struct {
	x, y []float64
	rows int
}

// Blank is a cell of a row that nothing reads, the label's last, and the value that stands in its
// place.
type Blank struct {
	Cell  int
	Value float64
}

// made says where the rows of a bag are: none where it was empty.
type made struct{ piece, from, rows uint32 }

// madeOfBags are the rows of all bags, and where they are in the order of people's places, of each person one for each period.
type madeOfBags struct {
	pieces []piece
	of     []made
	who    []frames.PersonID // of each person; zero for who is listed and was not read
}

// someone is a person who was read.
type someone struct {
	place [16]byte
	id    frames.PersonID
	bags  int // where those of their periods are among all
}

// peopleReader makes rows of the bags of people.
//
// A bag must be whole before anything is made of it: which rows of a person are kept hangs on how often each of them comes, which no part of
// the bag tells. So it holds whole bags, of so many people at a time that their rows take about the memory that may be had, and reads the
// source once for each of these parts. In a part rows are read by several workers, each of which deals them to shards by whose they are; then
// workers make rows of the bags of a shard, of what all have dealt to it. A bag is a set, so that who read which row first does not show.
type peopleReader struct {
	in      frames.Source
	width   int
	shards  int
	parts   uint64
	part    uint64
	mu      sync.Mutex
	dealt   []*dealt                                     // the rows of a part, of each worker
	split   func(frames.PersonID) (frames.PersonID, int) // nil where people have no periods
	paper   *paper
	periods int
	unread  []Blank
}

// makeOfBags makes rows of every bag that is not empty, and holds about so many cells of the source's rows for it at a time. Cells that are unread have
// their blank value in all bags. fn returns what makes rows for each worker.
func makeOfBags(ctx context.Context, in frames.Source, key PlaceKey, held int, unread []Blank, fn func() bagFunc) (madeOfBags, error) {
	if uint64(in.Rows()) > 4e9 { // rows of a shard are numbered by 32 bits, and the last page of each who reads need not be full
		return madeOfBags{}, errors.New("dpkit: people: want a table of at most 4e9 rows")
	}
	r := newPeopleReader(in, held)
	r.unread = unread
	person, _ := in.Schema().Person()
	var out madeOfBags
	var all []someone
	var bags []made
	for ; r.part < r.parts; r.part++ {
		if err := r.read(ctx); err != nil {
			return madeOfBags{}, err
		}
		some := r.make(ctx, key, fn)
		if r.part == 0 { // parts have about as many people
			expected := 0
			for _, of := range some {
				expected += len(of.people)
			}
			expected = expected * int(r.parts) * 17 / 16
			all, bags = make([]someone, 0, expected), make([]made, 0, expected*r.periods)
		}
		for _, of := range some {
			for i, who := range of.people {
				all = append(all, someone{who.place, who.id, len(bags) + i*r.periods})
			}
			for _, bag := range of.bags {
				bags = append(bags, made{uint32(len(out.pieces)), bag.from, bag.rows})
			}
			out.pieces = append(out.pieces, of.piece)
		}
		if err := ctx.Err(); err != nil {
			return madeOfBags{}, err
		}
	}
	periodsOf := func(p someone) []made { return bags[p.bags : p.bags+r.periods] }
	if person.Listed() > 0 { // places are those of the list, with rows or without
		out.of, out.who = make([]made, person.Listed()*r.periods), make([]frames.PersonID, person.Listed())
		for _, p := range all {
			place, ok := person.Place(p.id)
			if !ok { // no source of frames has one
				return madeOfBags{}, fmt.Errorf("dpkit: people: a row of nobody in the roster: %w", frames.ErrPerson)
			}
			copy(out.of[place*r.periods:], periodsOf(p))
			out.who[place] = p.id
		}
		return out, nil
	}
	slices.SortFunc(all, func(a, b someone) int {
		if c := cmp.Compare(binary.BigEndian.Uint64(a.place[:]), binary.BigEndian.Uint64(b.place[:])); c != 0 {
			return c
		}
		return cmp.Or(bytes.Compare(a.place[8:], b.place[8:]), bytes.Compare(a.id[:], b.id[:]))
	})
	out.of = make([]made, 0, len(all)*r.periods)
	for _, p := range all {
		out.of, out.who = append(out.of, periodsOf(p)...), append(out.who, p.id)
	}
	return out, nil
}

func newPeopleReader(in frames.Source, held int) *peopleReader {
	schema, rows := in.Schema(), in.Rows()
	r := &peopleReader{in: in, width: schema.Width()}
	if _, labelled := schema.Label(); labelled {
		r.width++
	}
	person, _ := schema.Person()
	if r.periods = person.Periods(); r.periods > 1 {
		r.split = person.Split
	}
	cells, most := uint64(rows)*uint64(r.width+3), uint64(held) // with whose rows are and what chains them
	switch in.(type) {
	case *Matrix, frames.Ranger: // cheap to read again: no more than a part of what is held already
		most = min(most, max(cells/inMemoryParts, ChunkSize*mostShards))
	}
	r.parts = max(1, (cells+most-1)/most)
	r.shards = max(1, min(rows/ChunkSize, mostShards))
	r.paper = newPaper(rows/int(min(r.parts, uint64(rows)+1))/r.shards/min(workersFor(rows, chunkRows(r.width)), mostDealers), r.width)
	return r
}

// inMemoryParts is in how many parts people of a table in memory are read, unless there are few rows.
const inMemoryParts = 4

// mostDealers is how many workers deal rows to shards at most.
const mostDealers = 16

// read deals the rows of the people of a part to shards.
func (r *peopleReader) read(ctx context.Context) error {
	r.dealt = nil
	// Each worker leaves a page of every shard half full.
	return scanChunks(ctx, r.in, chunkRows(r.width), mostDealers, func() chunkFunc {
		own := &dealt{r.paper, make([][]page, r.shards), r.unread}
		r.mu.Lock()
		r.dealt = append(r.dealt, own)
		r.mu.Unlock()
		return func(b *frames.Block) {
			for i := range b.Rows {
				id := b.Person[i]
				if r.split != nil {
					id, _ = r.split(id)
				}
				h := spread(id)
				if h>>32*r.parts>>32 == r.part {
					own.add(int(h&math.MaxUint32*uint64(r.shards)>>32), b, i)
				}
			}
		}
	})
}

// madeOfShard are the rows that were made of the bags of a shard.
type madeOfShard struct {
	piece  piece
	people []someone
	bags   []made // of everybody in turn
}

func (r *peopleReader) newShard() *shard {
	return &shard{width: r.width, periods: r.periods, paper: r.paper}
}

// make makes rows of the bags of a part, and forgets them.
func (r *peopleReader) make(ctx context.Context, key PlaceKey, fn func() bagFunc) []madeOfShard {
	out := make([]madeOfShard, r.shards)
	var next atomic.Int64
	var c crew
	for range max(1, min(runtime.GOMAXPROCS(0), r.shards)) {
		c.Go(func() {
			c.do(func() {
				rowsOf, by := fn(), key.placing()
				var bags bagReader
				var own piece
				s := r.newShard()
				for k := int(next.Add(1)) - 1; k < r.shards; k = int(next.Add(1)) - 1 {
					s.gather(r.dealt, k, r.split)
					out[k] = s.make(ctx, &own, &bags, rowsOf, by)
					s.clear()
				}
			})
		})
	}
	c.finish()
	return out
}

// make makes rows of the bags of a shard. It gathers them in memory that is used again.
func (s *shard) make(ctx context.Context, rows *piece, bags *bagReader, fn bagFunc, by *placing) madeOfShard {
	*rows = piece{rows.x[:0], rows.y[:0], 0}
	out := madeOfShard{people: make([]someone, 0, len(s.ids)), bags: make([]made, len(s.last))}
	for who, id := range s.ids {
		if ctx.Err() != nil {
			return madeOfShard{}
		}
		place := by.place(id)
		out.people = append(out.people, someone{place: place, id: id})
		for bag := who * s.periods; bag < (who+1)*s.periods; bag++ {
			if s.count[bag] > 0 {
				from := rows.rows
				fn(rows, bags.read(s, bag), place)
				out.bags[bag] = made{from: uint32(from), rows: uint32(rows.rows - from)}
			}
		}
	}
	out.piece = piece{slices.Clone(rows.x), slices.Clone(rows.y), rows.rows}
	return out
}
