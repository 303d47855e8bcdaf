package steps

import (
	"fmt"
	"math"
	"reflect"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// Ball finds good clusters (Hu, Sanyal, Schölkopf 2024): a row is a centre if no row lies at a
// distance in (η, 3η] from it, and the rows within η of a centre are its cluster. dpkit.Pipeline.Dedup
// keeps the centre of each, dpkit.Pipeline.QuantizeBall moves the others to it. Distances are Euclidean
// over the numeric columns, in their units (Scale first if those differ), between rows that agree in
// all else that is compared: categories, encoded or not, and which cells are missing.
//
// One row can destroy several good clusters, so that the price grows with the number of columns and
// with the largest cluster; [Exact] duplicates and a public [Grid] are free.
type Ball struct {
	Eta float64 // η; no default
	// MaxCluster is the largest good cluster that is changed: larger ones are left as they are, which
	// makes the price hold for every dataset. No default; at least 2.
	MaxCluster int
	// Declared makes MaxCluster a promise about the data in place of a cap: larger clusters are changed
	// too, and the guarantee is conditional on there being none. The price is that of the cap.
	Declared bool
	// MaxBlock takes the place of both: it certifies that no block of 2^d neighbouring cells of a public
	// grid of side 8·Eta has more rows than so many, counted among rows that agree in what is not numeric. All
	// that one row can change lies in one block, whatever the number of columns: the price is that of
	// 2(MaxBlock − 1) rows in place of a K_d-fold of them, where K_d grows with the columns. At least 2.
	MaxBlock query.Certificate
}

func (b Ball) String() string { return kind.Composite(reflect.ValueOf(b), kind.ShownItems) }

// check reports what is wrong with the parameters on those numeric columns.
func (b Ball) check(in frames.Schema, k rows.KeySet) error {
	if err := num.Sized("radius Eta", b.Eta); err != nil {
		return err
	}
	if b.MaxBlock.Given() {
		if err := b.checkBlock(); err != nil {
			return err
		}
	} else if b.MaxCluster < 2 {
		return fmt.Errorf("size MaxCluster: got %d, want at least 2 rows, or a certified MaxBlock: %w", b.MaxCluster, kind.ErrParameter)
	}
	if len(k.Numeric) == 0 {
		return fmt.Errorf("got no numeric column among the keys; use Dedup(Exact{}): %w", stage.ErrColumn)
	}
	for _, j := range k.Numeric {
		if c := in.Features()[j]; !((c.Hi-c.Lo)/b.Eta <= rows.MaxSpan) {
			return fmt.Errorf("radius Eta: got %g for column %q in [%g, %g], want at least 2^-30 of its width: %w", b.Eta, c.Name, c.Lo, c.Hi, kind.ErrParameter)
		}
	}
	return nil
}

// changes reports whether a good cluster of so many rows is changed.
func (b Ball) changes(rows int) bool {
	return b.Declared || b.MaxBlock.Given() || rows <= b.MaxCluster
}

func (b Ball) scope() accountant.Scope {
	if b.MaxBlock.Given() {
		return query.ScopeOf(b.MaxBlock, b.blockAtMost())
	}
	if b.Declared {
		return accountant.Scope{Kind: accountant.Conditional, On: []string{fmt.Sprintf("no good cluster of more than %d rows at η = %g", b.MaxCluster, b.Eta)}}
	}
	return accountant.Scope{Kind: accountant.Unconditional}
}

// clusterConstants are those that the price rests on, in d numeric columns.
func (b Ball) clusterConstants(d, n int) []stage.Constant {
	radius := stage.Constant{Symbol: "η", Value: b.Eta, Origin: stage.FromParameter, Meaning: "radius of a good cluster"}
	if b.MaxBlock.Given() {
		origin := stage.FromConstruction
		if b.MaxBlock.Known() {
			origin = b.MaxBlock.Ground()
		}
		return []stage.Constant{radius, {Symbol: "p", Value: b.block(n), Origin: origin, Meaning: "rows of the largest block of cells of side 8η"}}
	}
	m := stage.Constant{Symbol: "m", Value: float64(b.MaxCluster), Origin: stage.FromParameter, Meaning: "rows of the largest good cluster that is changed"}
	if b.Declared {
		m.Origin, m.Meaning = stage.FromDeclaration, "rows of the largest good cluster"
	}
	return []stage.Constant{radius, m, {Symbol: "K_d", Value: rows.Packing(d), Origin: stage.FromConstruction, Meaning: fmt.Sprintf("good clusters that one row can destroy, in %d numeric columns", d)}}
}

// DedupRows bounds Δ∞, the common rows that the step removes on one side only when one row of n in d numeric columns is replaced:
// by the certificate of blocks, or as [ClusterRows].
func DedupRows(b Ball, d, n int) float64 {
	if b.MaxBlock.Given() {
		return blockRows(b.block(n), 1, n)
	}
	return ClusterRows(d, b.MaxCluster, n)
}

// DedupFreed bounds the rows that the step frees beside f: by the certificate of blocks, or as [ClusterFreed].
func DedupFreed(b Ball, d, f, n int) int {
	if b.MaxBlock.Given() {
		return int(blockRows(b.block(n), f, n))
	}
	return ClusterFreed(d, b.MaxCluster, f, n)
}

// ClusterRows bounds Δ∞, the common rows that are removed on one side only when one row of n is
// replaced: min{n−1, 2(K_d(m−1) + 1)} (docs/theory/preprocessing.md#theorem-11-good-clusters).
func ClusterRows(d, m, n int) float64 {
	return min(float64(n-1), 2*(rows.Packing(d)*float64(m-1)+1))
}

// ClusterFreed bounds the rows that the dedup of good clusters frees beside the f that were free:
// f(K_d + 1)(m − 1), at most n − f.
//
// Proof. Let X = A ∪ Z and X' = A ∪ Z' with |Z|, |Z'| ≤ f. Let x in A be kept in X and removed in X':
// it lies in a good cluster C of X' that is changed, and is not the row that is kept of it. Say that a
// row z of Z hits C if it lies within 3η of a row of A that is a centre of C in X'. Such centres of
// different clusters lie more than 3η apart, hence each z hits at most K_d clusters. If no z hits C and
// none of Z' is in it, then C has a centre in A, which is a centre in X too, with the same rows around
// it: C is the same cluster in X, keeps the same row, and x is removed in X. So C is hit, or holds a
// row of Z': there are at most fK_d + f such clusters, in each of which at most m − 1 rows of A are
// removed, and f more rows of X can differ, those of Z. The same holds for X', and the rows that
// differ can be paired, an empty one standing in where one side has fewer: f' = f + f(K_d + 1)(m − 1)
// rows are free, up to a permutation. Under add/remove Z' has f − 1 rows, so that both sides together
// have at most (2f − 1)((K_d + 1)(m − 1) + 1) ≤ 2f' − 1 rows that differ.
//
// The proof uses the sizes of changed clusters in X and X' only: they are at most the cap, or the
// declared m. ∎
//
// Δ∞ counts both sides together, and a free row has two images: its price is 2f' contributions, where
// Δ∞ + 2 counted one by one could all lie on one side.
func ClusterFreed(d, m, f, n int) int {
	extra := float64(f) * (rows.Packing(d) + 1) * float64(m-1)
	return int(min(extra, float64(n-f)))
}

// QuantizeBounds are the constants of moving the rows of good clusters to their centres, per free
// row: τ ≤ 2ηK_d·m in all, at most 2η a row, in at most 2K_d·m rows for each of f free rows.
//
// Proof (docs/theory/preprocessing.md#theorem-11-good-clusters). Let z enter A. No row but z becomes a centre. If z is none, a good cluster of A
// whose rows or size change has a centre within 3η of z, and there are at most K_d such. Each is
// destroyed or grows beyond the cap, and its at most m rows move back by η or less, or z joins it, and
// then its old centre lies within η of the new one, to which all its rows moved. If z is a centre, none
// is destroyed, and one cluster is joined or made: at most m rows of it move by η or less. So τ grows
// by ηK_d·m at most. Replacing a row is one removal and one insertion: 2ηK_d·m, and 2η for one row.
// Every f replacements add up. ∎
//
// A declared m says nothing of the datasets between. For f = 1 there is only A, where a larger
// cluster is destroyed on both sides, or it would be good in one of them, and its rows agree. For
// f > 1 the two sides are compared as in ClusterFreed: rows of at most f(K_d + 1) changed clusters of
// either side differ, each of which moved its m rows by η at most: K_d + 1 takes the place of K_d.
//
// Under a certified block at most 2(p − 1) common rows move for each of f, by 2η each (see blockRows).
func QuantizeBounds(b Ball, d int, p pair.State) pair.StepBounds {
	k := rows.Packing(d)
	if b.Declared && p.F > 1 {
		k++
	}
	rows := 2 * k * float64(b.MaxCluster)
	each, others := 2*b.Eta, float64(p.N-p.F)
	total := min(b.Eta*rows, each*others)
	if b.MaxBlock.Given() {
		rows = 2 * (b.block(p.N) - 1)
		total = each * min(rows, others)
	}
	return pair.StepBounds{
		K: 1, A1: total, AF: math.Sqrt(total * each), AInf: each,
		Affected: int(min(float64(p.F)*rows, others)), R: p.R, ResetFree: true,
	}
}
