package ledger

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dpkit-go/dpnb/accountant"
)

// Status is what a ledger says of itself. All of it is public.
type Status struct {
	Dataset    string                `json:"dataset"`
	Budget     accountant.Budget     `json:"budget"`
	Neighbours accountant.Neighbours `json:"neighbours"`
	// Scope is the weakest scope among the charged releases, with all their declarations and tests:
	// the releases together hold for no more. Without releases it is Unconditional.
	Scope accountant.Scope `json:"scope,omitzero"`
	// Spent is the ε of all charges together, at the budget's δ, rounded up. It is a reading;
	// what holds under adaptive choice is the Budget.
	Spent accountant.Budget `json:"spent,omitzero"`
	// Left is the ε, at the budget's δ, of the largest single release that still fits, rounded down.
	// Spent and Left do not add up to the budget: in Gaussian DP μ² adds, ε does not.
	// Both turn μ into ε at (1 − SamplerShare) δ, as the filter does (see the package documentation).
	Left accountant.Budget `json:"left,omitzero"`
	// Reserve is the part of the budget's δ that is kept for releases that may fail, and Failures what
	// of it was charged, rounded up.
	Reserve  float64 `json:"reserve,omitzero"`
	Failures float64 `json:"failures,omitzero"`
	// Pure is the part of the budget's ε that is kept for what is pure DP in releases ([Entry.Taken]), PureSpent what of it was charged, rounded
	// up, and PureLeft the ε of the largest such release that it still takes, rounded down.
	Pure      float64 `json:"pure,omitzero"`
	PureSpent float64 `json:"pure_spent,omitzero"`
	PureLeft  float64 `json:"pure_left,omitzero"`
	// Unit is what the budget protects. Rehearsal says that the rows need no protection: see [Config].
	Unit      Unit `json:"unit"`
	Rehearsal bool `json:"rehearsal,omitzero"`
	// Releases counts the charges.
	Releases int `json:"releases"`
	// Interrupted lists the charges whose release has no value: Interrupted or Failed, without a value
	// stored later under the same ID.
	Interrupted []Entry `json:"interrupted,omitzero"`
	// Torn counts the bytes of an unfinished record at the file's end. Nothing was drawn after it. It is
	// cut off before the next charge.
	Torn int64 `json:"torn,omitzero"`
	// Created and Expires are the ledger's first moment and that from which it charges nothing; zero: never.
	Created time.Time `json:"created,omitzero"`
	Expires time.Time `json:"expires,omitzero"`
	// Project is the status of the project's ledger, whose budget holds as well; nil: none.
	Project *Status `json:"project,omitzero"`
	// Warnings say what makes the ledger less safe, or refuse every charge: a state folder that cannot be
	// used, a later copy elsewhere, another ledger at this path, or of the same dataset's name elsewhere, a clock that was set back.
	Warnings []string `json:"warnings,omitzero"`
}

// Status reads what all processes have charged. It does not wait for a release in progress.
func (l *Ledger) Status() (Status, error) {
	var s Status
	err := l.inspect(func(_ *history, running bool) { s = l.status(running) })
	return s, err
}

// Entries returns all charges in their order. It does not wait for a release in progress.
func (l *Ledger) Entries() ([]Entry, error) {
	var es []Entry
	err := l.inspectAll(func(h *history, running bool) {
		es = make([]Entry, len(h.entries))
		for i := range es {
			es[i] = h.entry(i, running)
		}
	})
	return es, err
}

func (l *Ledger) inspect(look func(*history, bool)) error {
	if err := l.begin(); err != nil {
		return err
	}
	defer l.end()
	running, err := l.catchUp()
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	look(&l.hist, running)
	return nil
}

// inspectAll is inspect of a history that holds every charge as an entry.
func (l *Ledger) inspectAll(look func(*history, bool)) error {
	var bad error
	err := l.inspect(func(_ *history, running bool) {
		if bad = l.expand(); bad == nil {
			look(&l.hist, running)
		}
	})
	return errors.Join(err, bad)
}

// expand parses what was taken from a checkpoint. The caller holds l.mu.
func (l *Ledger) expand() error {
	if len(l.hist.slots) == 0 {
		return nil
	}
	all := l.unread(true)
	if _, err := all.read(l.file, l.hist.end); err != nil {
		return err
	}
	if all.prev != l.hist.prev {
		return l.hist.damaged(l.hist.lines, "the file was changed while it was open")
	}
	all.torn = l.hist.torn
	l.hist = all
	return nil
}

// entry is one of those behind the last checkpoint that was resumed from.
func (h *history) entry(i int, running bool) Entry { return h.now(h.entries[i].Entry, running) }

// now is e as it is while a release may be in progress.
func (h *history) now(e Entry, running bool) Entry {
	if running && h.open() && e.Seq == h.lines-1 {
		e.State = Running
	}
	return e
}

// status is that of the history, with what only the handle knows. The caller holds l.mu.
func (l *Ledger) status(running bool) Status {
	warning, bar := l.barred()
	// A charge of another process since the file was read looks like another copy that went on.
	for try := 0; try < 3 && errors.Is(bar, ErrStale) && l.readOnce(func(tail) error { return nil }) == nil; try++ {
		warning, bar = l.barred()
	}
	s := l.hist.status(running)
	switch {
	case bar != nil:
		s.Warnings = append(s.Warnings, bar.Error())
	case l.unwitnessed != "":
		s.Warnings = append(s.Warnings, l.unwitnessed)
	case warning != "":
		s.Warnings = append(s.Warnings, warning)
	}
	if l.beside == nil {
		l.beside = append([]string{}, l.besides()...)
	}
	s.Warnings = append(s.Warnings, l.beside...)
	// A minute is more than clocks of one system differ by.
	if back := l.hist.latest.Sub(l.opt.now()); back > time.Minute {
		s.Warnings = append(s.Warnings, fmt.Sprintf("the clock is %v behind the last record: releases are dated as that one until it has caught up", back.Round(time.Minute)))
	}
	if n := len(l.hist.doubts); n > 0 {
		s.Warnings = append(s.Warnings, fmt.Sprintf("record %d is a checkpoint that was not made with the ledger's key, or not of what stands before it: nothing that it says was taken over, every record was read", l.hist.doubts[n-1]))
	}
	if l.hist.back > 0 {
		s.Warnings = append(s.Warnings, fmt.Sprintf("%s dated before an earlier one: the clock was set back", count(l.hist.back, "record")))
	}
	if l.project != nil {
		if p, err := l.project.Status(); err == nil {
			s.Project = &p
		} else {
			s.Warnings = append(s.Warnings, "the project's ledger cannot be read: "+err.Error())
		}
	}
	return s
}

func (h *history) status(running bool) Status {
	s := Status{
		Dataset: h.config.Dataset, Budget: h.config.Budget, Neighbours: h.config.Neighbours, Unit: h.config.Unit, Rehearsal: h.config.Rehearsal,
		Scope:   accountant.Scope{Kind: h.scope.Kind, On: slices.Clone(h.scope.On)},
		Spent:   accountant.Budget{Epsilon: h.filter.spent(), Delta: h.config.Budget.Delta},
		Left:    accountant.Budget{Epsilon: h.filter.left(), Delta: h.config.Budget.Delta},
		Reserve: h.filter.kept, Failures: h.filter.fail,
		Pure: h.filter.pureMax, PureSpent: h.filter.pureSpent(), PureLeft: h.filter.pureLeft(),
		Releases: h.count(), Torn: h.torn, Created: h.header.Created, Expires: h.config.Expires,
	}
	for _, i := range slices.Sorted(flat(maps.Values(h.unpaid))) {
		e, err := h.at(i)
		if err != nil {
			e.Entry = Entry{Seq: h.seqAt(i), State: Interrupted} // who opens the file anew will say what is wrong
		}
		if e.Entry = h.now(e.Entry, running); e.State != Running {
			s.Interrupted = append(s.Interrupted, e.Entry)
		}
	}
	return s
}

func flat(lists iter.Seq[[]int]) iter.Seq[int] {
	return func(yield func(int) bool) {
		for l := range lists {
			for _, i := range l {
				if !yield(i) {
					return
				}
			}
		}
	}
}

// String is a plain table.
func (s Status) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "privacy ledger of %q: per %v, %v, δ = %v\n", s.Dataset, s.Unit, s.Neighbours, s.Budget.Delta)
	if s.Rehearsal {
		fmt.Fprintf(&b, "  a rehearsal: on rows that need no protection\n")
	}
	fmt.Fprintf(&b, "  %-8s ε = %v\n", "budget", s.Budget.Epsilon)
	fmt.Fprintf(&b, "  %-8s ε ≤ %-10s %s\n", "spent", roundedUp(s.Spent.Epsilon), count(s.Releases, "release"))
	fmt.Fprintf(&b, "  %-8s ε = %-10s as one release\n", "left", roundedDown(s.Left.Epsilon))
	if s.Pure > 0 {
		fmt.Fprintf(&b, "  %-8s ε = %-10s for what is pure DP in releases, of which %s is spent\n", "pure", roundedDown(s.Pure), roundedUp(s.PureSpent))
	}
	if s.Reserve > 0 {
		fmt.Fprintf(&b, "  %-8s δ = %-10s for tests, private bounds and covers, of which %s is spent\n", "reserve", roundedDown(s.Reserve), roundedUp(s.Failures))
	}
	if !s.Expires.IsZero() {
		fmt.Fprintf(&b, "  %-8s %s\n", "expires", expiry(s.Expires))
	}
	if p := s.Project; p != nil {
		fmt.Fprintf(&b, "  %-8s %q: spent ε ≤ %s, left ε = %s of %v at δ = %v\n", "project", p.Dataset,
			roundedUp(p.Spent.Epsilon), roundedDown(p.Left.Epsilon), p.Budget.Epsilon, p.Budget.Delta)
	}
	switch s.Scope.Kind {
	case accountant.Tested:
		fmt.Fprintf(&b, "  %-8s tested: %s\n", "scope", strings.Join(s.Scope.On, "; "))
	case accountant.Conditional:
		fmt.Fprintf(&b, "  %-8s only between datasets that satisfy: %s\n", "scope", strings.Join(s.Scope.On, "; "))
	}
	for _, e := range s.Interrupted {
		fmt.Fprintf(&b, "  %s: %s, charged on %s, has no value: Fresh pays again\n", e.State, e.label(), e.When.Format(time.RFC3339))
	}
	if s.Torn > 0 {
		fmt.Fprintf(&b, "  an unfinished record of %s at the end is ignored: nothing was drawn after it\n", count(s.Torn, "byte"))
	}
	for _, w := range s.Warnings {
		fmt.Fprintf(&b, "  warning: %s\n", w)
	}
	return b.String()
}

func count[N int | int64](n N, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.FormatInt(int64(n), 10) + " " + what + "s"
}

// roundedUp prints x ≥ 0 with four digits, never below x.
func roundedUp(x float64) string {
	return rounded(x, math.Ceil, func(v float64) bool { return v >= x })
}

// roundedDown prints x ≥ 0 with four digits, never above x.
func roundedDown(x float64) string {
	return rounded(x, math.Floor, func(v float64) bool { return v <= x })
}

func rounded(x float64, round func(float64) float64, safe func(float64) bool) string {
	exact := strconv.FormatFloat(x, 'g', -1, 64)
	if !(x > 0) || math.IsInf(x, 1) || len(exact) <= 5 {
		return exact
	}
	unit := math.Pow(10, math.Floor(math.Log10(x))-3)
	s := strconv.FormatFloat(round(x/unit)*unit, 'g', 4, 64)
	if v, err := strconv.ParseFloat(s, 64); err != nil || !safe(v) {
		return exact
	}
	return s
}
