package viz

import (
	"encoding/json"
	"math"
	"time"

	"github.com/dpkit-go/dpnb/accountant/ledger"
	"github.com/dpkit-go/dpnb/dpkit"
)

// metadataKey is where a display of a release or a ledger carries its facts for programs, as JSON in a
// string (a nested map would not pass GoNB's pipe). Tools that render notebooks sum up costs from it.
const metadataKey = "dpnb"

// metadata are the facts. All of them are public and stand in the display's text too; the released
// value is not among them. Losses are rounded up.
type metadata struct {
	Version    int             `json:"version"`
	Kind       string          `json:"kind"` // "release" or "ledger"
	Name       string          `json:"name,omitempty"`
	Event      string          `json:"event,omitempty"`
	NotPrivate string          `json:"not_private,omitempty"` // why there is no guarantee
	Epsilon    json.Number     `json:"epsilon,omitempty"`
	Delta      json.Number     `json:"delta,omitempty"`
	Neighbours string          `json:"neighbours,omitempty"`
	Scope      string          `json:"scope,omitempty"`
	Replayed   bool            `json:"replayed,omitempty"` // else it was charged
	Charged    string          `json:"charged,omitempty"`  // RFC 3339, of the first charge
	Ledger     *ledgerMetadata `json:"ledger,omitempty"`
}

type ledgerMetadata struct {
	Dataset  string      `json:"dataset"`
	Epsilon  json.Number `json:"budget_epsilon,omitempty"`
	Delta    json.Number `json:"budget_delta,omitempty"`
	Spent    json.Number `json:"spent_epsilon,omitempty"`
	Releases int         `json:"releases"`
}

// resultMetadata are the facts of a release.
func resultMetadata(r *dpkit.Result[any]) string {
	m := metadata{
		Version: 1, Kind: "release", Name: clean(r.Cost.Release.Name), Event: clean(r.Cost.Release.Event),
		NotPrivate: clean(r.NotPrivate),
	}
	if r.NotPrivate == "" {
		g := r.Guarantee
		m.Epsilon, m.Delta = loss(g.Epsilon), loss(g.Delta)
		m.Neighbours, m.Scope = g.Neighbours.String(), scopeWords(g.Scope)
		if !complete(g) {
			m.NotPrivate = "not a guarantee"
		}
		m.Replayed = r.Replayed
		if !r.When.IsZero() {
			m.Charged = r.When.UTC().Format(time.RFC3339Nano)
		}
		m.Ledger = statusMetadata(r.Status)
	}
	return m.encode()
}

// ledgerFacts are the facts of a ledger, "" where there is none.
func ledgerFacts(s ledger.Status) string {
	if l := statusMetadata(s); l != nil {
		return metadata{Version: 1, Kind: "ledger", Neighbours: s.Neighbours.String(), Scope: scopeWords(s.Scope), Ledger: l}.encode()
	}
	return ""
}

func statusMetadata(s ledger.Status) *ledgerMetadata {
	if !(s.Budget.Epsilon > 0) {
		return nil
	}
	return &ledgerMetadata{
		Dataset: clean(s.Dataset), Epsilon: number(s.Budget.Epsilon, down(s.Budget.Epsilon)), Delta: loss(s.Budget.Delta),
		Spent: loss(s.Spent.Epsilon), Releases: s.Releases,
	}
}

// loss is x rounded up as the display prints it, "" where x is no number.
func loss(x float64) json.Number { return number(x, up(x)) }

func number(x float64, text string) json.Number {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return ""
	}
	return json.Number(text)
}

func (m metadata) encode() string {
	data, err := json.Marshal(m)
	if err != nil {
		return "" // no facts are better than a display that fails
	}
	return string(data)
}
