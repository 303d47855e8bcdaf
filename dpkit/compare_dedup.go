package dpkit

import "slices"

// The ways to remove or merge near duplicates.

func (e exactDedup) alternatives(st Stage, _ float64) []Alternative {
	k, err := keysOf(st.In, e.Keys)
	if err != nil {
		return nil
	}
	ways := []Alternative{{Kind: dedupKind(k.all), Step: e, Same: true, Note: exactNote(k.all)}}
	if !k.all {
		ways = append(ways, Alternative{Kind: Public, Step: exactDedup{}, Note: "whole rows in place of keys: rows of one key that differ elsewhere stay"})
	}
	return ways
}

func (g gridDedup) alternatives(st Stage, _ float64) []Alternative {
	k, err := keysOf(st.In, g.Keys)
	if err != nil {
		return nil
	}
	free := k.all && g.Representative == Center
	ways := []Alternative{{Kind: dedupKind(free), Step: g, Same: true, Note: "as written"}}
	if g.Representative == Smallest {
		centres := g
		centres.Representative = Center
		ways = append(ways, Alternative{Kind: dedupKind(k.all), Step: centres, Same: true, Note: "the row that is kept moves to the centre of its cell"})
	}
	return append(ways, Alternative{Kind: dedupKind(k.all), Step: exactDedup{Keys: g.Keys}, Note: "near duplicates stay"})
}

// dedupKind is that of a dedup which leaves a set of rows or of cells (free), or keeps a row of each group.
func dedupKind(free bool) Kind {
	if free {
		return Public
	}
	return Fitted
}

func (b ballDedup) alternatives(st Stage, _ float64) []Alternative {
	k, err := keysOf(st.In, b.Keys)
	if err != nil {
		return nil
	}
	ways := []Alternative{{Kind: kindOf(b.MaxBlock), Step: b, Same: true, Note: "as written"}}
	for _, other := range b.Ball.others() {
		ways = append(ways, Alternative{Kind: kindOf(other.MaxBlock), Step: ballDedup{other, b.Keys}, Same: true, Note: other.otherNote()})
	}
	return append(ways,
		Alternative{
			Kind: dedupKind(k.all), Step: gridDedup{Grid{Width: 2 * b.Eta}, b.Keys}, Same: true,
			Note: "near duplicates are rows that share a public cell of width 2η",
		},
		Alternative{Kind: dedupKind(k.all), Step: exactDedup{Keys: b.Keys}, Note: "near duplicates stay"})
}

func (b ballQuantize) alternatives(st Stage, _ float64) []Alternative {
	k, err := b.keys(st.In)
	if err != nil {
		return nil
	}
	ways := []Alternative{{Kind: kindOf(b.MaxBlock), Step: b, Same: true, Note: "as written"}}
	for _, other := range b.Ball.others() {
		ways = append(ways, Alternative{Kind: kindOf(other.MaxBlock), Step: ballQuantize{other}, Same: true, Note: other.otherNote()})
	}
	return append(ways, Alternative{
		Kind: Public, Step: quantize{2 * b.Eta, slices.Clone(k.numbers(st.In))}, Same: true,
		Note: "rows move to the centres of public cells of width 2η",
	})
}

// others are the same clusters under another ground: a cap for a declared size, a test for a declared block.
func (b Ball) others() (out []Ball) {
	if b.Declared {
		capped := b
		capped.Declared = false
		out = append(out, capped)
	}
	if b.MaxBlock.ground == FromDeclaration {
		tested := b
		tested.MaxBlock = Test(b.MaxBlock.value, Tested{Share: 0.05, Delta: 1e-12})
		out = append(out, tested)
	}
	return out
}

func (b Ball) otherNote() string {
	if b.MaxBlock.given() {
		return "passes only where all blocks are clearly smaller"
	}
	return "larger clusters are left as they are: the same price, for every dataset"
}
