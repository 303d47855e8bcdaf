package dpkit

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/glm"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/gradient"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/linear"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/unbounded"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// settledCase is a mechanism at the end of a chain that was fitted to rows.
type settledCase struct {
	name string
	kind string
	of   mechanism.Releaser
	end  stage.Stage
	rows frames.Source
	plan *plan
}

// eachMechanism tries a property of mechanisms on the releases of the frozen ledgers, and then asks that every registered mechanism
// was among them.
func eachMechanism(t *testing.T, try func(t *testing.T, c settledCase)) {
	t.Helper()
	seen := map[string]bool{}
	for name, f := range frozenData(t) {
		rel := ReplaceOne
		if strings.HasPrefix(name, "zeroed") {
			rel = AddRemove
		}
		s := must(Demo(f, 1, rel))
		plans := frozenPlans(s, name)
		if name == "boundless" { // the others' rounds are alike, and its rows many
			plans = slices.DeleteFunc(plans, func(p frozenPlan) bool { return strings.HasPrefix(p.name, "weak") })
		}
		if name == "people" { // younger kinds
			plans = append(plans, frozenPlan{"table", s.Data().By("work", "income").Count().Share("income", "high").Table(frozenTarget).plan()},
				frozenPlan{"score", s.Data().Score(frozenTarget, tiltedModels(s.Data())[2]).plan()},
				frozenPlan{"cumulative", s.Data().Bin([]float64{30, 50}, "age").By("age").Count().Share("income", "high").Cumulative(frozenTarget).plan()},
				frozenPlan{"correlation", s.Data().Impute(Mean{}, "pay").Correlation(frozenTarget, "age", "pay").plan()},
				frozenPlan{"found", s.Data().By("work", "income").People().Share("income", "high").Found(Target{Epsilon: 20, Delta: 0.1}).plan()},
				frozenPlan{"top", s.Data().TopK(2, Target{Epsilon: 2}, "work", "income").plan()},
				frozenPlan{"choice", s.Data().Choose(Target{Epsilon: 20}, tiltedModels(s.Data())...).plan()})
		}
		for _, p := range plans {
			if _, isMeans := p.plan.m.(sums.Mean); isMeans && seen["means"] && name == "people" {
				continue // behind every kind of step
			}
			q := must(p.plan.quote())
			a, err := q.apply(t.Context(), s.src, noise.NewDemo(1))
			if err != nil || a.refused != "" {
				continue
			}
			k, _ := kind.KindFor(p.plan.m)
			seen[k.Name] = true
			t.Run(name+"/"+p.name, func(t *testing.T) { try(t, settledCase{p.name, k.Name, p.plan.of, a.q.end, a.rows, p.plan}) })
		}
	}
	for _, m := range knownMechanisms() {
		if k := m.of.Kind(); !seen[k.Name] {
			t.Errorf("no frozen plan whose tests pass ends with %s", k.Name)
		}
	}
}

func asJSON(v any) string { return string(must(json.Marshal(v))) }

// releasedFrom is one draw.
func (c settledCase) releasedFrom(t *testing.T, table rows.Driver, seed uint64) string {
	t.Helper()
	draw := must(must(c.of.Settle(c.end)).Read(t.Context(), table))
	return asJSON(must(draw(t.Context(), noise.NewDemo(seed))))
}

// TestSettlingTwice gives equal bills.
func TestSettlingTwice(t *testing.T) {
	t.Parallel()
	eachMechanism(t, func(t *testing.T, c settledCase) {
		a, b := must(c.of.Settle(c.end)), must(c.of.Settle(c.end))
		if x, y := a.Bill.Behind, b.Bill.Behind; (x == nil) != (y == nil) {
			t.Errorf("priced behind displaced rows: %v, then %v", x != nil, y != nil)
		} else if x != nil {
			if e, f := must(x(c.end.Before)), must(y(c.end.Before)); fmt.Sprint(e) != fmt.Sprint(f) {
				t.Errorf("behind the chain %v, then %v", e, f)
			}
		}
		a.Bill.Behind, b.Bill.Behind = nil, nil // functions
		if x, y := a.Predicted.Over, b.Predicted.Over; (x == nil) != (y == nil) || x != nil && !slices.Equal(x(), y()) {
			t.Error("settled twice, a classifier is predicted to lose otherwise")
		}
		a.Predicted.Over, b.Predicted.Over = nil, nil // functions
		if !reflect.DeepEqual(a.Bill, b.Bill) || !reflect.DeepEqual(a.Predicted, b.Predicted) {
			t.Errorf("got %+v, then %+v", a.Bill, b.Bill)
		}
		if a.Predicted.Known() != (len(a.Predicted.Size) > 0) {
			t.Errorf("a prediction %+v: want both what is off and by how much, or neither", a.Predicted)
		}
		for _, v := range a.Predicted.Size {
			if !(v >= 0) {
				t.Errorf("a prediction of %v", v)
			}
		}
	})
}

// TestDrawsLeaveNothingBehind: from one settled value and one reading of the rows, draws of equal seeds are equal, whatever was
// drawn in between, and by several goroutines at once; those of other seeds differ. The bill stays.
func TestDrawsLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	eachMechanism(t, func(t *testing.T, c settledCase) {
		s := must(c.of.Settle(c.end))
		before := asJSON(s.Bill.Cost) + fmt.Sprint(s.Bill.Event)
		draw := must(s.Read(t.Context(), rows.InProcess{In: c.rows}))
		want := asJSON(must(draw(t.Context(), noise.NewDemo(5))))
		if other := asJSON(must(draw(t.Context(), noise.NewDemo(6)))); other == want && c.name != "quantile" && !strings.Contains(c.name, "clipped") {
			t.Error("two seeds gave the same release")
		}
		var wg sync.WaitGroup
		for range 3 {
			if _, talks := c.of.(mechanism.Typed[models.LocalModel]); talks {
				continue // a coordinator listens to one
			}
			wg.Go(func() {
				v, err := draw(context.Background(), noise.NewDemo(5))
				if got, _ := json.Marshal(v); err != nil || string(got) != want {
					t.Errorf("at once: got %s, %v, want %s", got, err, want)
				}
			})
		}
		wg.Wait()
		if again := asJSON(must(draw(t.Context(), noise.NewDemo(5)))); again != want {
			t.Errorf("again: got %s, want %s", again, want)
		}
		if after := asJSON(s.Bill.Cost) + fmt.Sprint(s.Bill.Event); after != before {
			t.Errorf("the bill changed: %s, was %s", after, before)
		}
	})
}

// carrying is a driver all of whose states travel as bytes.
type carrying struct {
	rows.Driver
	t       *testing.T
	carried *int
}

func (d carrying) Drive(ctx context.Context, begin func() rows.Partial) (rows.Partial, error) {
	out, err := d.Driver.Drive(ctx, func() rows.Partial { return &carried{begin(), begin, d} })
	if err != nil {
		return nil, err
	}
	return out.(*carried).travelled(), nil
}

func (d carrying) Gathered(ctx context.Context) (rows.Driver, error) {
	rows, err := d.Driver.Gathered(ctx)
	return carrying{rows, d.t, d.carried}, err
}

// Resident is none: what a pass keeps for the next one does not travel.
func (carrying) Resident() int { return 0 }

type carried struct {
	rows.Partial
	begin func() rows.Partial
	by    carrying
}

func (c *carried) Merge(next rows.Partial) {
	c.Partial = c.travelled()
	c.Partial.Merge(next.(*carried).travelled())
}

// travelled is the state as it is read back.
func (c *carried) travelled() rows.Partial {
	raw, err := rows.WriteState(c.Partial)
	if err != nil {
		c.by.t.Error(err)
		return c.Partial
	}
	back := c.begin()
	if err := rows.ReadState(back, raw); err != nil {
		c.by.t.Error(err)
		return c.Partial
	}
	if again := must(rows.WriteState(back)); string(again) != string(raw) {
		c.by.t.Errorf("a state of %d bytes is written as %d others", len(raw), len(again))
	}
	*c.by.carried++
	return back
}

// TestPassesTravel: with every state written, read back and merged, releases of equal seeds are equal, bit for bit. A mechanism that
// reaches rows otherwise carries no state.
func TestPassesTravel(t *testing.T) {
	t.Parallel()
	eachMechanism(t, func(t *testing.T, c settledCase) {
		n := 0
		got := c.releasedFrom(t, carrying{rows.InProcess{In: c.rows}, t, &n}, 9)
		if want := c.releasedFrom(t, rows.InProcess{In: c.rows}, 9); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if n == 0 && c.name != "gradient, by iteration" { // which takes rows one by one, in order
			t.Error("no state of a pass was carried")
		}
	})
}

// emptyStates are states of every kind, of a few numbers each.
func emptyStates() map[string]func() rows.Coded {
	return map[string]func() rows.Coded{
		"integer sums":     func() rows.Coded { return &rows.RowSums{Sums: make([]int64, 3)} },
		"fixed-point sums": func() rows.Coded { return rows.NewFixedSums([]int{0, 1}, make([]rows.FixedPoint, 2)) },
		"outer products":   func() rows.Coded { return rows.NewGridSum(2, 1) },
		"second moments":   func() rows.Coded { return &linear.LinearSum{GramSum: rows.NewGramSum(2)} },
		"clipped moments":  func() rows.Coded { return &unbounded.MomentSum{GramSum: rows.NewGramSum(2)} },
		"column moments":   func() rows.Coded { return rows.NewMoments(2, true) },
		"exact sums":       func() rows.Coded { return &rows.ExactSums{Sums: make([]rows.ExactSum, 3)} },
		"largest numbers":  func() rows.Coded { return &rows.Largest{Of: make([]float64, 3)} },
		"newton sums":      func() rows.Coded { return glm.NewNewtonSums(&glm.Objective{D: 1}, make([]float64, 2)) },
		"logistic sums":    func() rows.Coded { return glm.NewLogisticSums(&glm.Objective{D: 1}, make([]float64, 2), true) },
		"gradients":        func() rows.Coded { return &gradient.Gradients{Sums: make([]int64, 2)} },
		"bins":             func() rows.Coded { return &unbounded.BinCounts{Of: []map[float64]int64{{}, {}}} },
		"rank counts":      func() rows.Coded { return &rows.RankCounts{Bins: [][]int{make([]int, 2), make([]int, 3)}} },
		"rank numbers":     func() rows.Coded { return rows.NewRankGather(make([]rows.RankSearch, 2)) },
		"design grams": func() rows.Coded {
			return &steps.DesignGrams{Sums: []*rows.GridSum{rows.NewGridSum(2, 1), rows.NewGridSum(2, 1)}}
		},
		"wider rank counts": func() rows.Coded { return &rows.RankCounts{Bins: [][]int{make([]int, 2), make([]int, 4)}} },
		"wider sums":        func() rows.Coded { return &rows.RowSums{Sums: make([]int64, 4)} },
	}
}

// filledState puts numbers into the lists of a state, where it has any.
func filledState(s rows.Coded) rows.Coded {
	switch s := s.(type) {
	case *unbounded.BinCounts:
		s.Of[1][-2.5] = 3
	case *rows.RankGather:
		s.Held[0][1] = []int64{4, -5}
	}
	return s
}

// TestStateGarbage: what was cut, changed or written of another pass is refused, without a panic.
func TestStateGarbage(t *testing.T) {
	states := emptyStates()
	for name, begin := range states {
		raw := must(rows.WriteState(filledState(begin())))
		if err := rows.ReadState(begin(), raw); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for n := range raw {
			if rows.ReadState(begin(), raw[:n]) == nil {
				t.Fatalf("%s: %d of %d bytes were read", name, n, len(raw))
			}
			bad := slices.Clone(raw)
			bad[n] ^= 0x40
			if rows.ReadState(begin(), bad) == nil {
				t.Fatalf("%s: a change at byte %d was read", name, n)
			}
		}
		for other, begin := range states {
			if other != name && rows.ReadState(begin(), raw) == nil {
				t.Errorf("%s was read as %s", name, other)
			}
		}
		// A checksum does not save what lies about its sizes.
		for at := len(rows.CodeMark); at+8 <= len(raw)-rows.CodeTail; at++ {
			bad := slices.Clone(raw[:len(raw)-rows.CodeTail])
			bad[at+6] ^= 0x7f
			_ = rows.ReadState(begin(), resealed(bad)) // no panic, whatever it says
		}
	}
}
