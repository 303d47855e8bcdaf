package dpkit

import (
	"slices"
	"strings"
)

// statementBytes is what the ledger takes of each text.
const statementBytes = 4000

// statement says for the ledger's privacy statement what is released, as a chain of calls, and which
// papers and theorems its price rests on. Both are made of public facts only.
func (pl *plan) statement(q quote) (mechanism, reference string) {
	var calls, refs []string
	add := func(call, ref string) {
		calls = append(calls, call)
		if ref != "" && !slices.Contains(refs, ref) {
			refs = append(refs, ref)
		}
	}
	for _, s := range q.stages {
		add(describe(s.step), s.Reference)
	}
	add(describe(pl.m), q.price.Cost.Reference)
	return shortened(strings.Join(calls, ".")), shortened(strings.Join(refs, "; "))
}

// shortened cuts a text to what the ledger takes.
func shortened(s string) string {
	const mark = "…"
	if len(s) <= statementBytes {
		return s
	}
	return strings.ToValidUTF8(s[:statementBytes-len(mark)], "") + mark
}
