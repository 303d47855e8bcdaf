package ledger

import (
	"math"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
)

func laplace(name string, eps float64) Request {
	r := request(name, 0)
	r.Event = accountant.Laplace{Sensitivity: eps, Scale: 1, Neighbours: accountant.ReplaceOne}
	return r
}

// A ledger with a part for pure releases adds their ε there, and the rest of ε is the Gaussians'.
func TestPurePart(t *testing.T) {
	c := testConfig()
	c.Pure = 0.25
	path := tempPath(t)
	l := mustCreate(t, path, c)
	price, err := l.Price(laplace("p", 0.125).Event)
	must(t, err)
	if price.Epsilon != 0.125 {
		t.Errorf("priced at %v, want its own ε", price)
	}
	mustRelease(t, l, laplace("p1", 0.125), `1`)
	if s := mustStatus(t, l); s.PureSpent != 0.125 || s.Spent.Epsilon != 0.125 || s.PureLeft > 0.125 || s.PureLeft < 0.1249 || !strings.Contains(s.String(), "of which 0.125 is spent") {
		t.Errorf("status\n%v", s)
	}
	// The Gaussians have what a ledger of the rest has, and no more.
	rest := testConfig()
	rest.Budget.Epsilon = 0.75
	mu, err := calibrate(rest)
	must(t, err)
	_, err = l.Release(t.Context(), request("too much", mu*(1+1e-6)), draws(`1`, nil))
	says(t, err, ErrBudget, "left ε = 0.7499")
	mustRelease(t, l, request("all of it", mu*(1-1e-6)), `1`)
	// The pure part is its own: full for Gaussians, it still takes what is pure, up to its end.
	rc := mustRelease(t, l, laplace("p2", 0.1249999), `1`)
	if s := rc.Status; s.Spent.Epsilon > 1 || s.Spent.Epsilon < 0.99 {
		t.Errorf("all is spent: %v", s)
	}
	_, err = l.Release(t.Context(), laplace("p3", 0.01), draws(`1`, nil))
	says(t, err, ErrBudget, "for pure releases")
	for _, l := range []*Ledger{l, mustOpen(t, path)} {
		s := mustStatus(t, l)
		st, err := l.Statement()
		must(t, err)
		if s.Pure != 0.25 || l.Config().Pure != 0.25 || st.Pure != 0.25 || st.Total.Pure != s.PureSpent || !st.Total.Holds || len(st.Theorems) != 4 {
			t.Errorf("status %v, statement %+v", s, st)
		}
		if e := st.Releases[0]; e.Pure != 0.125 || e.Mu != 0 {
			t.Errorf("release %+v", e)
		}
	}
	other := c
	other.Pure = 0
	_, err = OpenOrCreate(path, other)
	says(t, err, ErrConfig, "pure: the file has 0.25, asked 0")
}

// Where the part for pure releases is full, or there is none, they are charged as the Gaussians that dominate them.
func TestPureBeyondItsPart(t *testing.T) {
	c := testConfig()
	c.Pure = 0.1
	l := mustCreate(t, tempPath(t), c)
	plain := mustCreate(t, tempPath(t), testConfig())
	e := laplace("p", 0.125)
	mustRelease(t, l, e, `1`)
	mustRelease(t, plain, e, `1`)
	a, b := mustEntries(t, l)[0], mustEntries(t, plain)[0]
	if a.Pure != 0 || a.Mu != b.Mu || b.Pure != 0 || !(a.Mu > 0) {
		t.Errorf("charged %+v and %+v", a, b)
	}
	mustRelease(t, l, laplace("p2", 0.1), `1`)
	mixed := request("mixed", 0)
	mixed.Event = accountant.Compose(laplace("", 0.02).Event, gauss{mu: 0.001})
	mustRelease(t, l, mixed, `1`)
	if es := mustEntries(t, l); es[1].Pure != 0.1 || es[2].Pure != 0 || !(es[2].Mu > 0.02) {
		t.Errorf("charged %+v", es)
	}
}

func TestPureOutOfRange(t *testing.T) {
	for _, p := range []float64{-0.1, 1, 2, math.NaN(), math.Inf(1)} {
		c := testConfig()
		c.Pure = p
		_, err := Create(tempPath(t), c)
		if err == nil || !strings.Contains(err.Error(), "config: pure: got") {
			t.Errorf("pure %v: got %v", p, err)
		}
	}
}

// A project keeps a part of its own, or none: each ledger charges a release as its own filter does.
func TestPureInAProject(t *testing.T) {
	dir, p, c := project(t)
	c.Pure = 0.2
	l := mustCreate(t, dir+"/child.ledger", c)
	mustRelease(t, l, laplace("p", 0.05), `1`)
	if e := mustEntries(t, l)[0]; e.Pure != 0.05 || e.Mu != 0 {
		t.Errorf("charged %+v", e)
	}
	if e := mustEntries(t, p)[0]; e.Pure != 0 || !(e.Mu > 0) {
		t.Errorf("the project charged %+v", e)
	}
}

// No sequence of adaptively chosen releases passes the two sums together: what the filter takes is within the budget by
// an accountant that knows nothing of the parts, the composition of all curves.
func TestPureAgainstAnotherAccountant(t *testing.T) {
	c := testConfig()
	c.Pure = 0.3
	mu, err := calibrate(c)
	must(t, err)
	f := newFilter(c, mu)
	var events []accountant.Event
	add := func(e accountant.Event) {
		ways, err := costOf(e, c)
		must(t, err)
		if f.refusal(ways...) == "" {
			f.add(f.route(ways...), "", "")
			events = append(events, e)
		}
	}
	for i := range 400 {
		if i%2 == 0 {
			add(accountant.Laplace{Sensitivity: 0.3 / 16, Scale: 1, Neighbours: accountant.ReplaceOne})
		} else {
			add(accountant.Gaussian{Sensitivity: mu / 8, Sigma: 1, Neighbours: accountant.ReplaceOne})
		}
	}
	if len(events) < 60 || f.pureSpent() < 0.2999 || !f.holds() || f.spent() > 1 {
		t.Fatalf("%d releases, pure %v, spent %v, holds %v", len(events), f.pureSpent(), f.spent(), f.holds())
	}
	g, err := accountant.EpsilonOf(accountant.Compose(events...), accountant.ReplaceOne, c.Budget.Delta)
	must(t, err)
	if g.Epsilon > 1 {
		t.Errorf("%d releases are (%v, %v)-DP by composition of their curves", len(events), g.Epsilon, g.Delta)
	}
	t.Logf("%d releases: the filter says ε ≤ %v, their curves %v (%s)", len(events), f.spent(), g.Epsilon, g.Route)
}
