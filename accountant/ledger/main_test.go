package ledger

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
)

// childVar names the role that a re-executed test binary plays, instead of running tests.
const childVar = "DPNB_LEDGER_TEST_CHILD"

func TestMain(m *testing.M) {
	if role := os.Getenv(childVar); role != "" {
		child(role)
		return
	}
	// The tests never write to the user's own state folder; children inherit this one.
	state, err := os.MkdirTemp("", "ledger-test-state-")
	if err != nil {
		panic(err)
	}
	if err := os.Setenv("XDG_STATE_HOME", state); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(state)
	os.Exit(code)
}

// ownState gives a test a state folder of its own, for copies of one ledger that each go on.
func ownState(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_STATE_HOME", dir)
	return dir
}

// gauss is an event of exactly the cost that a test wants.
type gauss struct{ mu, tv float64 }

func (g gauss) GDP(accountant.Neighbours) (mu, tv float64, err error) { return g.mu, g.tv, nil }
func (g gauss) String() string                                        { return fmt.Sprintf("Gaussian(μ = %v)", g.mu) }
func (g gauss) RDP(accountant.Neighbours) (accountant.Curve, error) {
	return func(alpha float64) float64 { return alpha * g.mu * g.mu / 2 }, nil
}

func testConfig() Config {
	return Config{Budget: accountant.Budget{Epsilon: 1, Delta: 1e-6}, Neighbours: accountant.ReplaceOne, Dataset: "adult"}
}

func request(name string, mu float64) Request {
	h := sha256.Sum256([]byte(name))
	return Request{
		ID: hex.EncodeToString(h[:]), Name: name, Event: gauss{mu: mu},
		Guarantee: accountant.Guarantee{
			Budget: accountant.Budget{Epsilon: 0.1, Delta: 1e-6}, Neighbours: accountant.ReplaceOne,
			Scope: accountant.Scope{Kind: accountant.Unconditional}, Route: "exact Gaussian profile",
		},
	}
}

func fresh(r Request) Request {
	r.Fresh = true
	return r
}

// draws returns a draw that gives v and counts its calls.
func draws(v string, calls *int) func(context.Context) (json.RawMessage, error) {
	return func(context.Context) (json.RawMessage, error) {
		if calls != nil {
			*calls++
		}
		return json.RawMessage(v), nil
	}
}

// tempDir is a folder whose ledgers are not missed when the test ends and they are gone.
func tempDir(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	t.Cleanup(func() {
		known, _ := places() // none where the test took the state folder away
		for _, p := range known {
			if within(dir, p.Path) {
				must(t, Forget(p.Path))
			}
		}
	})
	return dir
}

func tempPath(t testing.TB) string { return filepath.Join(tempDir(t), "adult.ledger") }

func mustCreate(t testing.TB, path string, c Config) *Ledger {
	t.Helper()
	l, err := Create(path, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func mustKey(t testing.TB, l *Ledger) []byte {
	t.Helper()
	key, err := l.Key()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func mustOpen(t testing.TB, path string) *Ledger {
	t.Helper()
	l, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func mustRelease(t testing.TB, l *Ledger, r Request, v string) Receipt {
	t.Helper()
	rc, err := l.Release(t.Context(), r, draws(v, nil))
	if err != nil {
		t.Fatal(err)
	}
	return rc
}

func mustEntries(t testing.TB, l *Ledger) []Entry {
	t.Helper()
	es, err := l.Entries()
	if err != nil {
		t.Fatal(err)
	}
	return es
}

func mustStatus(t testing.TB, l *Ledger) Status {
	t.Helper()
	s, err := l.Status()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func writeLedger(t testing.TB, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}
