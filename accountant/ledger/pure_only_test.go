package ledger

import (
	"errors"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
)

// A release that wants the part for pure releases is charged there or not at all, and what was stored replays whatever is left.
func TestPureOnly(t *testing.T) {
	c := testConfig()
	c.Pure = 0.25
	l := mustCreate(t, tempPath(t), c)
	a, b := laplace("a", 0.2), laplace("b", 0.1)
	a.PureOnly, b.PureOnly = true, true
	rc := mustRelease(t, l, a, `1`)
	if e := mustEntries(t, l)[0]; e.Pure != 0.2 || rc.ID != a.ID {
		t.Errorf("charged %+v as %s", e, rc.ID)
	}
	if left, err := l.PureLeft(); err != nil || left > 0.05 || left < 0.0499 {
		t.Errorf("left %v, %v", left, err)
	}
	drawn := 0
	_, err := l.Release(t.Context(), b, draws(`2`, &drawn))
	says(t, err, ErrPureLeft, "asked ε = 0.1, left 0.04999")
	gaussian := request("gaussian", 0.01)
	_, err = l.Release(t.Context(), pureOnly(gaussian), draws(`2`, &drawn))
	says(t, err, ErrPureLeft, "asked ε = 0,")
	if n := len(mustEntries(t, l)); n != 1 || drawn != 0 {
		t.Errorf("%d charges, %d draws", n, drawn)
	}
	if rc = mustRelease(t, l, a, `3`); !rc.Replayed || rc.ID != a.ID {
		t.Errorf("replayed %+v", rc)
	}
	// The same release was made otherwise before: that value replays, and its identity is told.
	mustRelease(t, l, gaussian, `4`)
	b.OldIDs = []string{gaussian.ID}
	if rc = mustRelease(t, l, b, `5`); !rc.Replayed || rc.ID != gaussian.ID || string(rc.Value) != `4` {
		t.Errorf("replayed %+v", rc)
	}
	// Of several values the last one counts.
	a.OldIDs = []string{gaussian.ID}
	if rc = mustRelease(t, l, a, `5`); string(rc.Value) != `4` {
		t.Errorf("replayed %s", rc.Value)
	}
}

// pureOnly is r as it wants the part for pure releases.
func pureOnly(r Request) Request {
	r.PureOnly = true
	return r
}

// The part of the project has to have room as well.
func TestPureOnlyInAProject(t *testing.T) {
	dir, p, c := project(t)
	c.Pure = 0.2
	l := mustCreate(t, dir+"/child.ledger", c)
	r := laplace("p", 0.05)
	r.PureOnly = true
	_, err := l.Release(t.Context(), r, draws(`1`, nil))
	says(t, err, ErrPureLeft, "of 0")
	if n, m := len(mustEntries(t, l)), len(mustEntries(t, p)); n != 0 || m != 0 {
		t.Errorf("%d and %d charges", n, m)
	}
	if left, err := l.PureLeft(); left != 0 || err != nil {
		t.Errorf("left %v, %v", left, err)
	}
	if ok, err := l.PrefersPure(r.Event, gauss{mu: 1}); ok || err != nil {
		t.Errorf("preferred: %v, %v", ok, err)
	}
}

// What is preferred is a matter of the configuration, not of what is left.
func TestPrefersPure(t *testing.T) {
	c := testConfig()
	c.Pure = 0.25
	l := mustCreate(t, tempPath(t), c)
	plain := mustCreate(t, tempPath(t), testConfig())
	mu, err := accountant.CalibrateShared(accountant.Budget{Epsilon: 0.2, Delta: c.Budget.Delta})
	must(t, err)
	same, less, more := gauss{mu: mu}, gauss{mu: mu / 2}, gauss{mu: mu * 2}
	for range 2 {
		for _, of := range []struct {
			name string
			l    *Ledger
			pure float64
			than accountant.Event
			want bool
		}{
			{"as dear", l, 0.2, same, true},
			{"cheaper", l, 0.2, more, true},
			{"dearer", l, 0.2, less, false},
			{"beyond the part", l, 0.26, more, false},
			{"no part", plain, 0.2, more, false},
		} {
			if got, err := of.l.PrefersPure(laplace("", of.pure).Event, of.than); got != of.want || err != nil {
				t.Errorf("%s: got %v, %v", of.name, got, err)
			}
		}
		mustRelease(t, l, laplace("fill", 0.25), `1`) // then it is full
	}
	if ok, err := l.PrefersPure(same, less); ok || err != nil {
		t.Errorf("a Gaussian in place of a pure event: %v, %v", ok, err)
	}
	if _, err := l.PrefersPure(accountant.ApproxDP{Epsilon: 1, Delta: 0.1}, less); !errors.Is(err, ErrEvent) && err == nil {
		t.Errorf("got %v", err)
	}
}
