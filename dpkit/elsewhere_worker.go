package dpkit

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/remote"
)

// worker are the rows of a release in a process that makes one pass of it.
type worker struct {
	schema frames.Schema
	rows   int
	people int // or rows
	place  rows.PlaceKey
	before [][]byte // what is left of what came before

	in    frames.Source // the rows at the pass
	begin func() rows.Partial
}

// errReached ends a release at the pass that a worker was asked for.
var errReached = errors.New("dpkit: the pass is reached")

func (w *worker) Schema() frames.Schema { return w.schema }

func (w *worker) Rows() int { return w.rows }

func (w *worker) Scan(context.Context, func(*frames.Block) error) error {
	return fmt.Errorf("dpkit: a pass over shards: want passes alone: %w", frames.ErrElsewhere)
}

// Pass recalls the state of a pass that was made before.
func (w *worker) Pass(_ context.Context, in frames.Source, begin func() rows.Partial) (rows.Partial, error) {
	if len(w.before) == 0 {
		w.in, w.begin = in, begin
		return nil, errReached
	}
	all := begin()
	err := rows.ReadState(all, w.before[0])
	w.before = w.before[1:]
	return all, err
}

func (w *worker) recall(answers [][]float64) error {
	if len(w.before) == 0 {
		return fmt.Errorf("queries of a step were not answered: %w", remote.ErrJob)
	}
	raw := w.before[0]
	w.before = w.before[1:]
	return readAnswers(answers, raw)
}

// recallPoint is where a pass is made that hangs on draws.
func (w *worker) recallPoint() ([]float64, error) {
	const words = len(answersMark) + 8
	point := [][]float64{make([]float64, max(0, len(w.before[0])-words)/8)}
	return point[0], w.recall(point)
}

// prepareAfar makes the release of a job anew, up to its pass.
func prepareAfar(ctx context.Context, job remote.Job) (remote.Pass, error) {
	var of toldRelease
	if err := json.Unmarshal(job.Release, &of); err != nil || of.Version != toldVersion {
		return nil, fmt.Errorf("dpkit: a pass over shards: got a job of version %d, want %d: run the same version of dpnb everywhere: %w", of.Version, toldVersion, remote.ErrJob)
	}
	w := &worker{schema: of.Schema, rows: of.Rows, people: of.Protected, place: of.Place, before: job.Before}
	s := &Session{src: w, schema: of.Schema.Computed(), rows: of.Protected, neighbours: of.Neighbours} // its text says which law a plan has
	if of.Demo {
		s.mode = modeDemo
	}
	if person, ok := of.Schema.Person(); ok {
		s.unit = unitOf(person)
	}
	pl, err := parsePlan(s, of.Plan)
	if err != nil {
		return nil, err
	}
	q, err := pl.quote()
	if err != nil {
		return nil, err
	}
	q.columns = of.Columns
	q.place = func() (rows.PlaceKey, error) { return of.Place, nil }
	a, err := q.apply(ctx, w, nil)
	if err == nil && len(a.bounds) > 0 {
		a.q, err = a.q.resettled()
	}
	if err == nil {
		_, err = a.q.made.Read(ctx, pl.table(a.rows))
	}
	if err == nil && len(w.before) > 0 && a.q.made.Again != nil {
		var point []float64
		if point, err = w.recallPoint(); err == nil {
			err = a.q.made.Again(ctx, pl.table(a.rows), point)
		}
	}
	switch {
	case err == nil:
		return nil, fmt.Errorf("dpkit: a pass over shards: the release makes fewer passes than were told: run the same program everywhere: %w", remote.ErrJob)
	case !errors.Is(err, errReached):
		return nil, err
	}
	return passAfar{w}, nil
}

// passAfar is the pass that a worker was asked for.
type passAfar struct{ *worker }

func (p passAfar) Accumulate(ctx context.Context, shard frames.Source, number, first int) ([]byte, error) {
	if err := p.ofSchema(shard); err != nil {
		return nil, err
	}
	if _, ok := p.schema.Person(); ok { // rows of people have no places among all
		return p.accumulate(ctx, rows.Upon(p.in, p.worker, shard), number)
	}
	return p.accumulate(ctx, rows.Upon(p.in, p.worker, shardOf{shard, first, p.rows}), 0)
}

func (p passAfar) ofSchema(shard frames.Source) error {
	if shard.Schema().Hash() != p.schema.Hash() {
		return fmt.Errorf("dpkit: a pass over shards: got a shard of another schema, want that of the session: %w", remote.ErrJob)
	}
	return nil
}

// accumulate returns the state of rows. The places of people of different numbers are apart: no state takes two for one.
func (p passAfar) accumulate(ctx context.Context, in frames.Source, number int) ([]byte, error) {
	all, err := rows.Accumulate(ctx, in, number*p.in.Rows(), p.begin)
	if err != nil {
		return nil, err
	}
	return rows.WriteState(all)
}

func (p passAfar) Buckets() int {
	if !rows.MadeOfPeople(p.in) {
		return 0
	}
	return rows.Buckets(p.people)
}

func (p passAfar) Deal(ctx context.Context, shard frames.Source, buckets int, to func(bucket int, block []byte) error) error {
	if err := p.ofSchema(shard); err != nil {
		return err
	}
	return rows.Deal(ctx, rows.Upon(rows.DealtAt(p.in), p.worker, shard), p.place, buckets, to)
}

func (p passAfar) AccumulateDealt(ctx context.Context, number int, blocks func(fn func(block []byte) error) error) ([]byte, error) {
	at := rows.DealtAt(p.in)
	dealt, err := rows.NewDealt(at.Schema(), blocks)
	if err != nil {
		return nil, fmt.Errorf("dpkit: a pass over people: %w", err)
	}
	return p.accumulate(ctx, rows.Upon(p.in, at, dealt), number)
}

func (p passAfar) Merge(states [][]byte) ([]byte, error) {
	all := p.begin()
	for _, raw := range states {
		next := p.begin()
		if err := rows.ReadState(next, raw); err != nil {
			return nil, err
		}
		all.Merge(next)
	}
	return rows.WriteState(all)
}

// shardOf are the rows of a shard where they stand among all.
type shardOf struct {
	frames.Source
	first, rows int
}

func (s shardOf) Rows() int { return s.rows }

func (s shardOf) Scan(ctx context.Context, fn func(*frames.Block) error) error {
	return s.Source.Scan(ctx, func(b *frames.Block) error {
		moved := *b
		moved.First += s.first
		return fn(&moved)
	})
}

func init() { remote.Register(prepareAfar) }

// recalled answers private queries of a step where they were answered before; done says whether it did.
func recalled(in frames.Source, answers [][]float64) (done bool, err error) {
	w, ok := rows.LieElsewhere(in).(*worker)
	if !ok {
		return false, nil
	}
	return true, w.recall(answers)
}

// answersMark begins what queries answered, among states.
const answersMark = "dpnb answers 1\n"

func writeAnswers(answers [][]float64) []byte {
	out := []byte(answersMark)
	for _, a := range answers {
		out = binary.LittleEndian.AppendUint64(out, uint64(len(a)))
		for _, v := range a {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
		}
	}
	return out
}

// readAnswers fills lists that have the lengths of those that were written.
func readAnswers(answers [][]float64, raw []byte) error {
	bad := fmt.Errorf("what queries of a step answered is not of this release: %w", remote.ErrJob)
	if len(raw) < len(answersMark) || string(raw[:len(answersMark)]) != answersMark {
		return bad
	}
	raw = raw[len(answersMark):]
	word := func() uint64 {
		if len(raw) < 8 {
			return math.MaxUint64
		}
		v := binary.LittleEndian.Uint64(raw)
		raw = raw[8:]
		return v
	}
	for k := range answers {
		if n := word(); n != uint64(len(answers[k])) || uint64(len(raw)) < 8*n {
			return bad
		}
		for j := range answers[k] {
			answers[k][j] = math.Float64frombits(word())
		}
	}
	if len(raw) > 0 {
		return bad
	}
	return nil
}
