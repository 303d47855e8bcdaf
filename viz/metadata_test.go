package viz

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/ledger"
	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/internal/tag"
)

// TestMetadata: a display of a release or a ledger says for programs what its text says for readers,
// and nothing of the value.
func TestMetadata(t *testing.T) {
	notPrivate := handResult(false)
	notPrivate.NotPrivate, notPrivate.Guarantee = "a demonstration", accountant.Guarantee{}
	replayed := handResult(true)
	secret := dpkit.Result[string]{Value: "the-value", Guarantee: handCost(false).Guarantee, When: time.Unix(1, 5)}
	unbounded := handResult(false)
	unbounded.Guarantee.Epsilon = math.Inf(1)
	for _, tc := range []struct {
		name string
		view View
		want map[string]any // of the fields; nil: no metadata at all
	}{
		{"release", Result(handResult(false)), map[string]any{
			"version": 1.0, "kind": "release", "replayed": nil, "not_private": nil, "charged": "2025-03-01T09:30:00Z",
			"epsilon": 1.0, "delta": 1e-6, "neighbours": "replace-one", "scope": "unconditional",
		}},
		{"replayed under a condition", Result(replayed), map[string]any{"replayed": true, "scope": scopeWords(replayed.Guarantee.Scope)}},
		{"not private", Result(notPrivate), map[string]any{"kind": "release", "not_private": "a demonstration", "epsilon": nil, "ledger": nil}},
		{"no ledger", Result(secret), map[string]any{"ledger": nil, "charged": "1970-01-01T00:00:01.000000005Z"}},
		{"not a guarantee", Result(dpkit.Result[int]{}), map[string]any{"not_private": "not a guarantee"}},
		{"no finite bound", Result(unbounded), map[string]any{"epsilon": nil, "delta": 1e-6}},
		{"ledger", Ledger(handStatus(accountant.Scope{Kind: accountant.Unconditional})), map[string]any{"kind": "ledger", "epsilon": nil}},
		{"no budget", Ledger(ledger.Status{}), nil},
		{"table", Table([]string{"a"}, nil), nil},
		{"cost of a plan, which charges nothing", Cost(handCost(false)), nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b, err := tc.view.bundle()
			if err != nil {
				t.Fatal(err)
			}
			text, ok := b.Metadata[tag.Key]
			if ok != (tc.want != nil) {
				t.Fatalf("metadata %q, want some: %v", text, tc.want != nil)
			}
			if !ok {
				return
			}
			var got map[string]any
			if err := json.Unmarshal([]byte(text), &got); err != nil {
				t.Fatal(err)
			}
			for key, want := range tc.want {
				if got[key] != want {
					t.Errorf("%s: got %v, want %v", key, got[key], want)
				}
			}
			if strings.Contains(text, "the-value") || strings.Contains(text, "0.75") {
				t.Errorf("the value is in %s", text)
			}
		})
	}
}

// TestMetadataRoundsUp: a program that reads a loss never reads one that is too small, nor a budget that
// is too large.
func TestMetadataRoundsUp(t *testing.T) {
	for _, x := range []float64{1.0 / 3, 2.0 / 3, 1e-6 / 3, 99999.5, math.Nextafter(1, 2), math.Nextafter(1, 0)} {
		r := handResult(false)
		r.Guarantee.Epsilon, r.Guarantee.Delta = x, x
		r.Status.Budget.Epsilon, r.Status.Spent.Epsilon, r.Status.Budget.Delta = x, x, x
		var m tag.Tag
		if err := json.Unmarshal([]byte(resultMetadata(erased(r))), &m); err != nil {
			t.Fatal(err)
		}
		for name, n := range map[string]json.Number{"ε": m.Epsilon, "δ": m.Delta, "spent": m.Ledger.Spent, "budget δ": m.Ledger.Delta} {
			if v, err := n.Float64(); err != nil || v < x {
				t.Errorf("%s = %v is written %s", name, x, n)
			}
		}
		if v, err := m.Ledger.Epsilon.Float64(); err != nil || v > x {
			t.Errorf("the budget %v is written %s", x, m.Ledger.Epsilon)
		}
	}
}
