package dpkit

import (
	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/ledger"
	"github.com/dpkit-go/dpnb/internal/gonb"
	"github.com/dpkit-go/dpnb/internal/tag"
)

// tagged notes in the notebook's cell, if this program is one, that a ledger was charged or asked in it: whichever view shows the
// value, and if none does, or the draw failed. The note shows nothing; a page that is made of the notebook lists it. It never fails a
// release.
func (pl *plan) tagged(r Result[any], charged accountant.Event, failed bool) {
	if !gonb.InNotebook() {
		return
	}
	name := pl.name
	if name == "" {
		name = r.Cost.Release.Name
	}
	t := tag.Tag{
		Kind: "release", Name: name, Mechanism: accountant.InWords(charged), Event: r.Cost.Release.Event, Refused: r.Refused != "", Failed: failed,
		Unit: r.Guarantee.Unit.String(), Replayed: r.Replayed, Entry: r.Entry, Ledger: tag.LedgerOf(r.Status, r.Status.Dataset),
	}
	t.Promise(r.Guarantee, r.Guarantee.Scope.String())
	t.At(r.When)
	text := t.Encode()
	// Whoever reads the cell's outputs gets it in their order; nothing waits for it.
	_ = gonb.Send(gonb.Display{Data: map[string]string{tag.MIME: text}, Metadata: map[string]string{tag.Key: text}}, false)
}

// taggedFailure is [plan.tagged] of a release that was charged and whose draw failed.
func (pl *plan) taggedFailure(q quote, req ledger.Request) {
	if !gonb.InNotebook() {
		return
	}
	st, err := pl.p.s.Status()
	if err != nil {
		return
	}
	r := Result[any]{Guarantee: q.price.Guarantee, Cost: q.cost(), Entry: req.ID, Status: st}
	for _, e := range st.Interrupted {
		if e.ID == req.ID {
			r.When = e.When // the last one
		}
	}
	pl.tagged(r, req.Event, true)
}
