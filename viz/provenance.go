package viz

import (
	"github.com/dpkit-go/dpnb/dpkit"
)

// Provenance shows where a released value came from, as it says itself: the release, its guarantee or why there is none, and the entry
// of the ledger. Of a value that was read from a file the word is that of whoever wrote it.
func Provenance(p dpkit.Provenance) View {
	v := View{title: "Where the value came from"}
	release := facts{{Name: "release", Value: orDash(clean(p.Release))}}
	if p.Counted != "" {
		release = append(release, fact{Name: "counted", Value: clean(p.Counted)})
	}
	switch {
	case p.NotPrivate != "":
		v.blocks = []block{banner{"NOT PRIVATE", clean(p.NotPrivate)}, append(release, fact{Name: "guarantee", Value: "none", Alarm: true})}
	case p.Guarantee == nil:
		v.blocks = []block{banner{"NOT A GUARANTEE", "the value does not say how it came about"}, append(release, fact{Name: "guarantee", Value: "none", Alarm: true})}
	default:
		v.blocks = append(scopeBanners(*p.Guarantee), append(release, guaranteeFacts(*p.Guarantee)...))
		v.blocks = append(v.blocks, ledgerFactsOf(p))
	}
	return v
}

// ledgerFactsOf are the unit of privacy and where the release stands in its ledger.
func ledgerFactsOf(p dpkit.Provenance) facts {
	f := facts{{Name: "unit", Value: orDash(clean(p.Unit))}}
	if p.Entry != "" {
		f = append(f, fact{Name: "ledger", Value: clean(p.Dataset)}, fact{Name: "entry", Value: clean(p.Entry)}, fact{Name: "charged", Value: when(p.Charged)})
	}
	return f
}
