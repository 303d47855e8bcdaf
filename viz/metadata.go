package viz

import (
	"github.com/dpkit-go/dpnb/accountant/ledger"
	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/internal/tag"
)

// resultMetadata are the facts of a release. They stand in the display's text too.
func resultMetadata(r *dpkit.Result[any]) string {
	m := tag.Tag{
		Kind: "release", Name: clean(r.Cost.Release.Name), Event: clean(r.Cost.Release.Event),
		NotPrivate: clean(r.NotPrivate), Refused: r.Refused != "",
	}
	if r.NotPrivate == "" {
		m.Promise(r.Guarantee, scopeWords(r.Guarantee.Scope))
		m.Replayed, m.Entry, m.Ledger = r.Replayed, clean(r.Entry), tag.LedgerOf(r.Status, clean(r.Status.Dataset))
		m.At(r.When)
	}
	return m.Encode()
}

// ledgerFacts are the facts of a ledger, "" where there is none.
func ledgerFacts(s ledger.Status) string {
	if l := tag.LedgerOf(s, clean(s.Dataset)); l != nil {
		return tag.Tag{Kind: "ledger", Neighbours: s.Neighbours.String(), Scope: scopeWords(s.Scope), Ledger: l}.Encode()
	}
	return ""
}
