package ledger

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
)

func TestSecondLedgerOfADataset(t *testing.T) {
	const told = `has another ledger at `
	others := func(t *testing.T, path string) []string {
		t.Helper()
		known, err := List()
		must(t, err)
		for _, k := range known {
			if k.Path == path {
				return k.Others
			}
		}
		t.Fatalf("%s is not known", path)
		return nil
	}
	for name, c := range map[string]struct {
		second func(*Config)
		charge bool
		warned bool // by Status
		listed bool
	}{
		"charged":        {func(*Config) {}, true, true, true},
		"other case":     {func(c *Config) { c.Dataset = " ADULT" }, true, true, true},
		"not charged":    {func(*Config) {}, false, false, true},
		"other dataset":  {func(c *Config) { c.Dataset = "census" }, true, false, false},
		"shared project": {func(c *Config) { c.Project = "project.ledger" }, true, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			ownState(t)
			dir, p, child := project(t)
			first, second := testConfig(), testConfig()
			c.second(&second)
			if second.Project != "" {
				first = child
			}
			a := mustCreate(t, filepath.Join(dir, "a.ledger"), second)
			if c.charge {
				mustRelease(t, a, request("r", 0.01), `1`)
			}
			b := mustCreate(t, filepath.Join(dir, "b.ledger"), first)
			s := mustStatus(t, b)
			if text := strings.Join(s.Warnings, "\n"); strings.Contains(strings.ToLower(text), strings.ToLower(told+a.path)) != c.warned || (len(s.Warnings) > 0) != c.warned {
				t.Errorf("warnings %q", s.Warnings)
			}
			if got := others(t, b.path); (len(got) == 1 && got[0] == a.path) != c.listed || (len(got) > 0) != c.listed {
				t.Errorf("listed %q", got)
			}
			if got := others(t, p.path); len(got) > 0 {
				t.Errorf("beside the project: %q", got)
			}
			if len(mustStatus(t, p).Warnings) > 0 {
				t.Error("the project is warned of its own ledgers")
			}
		})
	}
	t.Run("moved and copied", func(t *testing.T) {
		ownState(t)
		dir := tempDir(t)
		a := mustCreate(t, filepath.Join(dir, "a.ledger"), testConfig())
		mustRelease(t, a, request("r", 0.01), `1`)
		must(t, a.Close())
		for _, suffix := range []string{"", ".key"} {
			must(t, os.Rename(filepath.Join(dir, "a.ledger"+suffix), filepath.Join(dir, "b.ledger"+suffix)))
		}
		b := mustOpen(t, filepath.Join(dir, "b.ledger"))
		if s := mustStatus(t, b); len(s.Warnings) > 0 || len(others(t, b.path)) > 0 {
			t.Errorf("one ledger under two paths: %q", s.Warnings)
		}
	})
}

func TestPrice(t *testing.T) {
	l := mustCreate(t, tempPath(t), testConfig())
	laplace := accountant.Laplace{Sensitivity: 0.1, Scale: 1, Neighbours: accountant.ReplaceOne}
	got, err := l.Price(laplace)
	must(t, err)
	if !(got.Epsilon > 0.3 && got.Epsilon < 1) || got.Delta != testConfig().Budget.Delta {
		t.Errorf("Laplace with ε = 0.1: %v", got)
	}
	rc := mustRelease(t, l, Request{
		ID: strings.Repeat("a", 32), Event: laplace,
		Guarantee: accountant.Guarantee{Budget: accountant.Budget{Epsilon: 0.1}, Neighbours: accountant.ReplaceOne, Scope: accountant.Scope{Kind: accountant.Unconditional}},
	}, `1`)
	if spent := rc.Status.Spent.Epsilon; !(spent <= got.Epsilon) {
		t.Errorf("charged %v, priced at %v", spent, got.Epsilon)
	}
	if _, err := l.Price(laplace); err != nil {
		t.Error("a price depends on what is left")
	}
	if _, err := l.Price(accountant.Laplace{Sensitivity: 1, Scale: 1, Neighbours: accountant.AddRemove}); err == nil {
		t.Error("a price in another relation")
	}
}
