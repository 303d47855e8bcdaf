package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
)

// failing is a release of which a test may pass wrongly with probability delta0.
func failing(t *testing.T, id string, mu, delta0 float64) Request {
	t.Helper()
	rel := testConfig().Neighbours
	return Request{
		ID: id,
		Event: accountant.Compose(
			accountant.Gaussian{Sensitivity: mu, Sigma: 1, Neighbours: rel},
			accountant.ApproxDP{Delta: delta0, Neighbours: rel},
		),
		Guarantee: accountant.Guarantee{
			Budget: accountant.Budget{Epsilon: 0.1, Delta: 1e-7}, Neighbours: rel,
			Scope: accountant.Scope{Kind: accountant.Tested, On: []string{"a test"}},
		},
	}
}

func drawNothing(context.Context) (json.RawMessage, error) { return json.RawMessage("1"), nil }

// TestReserve: failures are charged to their own part of δ, which is fixed beforehand, and the file remembers.
func TestReserve(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(tempDir(t), "a.ledger")
	c := testConfig()
	c.Reserve = c.Budget.Delta / 4
	l, err := OpenOrCreate(path, c)
	if err != nil {
		t.Fatal(err)
	}
	id := func(k string) string { return strings.Repeat(k, 64) }
	if _, err := l.Release(ctx, failing(t, id("a"), 0.01, c.Reserve), drawNothing); err != nil {
		t.Fatalf("a failure of the whole reserve: %v", err)
	}
	if _, err := l.Release(ctx, failing(t, id("b"), 0.01, c.Reserve/1e6), drawNothing); !errors.Is(err, ErrBudget) || !strings.Contains(err.Error(), "failures") {
		t.Errorf("beyond the reserve: got %v, want %v", err, ErrBudget)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l, err = Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s, err := l.Status()
	if err != nil {
		t.Fatal(err)
	}
	if s.Reserve != c.Reserve || s.Failures != c.Reserve || l.Config() != c {
		t.Errorf("the file remembers reserve %v, failures %v, config %+v; want %v, all of it, %+v", s.Reserve, s.Failures, l.Config(), c.Reserve, c)
	}
	if !strings.Contains(s.String(), "reserve") {
		t.Errorf("the status does not show the reserve:\n%v", s)
	}
	other := c
	other.Reserve = 0
	if _, err := OpenOrCreate(path, other); err == nil || !strings.Contains(err.Error(), "reserve") {
		t.Errorf("another reserve: got %v, want an error that names it", err)
	}
}

// TestNoReserveNoFailures: without a reserve a release that may fail is refused before anything is
// charged, and says what to do.
func TestNoReserveNoFailures(t *testing.T) {
	l, err := OpenOrCreate(filepath.Join(tempDir(t), "a.ledger"), testConfig())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, err = l.Release(context.Background(), failing(t, strings.Repeat("a", 64), 0.01, 1e-12), drawNothing)
	if !errors.Is(err, ErrBudget) || !strings.Contains(err.Error(), "Reserve") {
		t.Errorf("got %v, want %v with the remedy", err, ErrBudget)
	}
	if s, err := l.Status(); err != nil || s.Releases != 0 {
		t.Errorf("status %+v, %v: want nothing charged", s, err)
	}
}

func TestReserveOutOfRange(t *testing.T) {
	for _, r := range []float64{-1e-9, testConfig().Budget.Delta, 1} {
		c := testConfig()
		c.Reserve = r
		if _, err := OpenOrCreate(filepath.Join(tempDir(t), "a.ledger"), c); err == nil || !strings.Contains(err.Error(), "reserve") {
			t.Errorf("reserve %v: got %v, want an error that names it", r, err)
		}
	}
}
