package tag

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/ledger"
)

// TestTag: what is encoded is on the safe side, and leaves out what is not known.
func TestTag(t *testing.T) {
	x := Tag{Kind: "release", Ledger: LedgerOf(ledger.Status{}, "none")}
	x.Promise(accountant.Guarantee{Budget: accountant.Budget{Epsilon: 1.0 / 3, Delta: 1e-6}, Neighbours: accountant.ReplaceOne, Scope: accountant.Scope{Kind: accountant.Unconditional}}, "unconditional")
	x.At(time.Time{})
	var got map[string]any
	if err := json.Unmarshal([]byte(x.Encode()), &got); err != nil {
		t.Fatal(err)
	}
	if e := got["epsilon"].(float64); !(e >= 1.0/3 && e < 0.3335) {
		t.Errorf("ε: got %v, want 1/3 rounded up", e)
	}
	for _, key := range []string{"ledger", "charged", "not_private", "replayed", "entry"} {
		if v, ok := got[key]; ok {
			t.Errorf("%s: got %v, want nothing", key, v)
		}
	}
	var incomplete Tag
	incomplete.Promise(accountant.Guarantee{}, "")
	if incomplete.NotPrivate == "" {
		t.Error("a promise without a relation was taken for one")
	}
}
