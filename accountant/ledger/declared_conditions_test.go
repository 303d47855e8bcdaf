package ledger

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/internal/refusals"
)

// TestDeclaredConditions: for each condition that a source of this package declares, the releases that violate it are charged for what
// they tell of the person for whom that is most, and without it less would be charged.
func TestDeclaredConditions(t *testing.T) {
	declared, err := refusals.Read(".")
	must(t, err)
	if len(declared) < 2 {
		t.Fatalf("found %d declarations", len(declared))
	}
	cases := map[string]func(t *testing.T) (shown, charged, without float64){
		"project/splits-of-two-datasets": func(t *testing.T) (float64, float64, float64) {
			dir, p, c := project(t)
			a, b := mustCreate(t, filepath.Join(dir, "a.ledger"), c), mustCreate(t, filepath.Join(dir, "b.ledger"), c)
			mu := p.hist.filter.limit() * 0.7
			mustRelease(t, a, of(request("a", mu), "holdout", "train"), `1`)
			mustRelease(t, b, of(request("b", mu), "holdout", "test"), `1`)
			mustStatus(t, p)
			return math.Hypot(mu, mu) * (1 - 1e-12), p.hist.filter.mu(), mu // somebody is in train of a, and in test of b
		},
		"project/splits-of-two-versions": func(t *testing.T) (float64, float64, float64) {
			dir, p, c := project(t)
			a := mustCreate(t, filepath.Join(dir, "a.ledger"), c)
			mu := p.hist.filter.limit() * 0.7
			mustRelease(t, a, on(of(request("a", mu), "holdout", "train"), "a", "1"), `1`)
			mustRelease(t, a, on(of(request("b", mu), "holdout", "test"), "b", "2"), `1`)
			mustStatus(t, p)
			return math.Hypot(mu, mu) * (1 - 1e-12), p.hist.filter.mu(), mu // somebody is in train of one version, and in test of another
		},
	}
	refused := map[string]func(c *Config){
		"project/another-relation": func(c *Config) { c.Neighbours = accountant.AddRemove }, "project/another-unit": func(c *Config) { c.Unit = accountant.PerPerson },
	}
	for _, d := range declared {
		t.Run(d.Name, func(t *testing.T) {
			if change := refused[d.Name]; change != nil {
				// A release of a mean is charged to the project for less than it tells of one of whom the project is kept.
				dir, _, c := project(t)
				change(&c)
				if _, err := Create(filepath.Join(dir, "other.ledger"), c); err == nil || !strings.Contains(err.Error(), "no ledger was made") {
					t.Errorf("got %v, want that no ledger is made", err)
				}
				return
			}
			attack := cases[d.Name]
			if attack == nil {
				t.Fatalf("%s:%d: no case violates it: add one", d.File, d.Line)
			}
			shown, charged, without := attack(t)
			if !(shown > without) || !(shown <= charged) {
				t.Errorf("somebody is told %v of, %v is charged, and without the condition %v", shown, charged, without)
			}
		})
		delete(cases, d.Name)
		delete(refused, d.Name)
	}
	for name := range refused {
		t.Errorf("no source declares %q", name)
	}
	for name := range cases {
		t.Errorf("no source declares %q", name)
	}
}
