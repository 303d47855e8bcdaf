package dpkit

import (
	"errors"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant/ledger"
)

// reserveNeeded is what a warning or a refusal says that a plan needs.
var reserveNeeded = regexp.MustCompile(`a Reserve of ([0-9.e-]+[0-9]) is enough`)

// refusedFor is the warning of a cost that the session's ledger refuses the release; "" without one.
func refusedFor(c Cost) string {
	for _, w := range c.Warnings {
		if strings.Contains(w, "this session's ledger refuses the release") {
			return w
		}
	}
	return ""
}

// TestCostNamesTheReserve: of every kind of release, in a ledger without a reserve, Cost says before anything is spent whether the ledger
// refuses it, and what it needs. With that reserve, which the same ledger takes over, it is not refused any more.
func TestCostNamesTheReserve(t *testing.T) {
	t.Parallel()
	data := entryData(t)
	needing := map[string]bool{}
	everyMechanism(t, func(t *testing.T, e mechanismEntry, _ Pipeline, _ knownMechanism) {
		o := Options{Ledger: filepath.Join(t.TempDir(), "l"), Budget: Budget{Epsilon: 12, Delta: 1e-4}, Neighbours: e.rel, Dataset: "reserve " + e.kind}
		open := func() *Session {
			s := must(Create(data[e.data], o))
			t.Cleanup(func() { _ = s.Close() })
			return s
		}
		pl := e.end(open().Data())
		warned := refusedFor(must(pl.Cost()))
		m := reserveNeeded.FindStringSubmatch(warned)
		if warned == "" {
			return
		}
		if m == nil || !strings.Contains(must(pl.explain()), warned) {
			t.Fatalf("the warning names no reserve, or Explain does not print it: %s", warned)
		}
		needing[e.kind] = true
		_, err := pl.release(t.Context())
		if of := reserveNeeded.FindStringSubmatch(errorText(err)); !errors.Is(err, ErrBudget) || of == nil || of[1] != m[1] {
			t.Errorf("the release says %v, Cost %s", err, warned)
		}
		need := must(strconv.ParseFloat(m[1], 64))
		if o.Reserve = need * 0.99; e.kind == "found" && refusedFor(must(e.end(open().Data()).Cost())) == "" { // others fail by their covers
			t.Error("less does too")
		}
		o.Reserve = need
		s := open()
		if w := refusedFor(must(e.end(s.Data()).Cost())); w != "" {
			t.Errorf("with it: %s", w)
		}
		if e.kind != "found" {
			return
		}
		r, err := e.end(s.Data()).release(t.Context())
		if err != nil || r.Replayed {
			t.Fatal(err)
		}
		o.Reserve = 2 * need
		if _, err := Create(data[e.data], o); !errors.Is(err, ledger.ErrConfig) || !strings.Contains(err.Error(), "until the first charge") {
			t.Errorf("a larger one behind a release: %v", err)
		}
		o.Reserve = need
		if again, err := e.end(open().Data()).release(t.Context()); err != nil || !again.Replayed {
			t.Errorf("the release again: replayed %v, %v", again.Replayed, err)
		}
	})
	for _, kind := range []string{"found", "gaussmix", "fit/linear, LinearMixing", "fit/logistic-mixing", "fit/linear, RelativeGaussianDescent"} {
		if !needing[kind] {
			t.Errorf("%s needs no reserve; those that do: %v", kind, needing)
		}
	}
	if needing["means"] || needing["quantile"] || needing["table"] {
		t.Errorf("need a reserve: %v", needing)
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestCostNamesTheReserveOfSteps: so it is for tests and private bounds of steps, for plans that are released together, and where the budget
// itself is too small; and what Cost says does not change with what was released.
func TestCostNamesTheReserveOfSteps(t *testing.T) {
	t.Parallel()
	f := tinyFrame(t, 400, 1)
	s := must(Create(f, Options{Ledger: ledgerPath(t), Budget: Budget{Epsilon: 2, Delta: 1e-5}, Neighbours: ReplaceOne, Dataset: "test"}))
	defer s.Close()
	target := Target{Epsilon: 1, Delta: 1e-6}
	d := s.Data()
	tested := d.OneHot().Impute(Mean{Pad: 1, MaxMissing: Test(250, Tested{Share: 0.3, Delta: 1e-8})}).Scale()
	bounded := d.OneHot().Impute(Mean{Pad: 1, MaxMissing: Bound(Tested{Share: 0.3, Delta: 1e-8})}).Scale()
	count := d.Count(target, Is("work", "a"))
	plans := map[string]struct {
		plan AnyPlan
		want string
	}{
		"tested":     {tested.Mean(target), "a Reserve of 1e-08 is enough"},
		"bounded":    {bounded.Mean(target), "a Reserve of 1e-08 is enough"},
		"together":   {Together(target, tested.Mean(Target{}), d.Count(Target{}, Is("work", "b"))), "a Reserve of 1e-08 is enough"},
		"too much":   {d.Count(Target{Epsilon: 3, Delta: 1e-5}, Is("work", "a")), "whose budget is ε = 2"},
		"all of δ":   {d.OneHot().Impute(Mean{Pad: 1, MaxMissing: Test(250, Tested{Share: 0.3, Delta: 2e-5})}).Scale().Mean(Target{Epsilon: 1, Delta: 1e-4}), "ask for a smaller δ in the release"},
		"nothing":    {count, ""},
		"the budget": {d.Count(Target{Epsilon: 2, Delta: 1e-5}, Is("work", "a")), ""},
	}
	say := func(when string) {
		for name, c := range plans {
			w := refusedFor(must(c.plan.plan().Cost()))
			if (w == "") != (c.want == "") || !strings.Contains(w, c.want) {
				t.Errorf("%s, %s: %q, want %q", name, when, w, c.want)
			}
		}
	}
	say("before")
	if _, err := d.Count(Target{Epsilon: 1.9, Delta: 1e-6}, Is("work", "a")).Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	say("behind a release")
}
