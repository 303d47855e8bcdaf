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

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// settledCase is a mechanism at the end of a chain that was fitted to rows.
type settledCase struct {
	name string
	kind string
	of   releaser
	end  Stage
	rows frames.Source
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
		for _, p := range plans {
			if _, isMeans := p.plan.m.(means); isMeans && seen["means"] && name == "people" {
				continue // behind every kind of step
			}
			q := must(p.plan.quote())
			a, err := q.apply(t.Context(), s.src, noise.NewDemo(1))
			if err != nil || a.refused != "" {
				continue
			}
			k, _ := kindFor(p.plan.m)
			seen[k.name] = true
			t.Run(name+"/"+p.name, func(t *testing.T) { try(t, settledCase{p.name, k.name, p.plan.of, a.q.end, a.rows}) })
		}
	}
	for _, m := range knownMechanisms() {
		if k := m.of.kind(); !seen[k.name] {
			t.Errorf("no frozen plan whose tests pass ends with %s", k.name)
		}
	}
}

func asJSON(v any) string { return string(must(json.Marshal(v))) }

// releasedFrom is one draw.
func (c settledCase) releasedFrom(t *testing.T, rows driver, seed uint64) string {
	t.Helper()
	draw := must(must(c.of.settle(c.end)).read(t.Context(), rows))
	return asJSON(must(draw(t.Context(), noise.NewDemo(seed))))
}

// TestSettlingTwice gives equal bills.
func TestSettlingTwice(t *testing.T) {
	eachMechanism(t, func(t *testing.T, c settledCase) {
		a, b := must(c.of.settle(c.end)), must(c.of.settle(c.end))
		if !reflect.DeepEqual(a.bill, b.bill) || !reflect.DeepEqual(a.predicted, b.predicted) {
			t.Errorf("got %+v, then %+v", a.bill, b.bill)
		}
		if a.predicted.known() != (len(a.predicted.Size) > 0) {
			t.Errorf("a prediction %+v: want both what is off and by how much, or neither", a.predicted)
		}
		for _, v := range a.predicted.Size {
			if !(v >= 0) {
				t.Errorf("a prediction of %v", v)
			}
		}
	})
}

// TestDrawsLeaveNothingBehind: from one settled value and one reading of the rows, draws of equal seeds are equal, whatever was
// drawn in between, and by several goroutines at once; those of other seeds differ. The bill stays.
func TestDrawsLeaveNothingBehind(t *testing.T) {
	eachMechanism(t, func(t *testing.T, c settledCase) {
		s := must(c.of.settle(c.end))
		before := asJSON(s.bill.Cost) + fmt.Sprint(s.bill.Event)
		draw := must(s.read(t.Context(), inProcess{c.rows}))
		want := asJSON(must(draw(t.Context(), noise.NewDemo(5))))
		if other := asJSON(must(draw(t.Context(), noise.NewDemo(6)))); other == want && c.name != "quantile" && !strings.Contains(c.name, "clipped") {
			t.Error("two seeds gave the same release")
		}
		var wg sync.WaitGroup
		for range 3 {
			if _, talks := c.of.(typed[LocalModel]); talks {
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
		if after := asJSON(s.bill.Cost) + fmt.Sprint(s.bill.Event); after != before {
			t.Errorf("the bill changed: %s, was %s", after, before)
		}
	})
}

// carrying is a driver all of whose states travel as bytes.
type carrying struct {
	driver
	t       *testing.T
	carried *int
}

func (d carrying) drive(ctx context.Context, begin func() partial) (partial, error) {
	out, err := d.driver.drive(ctx, func() partial { return &carried{begin(), begin, d} })
	if err != nil {
		return nil, err
	}
	return out.(*carried).travelled(), nil
}

func (d carrying) gathered(ctx context.Context) (driver, error) {
	rows, err := d.driver.gathered(ctx)
	return carrying{rows, d.t, d.carried}, err
}

// resident is none: what a pass keeps for the next one does not travel.
func (carrying) resident() int { return 0 }

type carried struct {
	partial
	begin func() partial
	by    carrying
}

func (c *carried) merge(next partial) {
	c.partial = c.travelled()
	c.partial.merge(next.(*carried).travelled())
}

// travelled is the state as it is read back.
func (c *carried) travelled() partial {
	raw, err := writeState(c.partial)
	if err != nil {
		c.by.t.Error(err)
		return c.partial
	}
	back := c.begin()
	if err := readState(back, raw); err != nil {
		c.by.t.Error(err)
		return c.partial
	}
	if again := must(writeState(back)); string(again) != string(raw) {
		c.by.t.Errorf("a state of %d bytes is written as %d others", len(raw), len(again))
	}
	*c.by.carried++
	return back
}

// TestPassesTravel: with every state written, read back and merged, releases of equal seeds are equal, bit for bit. A mechanism that
// reaches rows otherwise carries no state.
func TestPassesTravel(t *testing.T) {
	eachMechanism(t, func(t *testing.T, c settledCase) {
		n := 0
		got := c.releasedFrom(t, carrying{inProcess{c.rows}, t, &n}, 9)
		if want := c.releasedFrom(t, inProcess{c.rows}, 9); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if n == 0 && c.name != "gradient, by iteration" { // which takes rows one by one, in order
			t.Error("no state of a pass was carried")
		}
	})
}

// TestStateGarbage: what was cut, changed or written of another pass is refused, without a panic.
func TestStateGarbage(t *testing.T) {
	states := map[string]func() coded{
		"integer sums":      func() coded { return &rowSums{sums: make([]int64, 3)} },
		"fixed-point sums":  func() coded { return newFixedSums([]int{0, 1}, make([]fixedPoint, 2)) },
		"outer products":    func() coded { return newGramSum(2) },
		"second moments":    func() coded { return &linearSum{gramSum: newGramSum(2)} },
		"clipped moments":   func() coded { return &momentSum{gramSum: newGramSum(2)} },
		"column moments":    func() coded { return moments{make([]neumaier, 2), make([]neumaier, 2)} },
		"newton sums":       func() coded { return newNewtonSums(&objective{d: 1}, make([]float64, 2)) },
		"gradients":         func() coded { return &gradients{sums: make([]int64, 2)} },
		"bins":              func() coded { return &binCounts{of: []map[float64]int64{{}, {}}} },
		"rank counts":       func() coded { return &rankCounts{bins: [][]int{make([]int, 2), make([]int, 3)}} },
		"rank numbers":      func() coded { return newRankGather(make([]rankSearch, 2)) },
		"design grams":      func() coded { return &designGrams{sums: []*gramSum{newGramSum(2), newGramSum(2)}} },
		"wider rank counts": func() coded { return &rankCounts{bins: [][]int{make([]int, 2), make([]int, 4)}} },
		"wider sums":        func() coded { return &rowSums{sums: make([]int64, 4)} },
	}
	for name, begin := range states {
		s := begin()
		if b, ok := s.(*binCounts); ok {
			b.of[1][-2.5] = 3
		}
		if g, ok := s.(*rankGather); ok {
			g.held[0][1] = []int64{4, -5}
		}
		raw := must(writeState(s))
		if err := readState(begin(), raw); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for n := range raw {
			if readState(begin(), raw[:n]) == nil {
				t.Fatalf("%s: %d of %d bytes were read", name, n, len(raw))
			}
			bad := slices.Clone(raw)
			bad[n] ^= 0x40
			if readState(begin(), bad) == nil {
				t.Fatalf("%s: a change at byte %d was read", name, n)
			}
		}
		for other, begin := range states {
			if other != name && readState(begin(), raw) == nil {
				t.Errorf("%s was read as %s", name, other)
			}
		}
		// A checksum does not save what lies about its sizes.
		for at := len(codeMark); at+8 <= len(raw)-codeTail; at++ {
			bad := slices.Clone(raw[:len(raw)-codeTail])
			bad[at+6] ^= 0x7f
			_ = readState(begin(), resealed(bad)) // no panic, whatever it says
		}
	}
}
