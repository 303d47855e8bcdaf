package dpkit

import (
	"slices"
	"strings"
)

// statementBytes is what the ledger takes of each text.
const statementBytes = 4000

// statement says for the ledger's privacy statement what is released, as the text that [Parse] reads back, and which
// papers and theorems its price rests on. Both are made of public facts only.
func (pl *plan) statement(q quote) (mechanism, reference string) {
	var refs []string
	add := func(ref string) {
		if ref != "" && !slices.Contains(refs, ref) {
			refs = append(refs, ref)
		}
	}
	for _, s := range q.stages {
		add(s.Reference)
	}
	add(q.price.Cost.Reference)
	return shortened(pl.String()), shortened(strings.Join(refs, "; "))
}

// shortened cuts a text to what the ledger takes.
func shortened(s string) string {
	const mark = "…"
	if len(s) <= statementBytes {
		return s
	}
	return strings.ToValidUTF8(s[:statementBytes-len(mark)], "") + mark
}
