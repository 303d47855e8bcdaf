package ledger

import (
	"fmt"
	"slices"
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
	rehearsal := k.at.Config.Rehearsal || p.Config.Rehearsal // nothing is spent there that would matter here
	return sameDataset(k.at, p) && !rehearsal && k.at.Ledger != p.Ledger && k.Path != p.Path && !shared && (!k.Missing || k.Releases > 0)
}

// besides warns of ledgers of the same dataset's name that were charged, there or gone; "" if none is known. Their
// names are all there is to go by: it may be other data. It looks at the latest ones of that name alone.
func (l *Ledger) besides() []string {
	own := place{Path: l.path, Ledger: l.hist.header.id(), Config: l.hist.header.Config}
	var at, gone []string
	if !l.readOnly && buildCards() != nil {
		return nil // unwatched says so
	}
	for _, k := range namesakes(own) {
		if !k.beside(own) || k.Releases == 0 {
			continue
		}
		what := fmt.Sprintf("%s (ε ≤ %s)", k.Path, roundedUp(k.Spent.Epsilon))
		if k.Missing {
			gone = append(gone, what)
		} else {
			at = append(at, what)
		}
	}
	var out []string
	if len(at) > 0 {
		out = append(out, fmt.Sprintf("%q has another ledger at %s: for the same people its budget comes on top of this one's: go on with one of them, or keep them under one Project",
			own.Config.Dataset, some(at)))
	}
	if len(gone) > 0 {
		out = append(out, fmt.Sprintf("%q had another ledger at %s, which is gone: for the same people what it had spent comes on top of what is spent here: put it back, or, if it does not matter, run: nb ledger forget",
			own.Config.Dataset, some(gone)))
	}
	return out
}

// namesakes are the ledgers of the dataset's name, each at the place where it was last seen.
func namesakes(own place) []Known {
	book, err := nameBook(own.Config.Dataset)
	if err != nil {
		return nil
	}
	ids, err := mentioned(book, mostBeside)
	if err != nil {
		return nil
	}
	var out []Known
	for _, id := range ids {
		c, found, err := cardOf(id)
		if id == own.Ledger || err != nil || !found || c.Rehearsal || c.Forgotten {
			continue
		}
		if k, ok := c.known(); ok {
			out = append(out, k)
		}
	}
	slices.SortFunc(out, func(a, b Known) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// known is the ledger at the latest of its places, or at one where it is.
func (c card) known() (k Known, ok bool) {
	for _, path := range slices.Backward(c.Paths) {
		p, found, err := placeAt(path)
		if err != nil || !found || p.Ledger != c.Ledger {
			continue
		}
		here := holdsLedger(path, c.Ledger)
		if ok && !here {
			continue
		}
		if now, fits := p.known(); fits {
			k, ok = now, true
			k.Missing = !here
		}
		if here {
			break
		}
	}
	return k, ok
}

// some lists the first of them.
func some(all []string) string {
	const most = 3
	if n := len(all); n > most {
		return strings.Join(all[:most], ", ") + fmt.Sprintf(" and %d more", n-most)
	}
	return strings.Join(all, ", ")
}
