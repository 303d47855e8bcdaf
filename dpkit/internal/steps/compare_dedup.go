package steps

import (
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// The ways to remove or merge near duplicates.

func (e ExactDedup) Alternatives(st stage.Stage, _ float64) []stage.Alternative {
	k, err := rows.KeysOf(st.In, e.Keys)
	if err != nil {
		return nil
	}
	ways := []stage.Alternative{{Kind: dedupKind(k.All), Step: e, Same: true, Note: exactNote(k.All)}}
	if !k.All {
		ways = append(ways, stage.Alternative{Kind: stage.Public, Step: ExactDedup{}, Note: "whole rows in place of keys: rows of one key that differ elsewhere stay"})
	}
	return ways
}

func (g GridDedup) Alternatives(st stage.Stage, _ float64) []stage.Alternative {
	k, err := rows.KeysOf(st.In, g.Keys)
	if err != nil {
		return nil
	}
	free := k.All && g.Representative == CellCenter
	ways := []stage.Alternative{{Kind: dedupKind(free), Step: g, Same: true, Note: "as written"}}
	if g.Representative == CellSmallest {
		centres := g
		centres.Representative = CellCenter
		ways = append(ways, stage.Alternative{Kind: dedupKind(k.All), Step: centres, Same: true, Note: "the row that is kept moves to the centre of its cell"})
	}
	return append(ways, stage.Alternative{Kind: dedupKind(k.All), Step: ExactDedup{Keys: g.Keys}, Note: "near duplicates stay"})
}

// dedupKind is that of a dedup which leaves a set of rows or of cells (free), or keeps a row of each group.
func dedupKind(free bool) stage.Kind {
	if free {
		return stage.Public
	}
	return stage.Fitted
}

func (b BallDedup) Alternatives(st stage.Stage, _ float64) []stage.Alternative {
	k, err := rows.KeysOf(st.In, b.Keys)
	if err != nil {
		return nil
	}
	ways := []stage.Alternative{{Kind: kindOf(b.MaxBlock), Step: b, Same: true, Note: "as written"}}
	for _, other := range b.Ball.others() {
		ways = append(ways, stage.Alternative{Kind: kindOf(other.MaxBlock), Step: BallDedup{other, b.Keys}, Same: true, Note: other.otherNote()})
	}
	return append(ways,
		stage.Alternative{
			Kind: dedupKind(k.All), Step: GridDedup{Grid{Width: 2 * b.Eta}, b.Keys}, Same: true,
			Note: "near duplicates are rows that share a public cell of width 2η",
		},
		stage.Alternative{Kind: dedupKind(k.All), Step: ExactDedup{Keys: b.Keys}, Note: "near duplicates stay"})
}

func (b BallQuantize) Alternatives(st stage.Stage, _ float64) []stage.Alternative {
	k, err := b.keys(st.In)
	if err != nil {
		return nil
	}
	ways := []stage.Alternative{{Kind: kindOf(b.MaxBlock), Step: b, Same: true, Note: "as written"}}
	for _, other := range b.Ball.others() {
		ways = append(ways, stage.Alternative{Kind: kindOf(other.MaxBlock), Step: BallQuantize{other}, Same: true, Note: other.otherNote()})
	}
	return append(ways, stage.Alternative{
		Kind: stage.Public, Step: Quantize{2 * b.Eta, slices.Clone(k.Numbers(st.In))}, Same: true,
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
	if b.MaxBlock.Ground() == stage.FromDeclaration {
		tested := b
		tested.MaxBlock = query.Test(b.MaxBlock.Value(), query.Tested{Share: 0.05, Delta: 1e-12})
		out = append(out, tested)
	}
	return out
}

func (b Ball) otherNote() string {
	if b.MaxBlock.Given() {
		return "passes only where all blocks are clearly smaller"
	}
	return "larger clusters are left as they are: the same price, for every dataset"
}
