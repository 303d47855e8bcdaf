package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// What a chain holds: one table, which each step writes over. Where it is made it gets room for the widest rows that it will hold ([quote.room]). A
// table is made beside the one that is read where people's rows become others, and by steps of other modules, which may hold the rows that
// they were fitted to.

// keeps reports whether a step's table is held whatever its size.
func (q quote) keeps(s stageOf) bool {
	switch s.Step.(type) {
	case rows.Collapser, rows.Bounder, rows.Rewriter:
		return true
	case rows.Joiner:
		return !s.Stage.People
	}
	return false
}

// besides reports whether a step's table is made beside the one that it reads.
func (s *stageOf) besides() bool {
	switch s.Step.(type) {
	case rows.Collapser, rows.Bounder, rows.Joiner:
		return true
	}
	return !kind.IsOwn(s.Step)
}

// streams reports whether a step's table is not held.
func (q quote) streams(s stageOf) bool {
	if j, ok := s.Step.(steps.JoinPeople); ok && s.Stage.People && j.Product() {
		return true
	}
	return !q.keeps(s) && !q.fits(s.Pair.N, s.Out)
}

// room is how many numbers a row of the table behind step i gets room for, so that the steps behind it can write over it.
func (q quote) room(i int) int {
	n := max(1, q.stages[i].Pair.N)
	room := q.stages[i].Out.Width()
	for _, s := range q.stages[i+1:] {
		if s.besides() {
			break
		}
		if !q.streams(s) {
			room = max(room, (s.Pair.N*s.Out.Width()+n-1)/n) // a split leaves fewer rows
		}
	}
	return room
}

// loadRoom is [quote.room] of the source where it is read into memory.
func (q quote) loadRoom() int {
	if q.stages[0].besides() {
		return 0
	}
	return q.room(0)
}

// bytesOf are those of a table of n rows of a schema, each with room for so many numbers.
func bytesOf(n int, s frames.Schema, room int) int64 {
	row := 8 * max(room, s.Width())
	if _, ok := s.Label(); ok {
		row += 8
	}
	if _, ok := s.Person(); ok {
		row += len(frames.PersonID{})
	}
	return int64(n) * int64(row)
}

// holds is what the chain holds of tables, from public sizes.
func (q quote) holds() cost.Held {
	var h cost.Held
	var table int64  // bytes of the table that is held; 0: none
	var second int64 // of a joined table that a stream reads
	over := false    // the next step may write over it
	hold := func(size int64) { h.Bytes, table = max(h.Bytes, table+second+size), size }
	if q.loads() {
		over = true
		hold(bytesOf(q.stages[0].Before.N, q.stages[0].In, q.loadRoom()))
	}
	for i, s := range q.stages {
		if j, ok := s.Step.(steps.JoinPeople); ok {
			most, left := q.joins(j, s)
			h.Bytes, second = max(h.Bytes, table+most), left
		}
		if q.streams(s) {
			h.Streamed++
			over = over && kind.IsOwn(s.Step)
			continue
		}
		if !over || s.besides() || bytesOf(s.Pair.N, s.Out, 0) > table {
			hold(bytesOf(s.Pair.N, s.Out, q.room(i)))
		}
		_, places := s.Step.(rows.Bounder)
		over, second = !places, 0
	}
	// A mechanism that passes over the rows again reads them into memory, where no step did.
	if again := q.made.Read != nil && !q.made.Once; again && table == 0 && h.Streamed == 0 && !q.elsewhere && q.fits(q.end.Before.N, q.end.In) {
		hold(bytesOf(q.end.Before.N, q.end.In, 0))
	}
	return h
}

// whereRows says where the rows of a source lie: elsewhere, or in a file, from which they are read anew for every pass; neither where they are in memory.
func whereRows(src frames.Source) (elsewhere, file bool) {
	switch src.(type) {
	case *frames.Frame, *rows.Matrix:
		return false, false
	case *frames.Sharded:
		return true, false
	}
	elsewhere = rows.LieElsewhere(src) != nil
	return elsewhere, !elsewhere
}

// loads reports whether the source is read into memory before the first step, which is fitted to rows that are not there.
func (q quote) loads() bool {
	return q.file && len(q.stages) > 0 && q.stages[0].Role != stage.RolePublic && q.fits(q.stages[0].Before.N, q.stages[0].In)
}

// joins are bytes of the second table of a join: the most that are held while it is made, and those of what is made. Where rows are paired these are
// of all rows that may be kept of both tables.
func (q quote) joins(j steps.JoinPeople, s stageOf) (most, left int64) {
	stages, err := stagesOfSecond(j, s.Before)
	if err != nil {
		return 0, 0 // the plan is refused
	}
	n, schema := s.Before.N, j.With.In
	if len(stages) > 0 {
		last := stages[len(stages)-1]
		n, schema = last.Pair.N, last.Out
	}
	if left = bytesOf(n, schema, 0); j.Product() {
		keep, _ := j.Keeps()
		left = bytesOf(n*keep.Second, schema, 0) + bytesOf(n*keep.First, s.In, 0)
	}
	return max(left, quote{stages: stages, held: q.held}.holds().Bytes), left
}
