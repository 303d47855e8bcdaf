package viz

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dpkit-go/dpnb/accountant/ledger"
	"github.com/dpkit-go/dpnb/dpkit"
)

// Result shows how a release came about: its guarantee, whether it was drawn or replayed, and what
// the ledger holds after it. A result that is not private says so above everything else. Of the
// value it shows a number, a word or what its String method says; a larger value has a view of its
// own, such as [Coefficients].
func Result[V any](r dpkit.Result[V]) View { return result(erased(r)) }

// erased is r without the type of its value.
func erased[V any](r dpkit.Result[V]) *dpkit.Result[any] {
	return &dpkit.Result[any]{
		Value: r.Value, Guarantee: r.Guarantee, NotPrivate: r.NotPrivate, Refused: r.Refused, Cost: r.Cost, Entry: r.Entry,
		Replayed: r.Replayed, When: r.When, Status: r.Status,
	}
}

// result is [Result], in a function that a notebook's cell does not compile again.
func result(r *dpkit.Result[any]) View {
	v := View{title: "Release", facts: resultMetadata(r)}
	value, ok := jointValues(r.Value)
	if !ok {
		value = valueFacts(fact{Name: "value"}, "counted", r.Value)
	}
	if r.Refused != "" {
		v.blocks = append(v.blocks, banner{"REFUSED", "the test did not pass (" + clean(r.Refused) + "); it was paid for, and there is no value"})
		value = facts{{Name: "value", Value: "none", Alarm: true}}
	}
	if r.NotPrivate != "" {
		v.blocks = append(v.blocks, banner{"NOT PRIVATE", clean(r.NotPrivate)})
		v.blocks = append(append(v.blocks, warnings(r.Status)...), append(value, fact{Name: "guarantee", Value: "none", Alarm: true}))
		return v
	}
	came := "drawn " + when(r.When) + " and charged"
	if r.When.IsZero() {
		came = "made of public facts alone: no row was read and nothing was charged"
	}
	if r.Replayed {
		came = "replayed from the ledger: nothing was drawn or charged; first drawn " + when(r.When)
	}
	v.blocks = append(append(v.blocks, scopeBanners(r.Guarantee)...), warnings(r.Status)...)
	for _, w := range r.Cost.Warnings {
		v.blocks = append(v.blocks, banner{"WARNING", clean(w)})
	}
	v.blocks = append(v.blocks, append(append(append(value, guaranteeFacts(r.Guarantee)...), fact{Name: "release", Value: came}), chargedFact(r.Cost)...))
	if r.Status.Budget.Epsilon > 0 {
		v.blocks = append(v.blocks, spent(r.Status), facts{{Name: "left", Value: left(r.Status)}})
		v.blocks = append(v.blocks, interrupted(r.Status)...)
	}
	return v
}

// warnings are those of a ledger and of its project's.
func warnings(s ledger.Status) []block {
	var out []block
	for _, w := range s.Warnings {
		out = append(out, banner{"WARNING", clean(w)})
	}
	if s.Project != nil {
		for _, w := range s.Project.Warnings {
			out = append(out, banner{"WARNING", "the project " + strconv.Quote(clean(s.Project.Dataset)) + ": " + clean(w)})
		}
	}
	return out
}

// valueFacts are f with the words of v, and below it what the numbers of v are of, where that is not all rows as they are.
func valueFacts(f fact, counted string, v any) facts {
	words, o := bare(v)
	f.Value = words
	if o.Counted == "" {
		return facts{f}
	}
	return facts{f, {Name: counted, Value: clean(o.Counted)}}
}

func valueWords(v any) string {
	switch v := v.(type) {
	case float64:
		return fmt.Sprintf("%v", v)
	case int, int64, uint64, bool:
		return fmt.Sprint(v)
	case string:
		return clean(v)
	case fmt.Stringer:
		// Tables end with a newline; each of their lines is one here.
		return strings.Join(cleanAll(strings.Split(strings.TrimRight(v.String(), "\n"), "\n")), "\n")
	default:
		return clean(fmt.Sprintf("a %T", v))
	}
}

func when(t time.Time) string {
	if t.IsZero() {
		return "at a time that was not recorded"
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}

func spent(s ledger.Status) meter {
	return meter{Label: "ledger: spent ε ≤ " + up(s.Spent.Epsilon) + " of " + down(s.Budget.Epsilon) + " at δ = " + up(s.Budget.Delta), Value: s.Spent.Epsilon, Max: s.Budget.Epsilon}
}

func left(s ledger.Status) string {
	return "ε = " + down(s.Left.Epsilon) + " as one release (what is spent and what is left do not add up: in Gaussian DP μ² adds, ε does not)"
}
