package tag

import (
	"encoding/json"
	"math"
	"time"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/ledger"
)

// Key is where a display carries its facts, as JSON in a string (a nested map would not pass GoNB's pipe).
const Key = "dpnb"

// MIME is the type of a display that carries facts and shows nothing: no front end draws it.
const MIME = "application/vnd.dpnb.release+json"

// Tag is what a release or a ledger says to programs. All of it is public; the released value is not among it. Losses are rounded up.
type Tag struct {
	Version    int         `json:"version"`
	Kind       string      `json:"kind"` // "release" or "ledger"
	Name       string      `json:"name,omitempty"`
	Mechanism  string      `json:"mechanism,omitempty"`   // in words
	Event      string      `json:"event,omitempty"`       // as the accountant prices it
	NotPrivate string      `json:"not_private,omitempty"` // why there is no guarantee
	Refused    bool        `json:"refused,omitempty"`     // a test did not pass: paid for, without a value
	Failed     bool        `json:"failed,omitempty"`      // the draw gave no value: paid for, too
	Epsilon    json.Number `json:"epsilon,omitempty"`
	Delta      json.Number `json:"delta,omitempty"`
	Neighbours string      `json:"neighbours,omitempty"`
	Unit       string      `json:"unit,omitempty"` // of privacy
	Scope      string      `json:"scope,omitempty"`
	Replayed   bool        `json:"replayed,omitempty"` // else it was charged
	Charged    string      `json:"charged,omitempty"`  // RFC 3339, of the first charge
	Entry      string      `json:"entry,omitempty"`    // of the ledger
	Ledger     *Ledger     `json:"ledger,omitempty"`
}

// Ledger is what a tag says of a ledger.
type Ledger struct {
	Dataset  string      `json:"dataset"`
	Epsilon  json.Number `json:"budget_epsilon,omitempty"`
	Delta    json.Number `json:"budget_delta,omitempty"`
	Spent    json.Number `json:"spent_epsilon,omitempty"`
	Releases int         `json:"releases"`
}

// Promise notes a guarantee.
func (t *Tag) Promise(g accountant.Guarantee, scope string) {
	t.Epsilon, t.Delta = loss(g.Epsilon), loss(g.Delta)
	t.Neighbours, t.Scope = g.Neighbours.String(), scope
	if g.Neighbours.Validate() != nil || g.Scope.Validate() != nil {
		t.NotPrivate = "not a guarantee"
	}
}

// At notes when the ledger was charged.
func (t *Tag) At(charged time.Time) {
	if !charged.IsZero() {
		t.Charged = charged.UTC().Format(time.RFC3339Nano)
	}
}

// LedgerOf is what is said of a ledger by that name for its data; nil where there is none.
func LedgerOf(s ledger.Status, dataset string) *Ledger {
	if !(s.Budget.Epsilon > 0) {
		return nil
	}
	return &Ledger{
		Dataset: dataset, Epsilon: number(s.Budget.Epsilon, Down(s.Budget.Epsilon)), Delta: loss(s.Budget.Delta),
		Spent: loss(s.Spent.Epsilon), Releases: s.Releases,
	}
}

// loss is x rounded up as displays print it, "" where x is no number.
func loss(x float64) json.Number { return number(x, Up(x)) }

func number(x float64, text string) json.Number {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return ""
	}
	return json.Number(text)
}

// Encode is the tag as JSON.
func (t Tag) Encode() string {
	t.Version = 1
	data, err := json.Marshal(t)
	if err != nil {
		return "" // no facts are better than a display that fails
	}
	return string(data)
}
