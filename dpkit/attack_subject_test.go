package dpkit

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/attack"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// chainSubject is a chain of steps as the engine attacks it: priced as a plan prices it, and fitted as a release fits it.
func chainSubject(chain []stage.Preprocessor, s attack.Subject) attack.Subject {
	s.Price = func(st attack.State) (attack.Claim, error) { return claimOf(chain, st) }
	s.Run = func(ctx context.Context, c attack.Claim, a, b attack.Side) (x, y attack.Output, err error) {
		return runBoth(ctx, c.Priced.(quote), a, b)
	}
	return s
}

// claimOf follows the state through the chain. hide may change what a step, from 0, is told of the rows that it gets.
func claimOf(chain []stage.Preprocessor, in attack.State, hide ...func(step int, st *stage.Stage)) (attack.Claim, error) {
	end := stage.Stage{In: in.Schema, Before: in.Pair, Taint: in.Taint, Empty: in.Empty, Unordered: in.Unordered}
	_, end.People = in.Schema.Person()
	q := quote{place: (&Session{}).place}
	var c attack.Claim
	for i, step := range chain {
		for _, h := range hide {
			h(i, &end)
		}
		st, pr, err := advance(step, end, q.stages)
		if err != nil {
			return c, fmt.Errorf("step %d %s: %w", i+1, kind.Describe(step), err)
		}
		s := stageOf{PricedStep: steps.PricedStep{Stage: st, Propagation: pr, Step: step}}
		if asks, ok := step.(query.Spender); ok {
			if s.expenses, err = asks.Expenses(st); err != nil {
				return c, fmt.Errorf("step %d %s: %w", i+1, kind.Describe(step), err)
			}
		}
		for _, e := range s.expenses {
			c.Sensitivities = append(c.Sensitivities, e.Query.Sensitivity)
		}
		c.Unordered = c.Unordered || pr.Empties && !pr.InPlace || pr.Collapses || pr.Bounds.Rows > 0
		q.stages, end = append(q.stages, s), stageBehind(step, st, pr)
	}
	q.end = end
	c.Schema, c.Pair, c.Taint, c.Priced = end.In, end.Before, end.Taint, q
	for _, s := range q.stages {
		if _, ok := s.Step.(rows.Sided); ok { // runBoth keeps the places of rows that are on the other side
			c.Pair.N = s.Before.N
		}
	}
	return c, nil
}

// runBoth runs both sides. A private fit learns the same from both: what it releases is public.
func runBoth(ctx context.Context, q quote, a, b attack.Side) (x, y attack.Output, err error) {
	schema := q.end.In
	if len(q.stages) > 0 {
		schema = q.stages[0].In
	}
	table := [2]frames.Source{matrixOfBlock(schema, a.Rows), matrixOfBlock(schema, b.Rows)}
	raw := table
	outs := [2]*attack.Output{&x, &y}
	var side *rows.Side
	for i, s := range q.stages {
		if of, ok := s.Step.(rows.Sided); ok {
			kept, err := of.Side(s.Stage)
			if err != nil {
				return x, y, err
			}
			side = &kept
		}
		var learnt answer
		for side := range table {
			noisy, err := s.exact(ctx, attack.InBlocks(table[side], a.Blocks))
			if err != nil {
				return x, y, err
			}
			outs[side].Answers = append(outs[side].Answers, noisy...)
			if p, ok := s.Step.(query.PrivateFit); ok && side == 0 {
				if learnt.learnt, err = p.Learn(s.Stage, noisy); err != nil {
					return x, y, err
				}
			}
		}
		for side := range table {
			t, err := s.fit(ctx, attack.InBlocks(table[side], a.Blocks), learnt)
			if err != nil {
				return x, y, err
			}
			q.second = func(string) (frames.Source, error) { return raw[side], nil } // both tables are the one that is attacked
			if table[side], err = q.transformed(ctx, table[side], table[side], i, s, t); err != nil {
				return x, y, err
			}
			if table[side], err = rows.Hold(ctx, table[side]); err != nil {
				return x, y, err
			}
		}
	}
	for i, in := range table {
		if p, ok := in.(*rows.Places); ok {
			if in, err = rows.Materialise(ctx, p, p.Schema(), rows.SameRow); err != nil {
				return x, y, err
			}
		}
		m, ok := in.(*rows.Matrix)
		if !ok {
			return x, y, errors.New("the rows are not in memory")
		}
		outs[i].Rows = m.Block(0, m.Rows())
		if side != nil {
			outs[i].Rows = inPlace(outs[i].Rows, *side)
		}
	}
	return x, y, nil
}

// inPlace are the rows of a side at the places that they had, with empty rows at those of the other side.
func inPlace(b *frames.Block, side rows.Side) *frames.Block {
	out := &frames.Block{Cols: b.Cols, Rows: len(side.Kept) * side.Each}
	out.X, out.Empty = make([]float64, out.Rows*out.Cols), make([]bool, out.Rows)
	if b.Y != nil {
		out.Y = make([]float64, out.Rows)
	}
	next := 0
	for i := range out.Rows {
		if out.Empty[i] = !side.Kept[i/side.Each]; out.Empty[i] {
			continue
		}
		copy(out.X[i*out.Cols:], b.Row(next))
		if b.Y != nil {
			out.Y[i] = b.Y[next]
		}
		out.Empty[i] = b.Empty != nil && b.Empty[next]
		next++
	}
	return out
}

// exact are the answers to the private queries of a step without noise, cut to what they may be.
func (s stageOf) exact(ctx context.Context, in frames.Source) ([][]float64, error) {
	if len(s.expenses) == 0 {
		return nil, nil
	}
	answers, err := s.Step.(query.Spender).Measure(ctx, in, s.Stage)
	for k, answer := range answers {
		for j, v := range answer {
			answers[k][j] = num.Clamp(v, -s.expenses[k].Query.Max, s.expenses[k].Query.Max)
		}
	}
	return answers, err
}

func matrixOfBlock(s frames.Schema, b *frames.Block) *rows.Matrix {
	m := &rows.Matrix{Domain: s, Cols: b.Cols, X: b.X, Y: b.Y, Empty: b.Empty}
	if m.Person = b.Person; m.Person != nil {
		return m
	}
	if _, ok := s.Person(); ok { // somebody else's each
		m.Person = make([]frames.PersonID, b.Rows)
		for i := range m.Person {
			binary.LittleEndian.PutUint64(m.Person[i][:], uint64(i))
		}
	}
	return m
}

// The domains of attacks, in the unit u.

func mustSchema(cols ...frames.Column) frames.Schema { return must(frames.NewSchema(cols...)) }

// peopleDomain has categories and numbers, with a class for a label; all may miss where missing says so.
func peopleDomain(u float64, missing bool, label frames.Column) frames.Schema {
	cols := []frames.Column{
		frames.Category("town", "a", "b", "c"), frames.Numeric("u", -u, u),
		frames.Category("job", "x", "y"), frames.Numeric("v", 0, 2*u),
	}
	for i := range cols {
		cols[i].Missing = missing
	}
	return mustSchema(append(cols, label)...)
}

func yesOrNo() frames.Column { return frames.Label("y", "no", "yes") }

func wholeDomain(u float64) frames.Schema { return peopleDomain(u, false, yesOrNo()) }

func holesDomain(u float64) frames.Schema { return peopleDomain(u, true, yesOrNo()) }

func numberDomain(u float64) frames.Schema {
	return peopleDomain(u, true, frames.NumericLabel("y", -3*u, 5*u))
}

// daysDomain has a column of dates, around a leap day, beside a number.
func daysDomain(u float64) frames.Schema {
	return mustSchema(frames.Date("day", "2023-12-28", "2024-03-05").MayMiss(), frames.Numeric("u", -u, u), yesOrNo())
}

// imputeDomain has a clean column beside two with holes.
func imputeDomain(u float64) frames.Schema {
	return mustSchema(frames.Numeric("z", -u, u), frames.Numeric("u", -u, u).MayMiss(), frames.Numeric("v", 0, 2*u).MayMiss(), yesOrNo())
}

// categoryDomain has holes in categories and numbers, behind OneHot in blocks and columns.
func categoryDomain(u float64) frames.Schema {
	return mustSchema(frames.Numeric("z", -u, u), frames.Category("work", "a", "b", "c").MayMiss(), frames.Numeric("v", -u, 4*u).MayMiss(), frames.Category("home", "x", "y").MayMiss(), yesOrNo())
}

func lineDomain(u float64) frames.Schema { return mustSchema(frames.Numeric("x", -u, u), yesOrNo()) }

func squareDomain(u float64) frames.Schema {
	return mustSchema(frames.Numeric("x", -u, u), frames.Numeric("z", -u, u), frames.NumericLabel("y", -u, u))
}

func cubeDomain(u float64) frames.Schema {
	return mustSchema(frames.Numeric("x", -u, u), frames.Numeric("z", -u, u), frames.Numeric("w", -u, u), yesOrNo())
}

// farDomain has columns of which 0 is no value.
func farDomain(u float64) frames.Schema {
	return mustSchema(frames.Numeric("far", u, 2*u), frames.Numeric("near", -u, u), frames.Numeric("below", -u/2, -u/10))
}

// numericFeatures are the features that a step on numbers reads behind OneHot.
func numericFeatures(s frames.Schema) (names []string) {
	for _, c := range s.Features() {
		if c.Kind == frames.KindNumeric {
			names = append(names, c.Name)
		}
	}
	return names
}

// hasNoPrice reports whether a chain has no price for pairs in this state, by an error that says why.
func hasNoPrice(err error) bool {
	return slices.ContainsFunc([]error{ErrOrder, ErrParameter, ErrColumn, frames.ErrSchema, pair.ErrPair}, func(want error) bool { return errors.Is(err, want) })
}

// spreadOf is the standard deviation of a column on a side, empty rows as zeros.
func spreadOf(b *frames.Block, j int) float64 {
	var sum, squares float64
	for i := range b.Rows {
		sum += b.Row(i)[j]
	}
	mean := sum / float64(b.Rows)
	for i := range b.Rows {
		squares += (b.Row(i)[j] - mean) * (b.Row(i)[j] - mean)
	}
	return math.Sqrt(squares / float64(b.Rows))
}
