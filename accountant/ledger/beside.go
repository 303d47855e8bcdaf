package ledger

import (
	"fmt"
	"strings"
)

// sameDataset reports whether two ledgers carry one dataset's name.
func sameDataset(a, b place) bool {
	return strings.EqualFold(strings.TrimSpace(a.Config.Dataset), strings.TrimSpace(b.Config.Dataset))
}

// beside reports whether k may have spent a budget on p's dataset that p's ledger does not count: another ledger
// of the same name that is there or was charged. A project that both share counts what both spend.
func (k Known) beside(p place) bool {
	mine, theirs := p.Config.ProjectID, k.at.Config.ProjectID
	shared := mine != "" && (mine == theirs || mine == k.at.Ledger) || theirs == p.Ledger
	return sameDataset(k.at, p) && k.at.Ledger != p.Ledger && k.Path != p.Path && !shared && (!k.Missing || k.Releases > 0)
}

// besides warns of ledgers of the same dataset's name that were charged and are there; "" if none is known. Their
// names are all there is to go by: it may be other data.
func (l *Ledger) besides() string {
	own := place{Path: l.path, Ledger: l.hist.header.id(), Config: l.hist.header.Config}
	others, err := known(func(p place) bool { return sameDataset(p, own) })
	if err != nil {
		return "" // unwatched says so
	}
	var at []string
	for _, k := range others {
		if k.beside(own) && k.Releases > 0 && !k.Missing {
			at = append(at, fmt.Sprintf("%s (ε ≤ %s)", k.Path, roundedUp(k.Spent.Epsilon)))
		}
	}
	if len(at) == 0 {
		return ""
	}
	const most = 3
	more := ""
	if n := len(at); n > most {
		at, more = at[:most], fmt.Sprintf(" and %d more", n-most)
	}
	return fmt.Sprintf("%q has another ledger at %s%s: for the same people its budget comes on top of this one's: go on with one of them, or keep them under one Project",
		own.Config.Dataset, strings.Join(at, ", "), more)
}
