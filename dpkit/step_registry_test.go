package dpkit

import (
	"math"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/attack"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/frames"
)

// stepEntry is what the tests over every kind of step have to know of one.
type stepEntry struct {
	// attacks are chains that end with the step; the first is also the one that is explained, compared and attacked in other states.
	attacks []attackedStep
	// oneWay says why the step offers no alternatives to compare; "" where it does.
	oneWay string
}

// attackedStep is a chain on a domain, in the unit u, and what the search must attain of its claims.
type attackedStep struct {
	name   string
	domain func(u float64) frames.Schema
	chain  func(p Pipeline, u float64) Pipeline

	displaced []string // columns in which common rows differ when they arrive
	empty     bool     // rows may have been removed
	narrow    bool     // the norm and the free row's displacement are as measured
	rows      []int    // sizes of datasets, of which the floors are for the last; nil: 2, 7 and 40
	unit      bool     // the step has no price in units far from 1, which the entry says
	within    func(*frames.Block) bool
	floors    floors
}

type floors = map[attack.Constant]float64

const (
	total     = attack.Total
	frobenius = attack.Frobenius
	largest   = attack.Largest
	movedRows = attack.Moved
	norm      = attack.Norm
	freeRow   = attack.FreeRow
	freeRows  = attack.FreeRows
	asked     = attack.Query
)

// stepEntries has an entry for every kind of step.
func stepEntries() map[string]stepEntry {
	all := map[string]stepEntry{}
	for _, group := range []map[string]stepEntry{publicEntries(), removalEntries(), encodingEntries(), imputationEntries(), scalingEntries(), spectralEntries(), peopleEntries()} {
		for name, e := range group {
			all[name] = e
		}
	}
	return all
}

// TestEveryStepHasAnEntry: every method of Pipeline that adds a step makes known kinds, every kind has an entry, and every entry is of a
// kind.
func TestEveryStepHasAnEntry(t *testing.T) {
	entries, known, calls := stepEntries(), map[string]bool{}, map[string]bool{"With": true}
	for _, s := range knownSteps() {
		name := s.Kind().Name
		known[name], calls[s.Kind().Call] = true, true
		e, ok := entries[name]
		if !ok || len(e.attacks) == 0 {
			t.Errorf("%s has no entry in the tables of step_registry_test.go: say how chains are made with it, and what an attack attains of its bounds", name)
			continue
		}
		for _, a := range e.attacks {
			steps := a.chain(Pipeline{}, 1).steps
			if last, ok := kind.KindFor(steps[len(steps)-1]); !ok || last.Name != name {
				t.Errorf("%s, %s: the chain ends with %s", name, a.name, last.Name)
			}
			if len(a.floors) == 0 {
				t.Errorf("%s, %s: no floor", name, a.name)
			}
			for c, f := range a.floors {
				if !(f > 0 && f < 1) {
					t.Errorf("%s, %s: the floor of %v is %g, want a share of the bound", name, a.name, c, f)
				}
			}
		}
	}
	chain := reflect.TypeFor[Pipeline]()
	for i := range chain.NumMethod() {
		m := chain.Method(i)
		if m.Type.NumOut() == 1 && m.Type.Out(0) == chain && !calls[m.Name] {
			t.Errorf("Pipeline.%s adds a step of no known kind: list it in kinds.go", m.Name)
		}
	}
	files := map[string]bool{}
	for name := range known {
		files[corpusOf(name)] = true
	}
	stored, err := filepath.Glob(filepath.Join("testdata", "attacks", "*"))
	if err != nil || len(stored) == 0 {
		t.Errorf("no stored pairs: %v", err)
	}
	for _, path := range stored {
		if !files[path] {
			t.Errorf("%s holds pairs, and there is no such kind of step", path)
		}
	}
	for name := range entries {
		if !known[name] {
			t.Errorf("there is an entry for %s, and no such kind of step", name)
		}
	}
}

const public = "a public row map, which costs nothing: nothing is to be chosen"

func publicEntries() map[string]stepEntry {
	numbers := []string{"u", "v"}
	return map[string]stepEntry{
		"bin": {oneWay: public, attacks: []attackedStep{
			{
				name: "beside a displaced column", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.59},
				domain: holesDomain, displaced: []string{"v"}, chain: func(p Pipeline, u float64) Pipeline { return p.Bin([]float64{0.25 * u, 0.5 * u}, "u") },
			},
		}},
		"codebook": {oneWay: public, attacks: []attackedStep{
			{
				name: "beside a displaced column", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.6, freeRow: 0.5},
				domain: holesDomain, displaced: []string{"v"}, chain: func(p Pipeline, _ float64) Pipeline { return p.Codebook("town", "other", "a") },
			},
		}},
		"clip/norm": {oneWay: public, attacks: []attackedStep{
			{
				name: "displaced", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.999},
				domain: squareDomain, displaced: []string{"x", "z"}, chain: func(p Pipeline, u float64) Pipeline { return p.ClipNorm(u / 2) },
			},
			{
				name: "of a far column", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.67},
				domain: farDomain, displaced: []string{"far", "near"}, chain: func(p Pipeline, u float64) Pipeline { return p.ClipNorm(1.5 * u) },
			},
		}},
		"clip/columns": {attacks: []attackedStep{
			{
				name: "displaced", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.94},
				domain: squareDomain, displaced: []string{"x", "z"}, chain: func(p Pipeline, u float64) Pipeline { return p.ClipColumns(-u/4, u/2, "x") },
			},
			{
				name: "rows as they are", floors: floors{norm: 0.999, freeRow: 0.8},
				domain: squareDomain, chain: func(p Pipeline, u float64) Pipeline { return p.ClipColumns(-u/4, u/2, "x") },
			},
		}},
		"winsorize/public": {attacks: []attackedStep{
			{
				name: "displaced", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.92},
				domain: squareDomain, displaced: []string{"x", "z"}, chain: func(p Pipeline, u float64) Pipeline {
					return p.Winsorize(PublicQuantiles{Lo: []float64{-u / 8}, Hi: []float64{u / 2}}, "x")
				},
			},
			{
				name: "rows as they are", floors: floors{norm: 0.999, freeRow: 0.8},
				domain: squareDomain, chain: func(p Pipeline, u float64) Pipeline {
					return p.Winsorize(PublicQuantiles{Lo: []float64{-u / 8}, Hi: []float64{u / 2}}, "x")
				},
			},
		}},
		"indicate": {oneWay: public, attacks: []attackedStep{
			{
				name: "displaced", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.85, freeRow: 0.63},
				domain: imputeDomain, displaced: []string{"z", "u"}, chain: func(p Pipeline, _ float64) Pipeline { return p.Indicate() },
			},
			{
				name: "of categories", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.92, freeRow: 0.6},
				domain: categoryDomain, displaced: []string{"z", "v"}, chain: func(p Pipeline, _ float64) Pipeline { return p.OneHot().Indicate() },
			},
		}},
		"mutate": {oneWay: public, attacks: []attackedStep{
			{
				name: "of displaced columns", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.66},
				domain: holesDomain, displaced: numbers, unit: true, chain: func(p Pipeline, u float64) Pipeline {
					return p.Mutate("w", MutateOptions{From: numbers, Func: "test.slope", Version: "1", Lo: -4 * u, Hi: 4 * u, Lipschitz: 2})
				},
			},
			{
				name: "in place", floors: floors{total: 0.94, frobenius: 0.94, largest: 0.94, movedRows: 0.999, norm: 0.55, freeRow: 0.39},
				domain: holesDomain, displaced: numbers, unit: true, chain: func(p Pipeline, u float64) Pipeline {
					return p.Mutate("u", MutateOptions{From: numbers, Func: "test.slope", Version: "1", Lo: -4 * u, Hi: u, Lipschitz: 2})
				},
			},
			{
				name: "that jumps, of clean columns", floors: floors{norm: 0.85, freeRow: 0.63},
				domain: holesDomain, empty: true, unit: true, chain: func(p Pipeline, u float64) Pipeline {
					return p.Mutate("w", MutateOptions{From: numbers, Func: "test.jump", Version: "1", Lo: -1, Hi: 2})
				},
			},
		}},
		"calendar": {oneWay: public, attacks: []attackedStep{
			{
				name: "of clean days", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.85, freeRow: 0.5},
				domain: daysDomain, displaced: []string{"u"}, chain: func(p Pipeline, _ float64) Pipeline {
					return p.Calendar("day", frames.Month, frames.Weekday, frames.AgeOn("2024-02-29"))
				},
			},
			{
				name: "where rows may be gone", floors: floors{norm: 0.85, freeRow: 0.5},
				domain: daysDomain, empty: true, chain: func(p Pipeline, _ float64) Pipeline { return p.Calendar("day", frames.Week) },
			},
		}},
		"encode/one-hot": {oneWay: public, attacks: []attackedStep{
			{
				name: "displaced", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.64},
				domain: holesDomain, displaced: numbers, chain: func(p Pipeline, _ float64) Pipeline { return p.OneHot() },
			},
		}},
		"encode/ordinal": {oneWay: public, attacks: []attackedStep{
			{
				name: "displaced", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.59},
				domain: holesDomain, displaced: numbers, chain: func(p Pipeline, _ float64) Pipeline { return p.Ordinal() },
			},
		}},
		"quantize/grid": {oneWay: public, attacks: []attackedStep{
			{
				name: "displaced", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.95},
				domain: squareDomain, displaced: []string{"x", "z"}, chain: func(p Pipeline, u float64) Pipeline { return p.Quantize(u/4, "x") },
			},
			{
				name: "of thin cells", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.999},
				domain: squareDomain, displaced: []string{"x", "z"}, chain: func(p Pipeline, u float64) Pipeline { return p.Quantize(u/4096, "x", "z") },
			},
		}},
		"scale": {oneWay: public, attacks: []attackedStep{
			{
				name: "displaced", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.999},
				domain: squareDomain, displaced: []string{"x", "z"}, chain: func(p Pipeline, _ float64) Pipeline { return p.Scale() },
			},
			{
				name: "behind means", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.85},
				domain: categoryDomain, chain: func(p Pipeline, _ float64) Pipeline { return p.OneHot().Impute(Mean{}).Scale() },
			},
		}},
		"select": {oneWay: public, attacks: []attackedStep{
			{
				name: "displaced", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.999},
				domain: squareDomain, displaced: []string{"x", "z"}, chain: func(p Pipeline, _ float64) Pipeline { return p.Select("x") },
			},
		}},
		"drop": {oneWay: public, attacks: []attackedStep{
			{
				name: "displaced", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.999},
				domain: squareDomain, displaced: []string{"x", "z"}, chain: func(p Pipeline, _ float64) Pipeline { return p.Drop("z") },
			},
		}},
	}
}

func removalEntries() map[string]stepEntry {
	return map[string]stepEntry{
		"dedup/exact": {attacks: []attackedStep{
			{
				name: "rows", floors: floors{norm: 0.999, freeRows: 0.999},
				domain: wholeDomain, chain: func(p Pipeline, _ float64) Pipeline { return p.Dedup(Exact{}) },
			},
			{
				name: "by a key", floors: floors{norm: 0.999, freeRows: 0.999},
				domain: holesDomain, empty: true, chain: func(p Pipeline, _ float64) Pipeline { return p.Dedup(Exact{}, "u", "town") },
			},
		}},
		"dedup/grid": {attacks: []attackedStep{
			{
				name: "centres", floors: floors{norm: 0.999, freeRows: 0.999},
				domain: holesDomain, chain: func(p Pipeline, u float64) Pipeline { return p.Dedup(Grid{Width: u / 2}) },
			},
			{
				name: "smallest", floors: floors{norm: 0.999, freeRows: 0.999},
				domain: wholeDomain, empty: true, chain: func(p Pipeline, u float64) Pipeline {
					return p.Dedup(Grid{Width: u / 2, Representative: CellSmallest}, "u")
				},
			},
		}},
		"dedup/ball": {attacks: []attackedStep{
			{
				name: "capped", floors: floors{norm: 0.999, freeRows: 0.84},
				domain: lineDomain, rows: []int{4, 16}, chain: func(p Pipeline, u float64) Pipeline { return p.Dedup(Ball{Eta: u / 8, MaxCluster: 3}) },
			},
			{
				name: "capped, square", floors: floors{norm: 0.999, freeRows: 0.56},
				domain: squareDomain, rows: []int{4, 16}, chain: func(p Pipeline, u float64) Pipeline { return p.Dedup(Ball{Eta: u / 8, MaxCluster: 2}, "x", "z") },
			},
		}},
		"quantize/ball": {attacks: []attackedStep{
			{
				name: "capped", floors: floors{total: 0.16, frobenius: 0.28, largest: 0.49, norm: 0.999, freeRow: 0.999},
				domain: lineDomain, rows: []int{4, 16}, chain: func(p Pipeline, u float64) Pipeline { return p.QuantizeBall(Ball{Eta: u / 8, MaxCluster: 3}) },
			},
			{
				name: "capped, square", floors: floors{total: 0.1, frobenius: 0.22, largest: 0.49, movedRows: 0.39, norm: 0.999, freeRow: 0.999},
				domain: squareDomain, rows: []int{4, 16}, empty: true, chain: func(p Pipeline, u float64) Pipeline { return p.QuantizeBall(Ball{Eta: u / 8, MaxCluster: 4}) },
			},
		}},
	}
}

func encodingEntries() map[string]stepEntry {
	numbers := []string{"u", "v"}
	return map[string]stepEntry{
		"encode/target": {attacks: []attackedStep{
			{
				name: "one column", floors: floors{total: 0.999, frobenius: 0.97, largest: 0.999, movedRows: 0.999, norm: 0.98, freeRow: 0.61},
				domain: wholeDomain, chain: func(p Pipeline, _ float64) Pipeline {
					return p.TargetEncode(TargetPrior{Weight: 0.5, Value: 0}, "town")
				},
			},
			{
				name: "two columns", floors: floors{total: 0.77, frobenius: 0.89, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.58},
				domain: wholeDomain, chain: func(p Pipeline, _ float64) Pipeline { return p.TargetEncode(TargetPrior{Weight: 2, Value: 1}) },
			},
			{
				name: "missing and removed", floors: floors{total: 0.79, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.74},
				domain: numberDomain, empty: true, unit: true, chain: func(p Pipeline, u float64) Pipeline { return p.TargetEncode(TargetPrior{Weight: 2, Value: 5 * u}) },
			},
			{
				name: "beside displaced columns", floors: floors{total: 0.96, frobenius: 0.95, largest: 0.999, movedRows: 0.999, norm: 0.98, freeRow: 0.58},
				domain: wholeDomain, displaced: numbers, chain: func(p Pipeline, _ float64) Pipeline { return p.TargetEncode(TargetPrior{Weight: 1, Value: 0.5}) },
			},
		}},
		"encode/frequency": {attacks: []attackedStep{
			{
				name: "one column", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.61},
				domain: wholeDomain, chain: func(p Pipeline, _ float64) Pipeline { return p.FrequencyEncode("job") },
			},
			{
				name: "missing and removed", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.59},
				domain: holesDomain, empty: true, chain: func(p Pipeline, _ float64) Pipeline { return p.FrequencyEncode() },
			},
		}},
		"encode/rank": {attacks: []attackedStep{
			{
				name: "one column", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.98, freeRow: 0.55},
				domain: wholeDomain, chain: func(p Pipeline, _ float64) Pipeline { return p.RankTransform("u") },
			},
			{
				name: "missing and removed", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.98, freeRow: 0.6},
				domain: holesDomain, empty: true, chain: func(p Pipeline, _ float64) Pipeline { return p.RankTransform(numbers...) },
			},
		}},
		"bin/quantile": {attacks: []attackedStep{
			{
				name: "two bins", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.95, freeRow: 0.53},
				domain: wholeDomain, chain: func(p Pipeline, _ float64) Pipeline { return p.QuantileBin(2, "u") },
			},
			{
				name: "two columns", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.91, freeRow: 0.54},
				domain: wholeDomain, chain: func(p Pipeline, _ float64) Pipeline { return p.QuantileBin(3, numbers...) },
			},
			{
				name: "missing and removed", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.93, freeRow: 0.58},
				domain: holesDomain, empty: true, chain: func(p Pipeline, _ float64) Pipeline { return p.QuantileBin(4, numbers...) },
			},
		}},
		"quantize/means": {oneWay: "Quantize is another step, with another result: cells' centres in place of their means", attacks: []attackedStep{
			{
				name: "narrow cells", floors: floors{total: 0.93, frobenius: 0.94, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.64},
				domain: wholeDomain, chain: func(p Pipeline, u float64) Pipeline {
					return p.QuantizeMeans(CellMean{Width: u, Weight: 0.01}, numbers...)
				},
			},
			{
				name: "missing and removed", floors: floors{total: 0.77, frobenius: 0.77, largest: 0.96, movedRows: 0.999, norm: 0.98, freeRow: 0.64},
				domain: holesDomain, empty: true, chain: func(p Pipeline, u float64) Pipeline {
					return p.QuantizeMeans(CellMean{Width: 0.75 * u, Weight: 1}, numbers...)
				},
			},
		}},
	}
}

func imputationEntries() map[string]stepEntry {
	displaced := []string{"z", "u", "v"}
	return map[string]stepEntry{
		"impute/midpoint": {attacks: []attackedStep{
			{
				name: "displaced", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.7},
				domain: imputeDomain, displaced: displaced, chain: func(p Pipeline, _ float64) Pipeline { return p.Impute(Midpoint{}) },
			},
		}},
		"impute/fixed": {attacks: []attackedStep{
			{
				name: "displaced", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.7},
				domain: imputeDomain, displaced: displaced, chain: func(p Pipeline, u float64) Pipeline { return p.Impute(Fixed{Value: u}, "u", "v") },
			},
		}},
		"impute/mean": {attacks: []attackedStep{
			{
				name: "of numbers", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.7},
				domain: imputeDomain, chain: func(p Pipeline, _ float64) Pipeline { return p.Impute(Mean{}) },
			},
			{
				name: "of categories", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.65},
				domain: categoryDomain, chain: func(p Pipeline, _ float64) Pipeline { return p.OneHot().Impute(Mean{}, "work") },
			},
			{
				name: "of all, low floor", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.65},
				domain: categoryDomain, empty: true, chain: func(p Pipeline, _ float64) Pipeline { return p.OneHot().Impute(Mean{Pad: 2}) },
			},
			{
				name: "of displaced columns", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.7},
				domain: imputeDomain, displaced: displaced, chain: func(p Pipeline, _ float64) Pipeline { return p.Impute(Mean{}) },
			},
			{
				name: "many rows", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.7},
				domain: imputeDomain, rows: []int{200}, chain: func(p Pipeline, _ float64) Pipeline { return p.Impute(Mean{Pad: 10}) },
			},
		}},
		"impute/trimmed-mean": {attacks: []attackedStep{
			{
				name: "a fifth", floors: floors{total: 0.65, frobenius: 0.76, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.7},
				domain: imputeDomain, chain: func(p Pipeline, _ float64) Pipeline { return p.Impute(TrimmedMean{Trim: 0.2}) },
			},
			{
				name: "low floor", floors: floors{total: 0.57, frobenius: 0.57, largest: 0.57, movedRows: 0.999, norm: 0.999, freeRow: 0.7},
				domain: imputeDomain, empty: true, chain: func(p Pipeline, _ float64) Pipeline { return p.Impute(TrimmedMean{Trim: 0.25, Pad: 1}) },
			},
			{
				name: "of displaced columns", floors: floors{total: 0.7, frobenius: 0.7, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.7},
				domain: imputeDomain, displaced: displaced, chain: func(p Pipeline, _ float64) Pipeline { return p.Impute(TrimmedMean{Trim: 0.4}, "u") },
			},
		}},
		"impute/median": {attacks: []attackedStep{
			{
				name: "removed", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.7},
				domain: imputeDomain, empty: true, chain: func(p Pipeline, _ float64) Pipeline { return p.Impute(Median{}) },
			},
			{
				name: "of displaced columns", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.7},
				domain: imputeDomain, displaced: displaced, chain: func(p Pipeline, _ float64) Pipeline { return p.Impute(Median{}, "u", "v") },
			},
		}},
		"impute/private-mean": {attacks: []attackedStep{
			{
				name: "numbers", floors: floors{norm: 0.999, freeRow: 0.7, asked: 0.999},
				domain: imputeDomain, chain: func(p Pipeline, _ float64) Pipeline { return p.Impute(PrivateMean{Share: 0.1}) },
			},
			{
				name: "of categories", floors: floors{norm: 0.999, freeRow: 0.65, asked: 0.999},
				domain: categoryDomain, chain: func(p Pipeline, _ float64) Pipeline { return p.OneHot().Impute(PrivateMean{Share: 0.1}) },
			},
			{
				name: "of displaced columns", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.7, asked: 0.999},
				domain: imputeDomain, displaced: displaced, chain: func(p Pipeline, _ float64) Pipeline { return p.Impute(PrivateMean{Share: 0.1}) },
			},
		}},
		"impute/ridge": {attacks: []attackedStep{
			{
				name: "removed", floors: floors{total: 0.47, frobenius: 0.47, largest: 0.47, movedRows: 0.999, norm: 0.999, freeRow: 0.7},
				domain: imputeDomain, empty: true, chain: func(p Pipeline, _ float64) Pipeline { return p.Impute(Ridge{Lambda: 0.3}) },
			},
			{
				name: "low floor", floors: floors{total: 0.49, frobenius: 0.5, largest: 0.51, movedRows: 0.999, norm: 0.999, freeRow: 0.7},
				domain: imputeDomain, chain: func(p Pipeline, _ float64) Pipeline {
					return p.Impute(Ridge{Lambda: 0.5, Pad: 2, On: []string{"z"}}, "u")
				},
			},
			{
				name: "of displaced columns", floors: floors{total: 0.7, frobenius: 0.7, largest: 0.76, movedRows: 0.999, norm: 0.999, freeRow: 0.7},
				domain: imputeDomain, displaced: displaced, chain: func(p Pipeline, _ float64) Pipeline { return p.Impute(Ridge{Lambda: 0.5}, "u", "v") },
			},
		}},
	}
}

func scalingEntries() map[string]stepEntry {
	many := []int{2, 8, 120}
	ball := func(p Pipeline, u float64) Pipeline { return p.ClipNorm(u) }
	return map[string]stepEntry{
		"center": {attacks: []attackedStep{
			{
				name: "ball", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.98, freeRow: 0.97},
				domain: squareDomain, rows: many, chain: func(p Pipeline, u float64) Pipeline { return ball(p, u).Center() },
			},
			{
				name: "far, removed", floors: floors{total: 0.78, frobenius: 0.78, largest: 0.78, movedRows: 0.999, norm: 0.77, freeRow: 0.47},
				domain: farDomain, empty: true, chain: func(p Pipeline, _ float64) Pipeline { return p.Center() },
			},
			{
				name: "displaced", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.96, freeRow: 0.96},
				domain: squareDomain, displaced: []string{"x", "z"}, chain: func(p Pipeline, _ float64) Pipeline { return p.Center() },
			},
		}},
		"max-abs": {attacks: []attackedStep{
			{
				name: "one column", floors: floors{total: 0.9, frobenius: 0.9, largest: 0.9, movedRows: 0.999, norm: 0.999, freeRow: 0.98},
				domain: lineDomain, rows: many, chain: func(p Pipeline, u float64) Pipeline { return p.MaxAbs(u / 4) },
			},
			{
				name: "ball", floors: floors{total: 0.68, frobenius: 0.68, largest: 0.85, movedRows: 0.999, norm: 0.98, freeRow: 0.98},
				domain: squareDomain, rows: many, chain: func(p Pipeline, u float64) Pipeline { return ball(p, u).MaxAbs(0.4 * u) },
			},
			{
				name: "far, removed", floors: floors{total: 0.75, frobenius: 0.75, largest: 0.77, movedRows: 0.999, norm: 0.98, freeRow: 0.64},
				domain: farDomain, empty: true, chain: func(p Pipeline, u float64) Pipeline { return p.MaxAbs(0.7 * u) },
			},
			{
				name: "displaced", floors: floors{total: 0.85, frobenius: 0.86, largest: 0.98, movedRows: 0.999, norm: 0.98, freeRow: 0.98},
				domain: squareDomain, displaced: []string{"x", "z"}, chain: func(p Pipeline, u float64) Pipeline { return p.MaxAbs(u / 4) },
			},
		}},
		"standardize/standard": {attacks: []attackedStep{
			{
				name: "ball", floors: floors{total: 0.71, frobenius: 0.73, largest: 0.41, movedRows: 0.999, norm: 0.999, freeRow: 0.98},
				domain: squareDomain, rows: many, chain: func(p Pipeline, u float64) Pipeline { return ball(p, u).Standardize(Standard{Floor: 0.4}) },
			},
			{
				name: "one column", floors: floors{total: 0.46, frobenius: 0.7, largest: 0.47, movedRows: 0.999, norm: 0.999, freeRow: 0.98},
				domain: lineDomain, rows: many, chain: func(p Pipeline, _ float64) Pipeline { return p.Standardize(Standard{Floor: 0.5}) },
			},
			{
				name: "with a gain", floors: floors{total: 0.67, frobenius: 0.73, largest: 0.53, movedRows: 0.999, norm: 0.999, freeRow: 0.88},
				domain: squareDomain, rows: many, chain: func(p Pipeline, u float64) Pipeline {
					return ball(p, u).Standardize(Standard{Floor: 0.4, Gain: 0.3})
				},
			},
			{
				name: "narrow columns", floors: floors{total: 0.48, frobenius: 0.8, largest: 0.91, movedRows: 0.999, norm: 0.999, freeRow: 0.98},
				domain: squareDomain, rows: many, chain: func(p Pipeline, u float64) Pipeline {
					return p.ClipColumns(-u/2, u/2, "x").Standardize(Standard{Floor: 0.25}, "x")
				},
			},
			{
				name: "far, removed", floors: floors{total: 0.33, frobenius: 0.35, largest: 0.3, movedRows: 0.999, norm: 0.77, freeRow: 0.47},
				domain: farDomain, empty: true, chain: func(p Pipeline, _ float64) Pipeline { return p.Standardize(Standard{Floor: 0.1}) },
			},
			{
				name: "far, two columns, gain", floors: floors{total: 0.37, frobenius: 0.4, largest: 0.22, movedRows: 0.999, norm: 0.999, freeRow: 0.999},
				domain: farDomain, empty: true, chain: func(p Pipeline, _ float64) Pipeline {
					return p.Standardize(Standard{Floor: 0.1, Gain: 0.5}, "far", "below")
				},
			},
			{
				name: "certified", floors: floors{total: 0.52, frobenius: 0.73, largest: 0.47, movedRows: 0.999, norm: 0.999, freeRow: 0.98},
				domain: lineDomain, rows: many, within: func(b *frames.Block) bool { return spreadOf(b, 0) >= 0.4 }, unit: true, chain: func(p Pipeline, _ float64) Pipeline {
					return p.Standardize(Standard{MinSpread: Declare(0.4)})
				},
			},
			{
				name: "displaced", floors: floors{total: 0.82, frobenius: 0.83, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.999},
				domain: squareDomain, displaced: []string{"x", "z"}, chain: func(p Pipeline, _ float64) Pipeline { return p.Standardize(Standard{Floor: 0.3}) },
			},
		}},
		"standardize/rms": {attacks: []attackedStep{
			{
				name: "ball", floors: floors{total: 0.9, frobenius: 0.92, largest: 0.65, movedRows: 0.999, norm: 0.999, freeRow: 0.999},
				domain: squareDomain, rows: many, chain: func(p Pipeline, u float64) Pipeline { return ball(p, u).Standardize(RMS{Floor: 0.3}) },
			},
			{
				name: "with a gain", floors: floors{total: 0.9, frobenius: 0.92, largest: 0.65, movedRows: 0.999, norm: 0.999, freeRow: 0.999},
				domain: squareDomain, rows: many, chain: func(p Pipeline, u float64) Pipeline {
					return ball(p, u).Standardize(RMS{Floor: 0.3, Gain: 0.2})
				},
			},
			{
				name: "far, removed", floors: floors{total: 0.19, frobenius: 0.44, largest: 0.41, movedRows: 0.999, norm: 0.79, freeRow: 0.45},
				domain: farDomain, empty: true, chain: func(p Pipeline, _ float64) Pipeline { return p.Standardize(RMS{Floor: 0.1}) },
			},
			{
				name: "displaced", floors: floors{total: 0.95, frobenius: 0.95, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.999},
				domain: squareDomain, displaced: []string{"x", "z"}, chain: func(p Pipeline, _ float64) Pipeline { return p.Standardize(RMS{Floor: 0.3}) },
			},
		}},
		"standardize/private-standard": {attacks: []attackedStep{
			{
				name: "square", floors: floors{norm: 0.999, freeRow: 0.53, asked: 0.79},
				domain: squareDomain, chain: func(p Pipeline, _ float64) Pipeline { return p.Standardize(PrivateStandard{Share: 0.1, Floor: 0.01}) },
			},
			{
				name: "displaced", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.53, asked: 0.91},
				domain: squareDomain, displaced: []string{"x", "z"}, chain: func(p Pipeline, _ float64) Pipeline { return p.Standardize(PrivateStandard{Share: 0.1, Floor: 0.01}) },
			},
		}},
		"standardize/private-rms": {attacks: []attackedStep{
			{
				name: "square", floors: floors{norm: 0.999, freeRow: 0.53, asked: 0.999},
				domain: squareDomain, chain: func(p Pipeline, _ float64) Pipeline { return p.Standardize(PrivateRMS{Share: 0.1, Floor: 0.01}) },
			},
			{
				name: "displaced", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.53, asked: 0.999},
				domain: squareDomain, displaced: []string{"x", "z"}, chain: func(p Pipeline, _ float64) Pipeline { return p.Standardize(PrivateRMS{Share: 0.1, Floor: 0.01}) },
			},
		}},
		"winsorize/private": {attacks: []attackedStep{
			{
				name: "two columns", floors: floors{norm: 0.999, freeRow: 0.5, asked: 0.99},
				domain: squareDomain, chain: func(p Pipeline, u float64) Pipeline {
					return p.Winsorize(PrivateBounds{Share: 0.1, GuessLo: -u / 8, GuessHi: u / 2}, "x", "z")
				},
			},
			{
				name: "beside a displaced column", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.5, freeRow: 0.3, asked: 0.99},
				domain: holesDomain, displaced: []string{"v"}, chain: func(p Pipeline, _ float64) Pipeline {
					return p.Winsorize(PrivateBounds{Share: 0.1}, "u")
				},
			},
			{
				name: "where rows may be gone", floors: floors{norm: 0.5, freeRow: 0.3, asked: 0.99},
				domain: holesDomain, empty: true, chain: func(p Pipeline, _ float64) Pipeline {
					return p.Winsorize(PrivateBounds{Share: 0.1}, "u", "v")
				},
			},
		}},
		"winsorize/smoothed": {attacks: []attackedStep{
			{
				name: "two columns", floors: floors{total: 0.91, frobenius: 0.96, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.999},
				domain: squareDomain, rows: many, chain: func(p Pipeline, _ float64) Pipeline {
					return p.Winsorize(SmoothedQuantile{Q: 0.2, Window: 0.2}, "x", "z")
				},
			},
			{
				name: "wide window", floors: floors{total: 0.91, frobenius: 0.94, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.999},
				domain: lineDomain, rows: many, chain: func(p Pipeline, _ float64) Pipeline {
					return p.Winsorize(SmoothedQuantile{Q: 0.1, Window: 0.2}, "x")
				},
			},
			{
				name: "far, removed", floors: floors{total: 0.6, frobenius: 0.72, largest: 0.78, movedRows: 0.999, norm: 0.999, freeRow: 0.49},
				domain: farDomain, empty: true, chain: func(p Pipeline, _ float64) Pipeline {
					return p.Winsorize(SmoothedQuantile{Q: 0.2, Window: 0.3}, "far", "near", "below")
				},
			},
			{
				name: "displaced", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.999},
				domain: squareDomain, displaced: []string{"x", "z"}, chain: func(p Pipeline, _ float64) Pipeline { return p.Winsorize(SmoothedQuantile{Q: 0.2, Window: 0.2}, "x") },
			},
		}},
		"select/soft": {attacks: []attackedStep{
			{
				name: "ball", floors: floors{total: 0.91, frobenius: 0.93, largest: 0.65, movedRows: 0.999, norm: 0.999, freeRow: 0.999},
				domain: squareDomain, rows: many, chain: func(p Pipeline, u float64) Pipeline {
					return ball(p, u).SelectFeatures(SoftSelect{Lambda: 0.1})
				},
			},
			{
				name: "far, removed", floors: floors{total: 0.21, frobenius: 0.59, largest: 0.55, movedRows: 0.999, norm: 0.93, freeRow: 0.46},
				domain: farDomain, empty: true, chain: func(p Pipeline, _ float64) Pipeline { return p.SelectFeatures(SoftSelect{Lambda: 0.02}) },
			},
			{
				name: "behind two fits", floors: floors{total: 0.21, frobenius: 0.24, largest: 0.1, movedRows: 0.999, norm: 0.5, freeRow: 0.5},
				domain: squareDomain, rows: many, chain: func(p Pipeline, u float64) Pipeline {
					return p.Winsorize(SmoothedQuantile{Q: 0.2, Window: 0.4}, "z").ClipNorm(u).Standardize(Standard{Floor: 0.3}).SelectFeatures(SoftSelect{Lambda: 0.03})
				},
			},
			{
				name: "displaced", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.999},
				domain: squareDomain, displaced: []string{"x", "z"}, chain: func(p Pipeline, _ float64) Pipeline { return p.SelectFeatures(SoftSelect{Lambda: 0.05}) },
			},
		}},
	}
}

func spectralEntries() map[string]stepEntry {
	many := []int{2, 8, 120}
	of := func(plain, centred Components, f map[string]floors) []attackedStep {
		return []attackedStep{
			{name: "ball", floors: f["ball"], domain: squareDomain, rows: many, chain: func(p Pipeline, u float64) Pipeline { return p.ClipNorm(u).PCA(plain) }},
			{name: "ball, centred", floors: f["ball, centred"], domain: squareDomain, rows: many, chain: func(p Pipeline, u float64) Pipeline { return p.ClipNorm(u).PCA(centred) }},
			{name: "far, removed", floors: f["far, removed"], domain: farDomain, empty: true, chain: func(p Pipeline, _ float64) Pipeline { return p.PCA(plain) }},
			{name: "far, removed, centred", floors: f["far, removed, centred"], domain: farDomain, empty: true, chain: func(p Pipeline, _ float64) Pipeline { return p.PCA(centred) }},
			{name: "displaced", floors: f["displaced"], domain: cubeDomain, displaced: []string{"x", "z"}, chain: func(p Pipeline, _ float64) Pipeline { return p.PCA(centred) }},
		}
	}
	const gap = 0.3
	return map[string]stepEntry{
		"pca/soft-threshold": {attacks: append(of(SoftThreshold{Lambda: 0.1}, SoftThreshold{Lambda: 0.1, Centered: true}, map[string]floors{
			"ball":                  {total: 0.83, frobenius: 0.92, largest: 0.65, movedRows: 0.999, norm: 0.999, freeRow: 0.999},
			"ball, centred":         {total: 0.45, frobenius: 0.57, largest: 0.69, movedRows: 0.999, norm: 0.7, freeRow: 0.78},
			"far, removed":          {total: 0.51, frobenius: 0.59, largest: 0.59, movedRows: 0.999, norm: 0.999, freeRow: 0.49},
			"far, removed, centred": {total: 0.1, frobenius: 0.13, largest: 0.066, movedRows: 0.999},
			"displaced":             {total: 0.64, frobenius: 0.65, largest: 0.56, movedRows: 0.999, norm: 0.69, freeRow: 0.57},
		}), []attackedStep{
			{
				name: "behind rms", floors: floors{total: 0.46, frobenius: 0.51, largest: 0.19, movedRows: 0.999, norm: 0.7, freeRow: 0.7},
				domain: squareDomain, rows: many, chain: func(p Pipeline, u float64) Pipeline {
					return p.ClipNorm(u).Standardize(RMS{Floor: 0.3}).PCA(SoftThreshold{Lambda: 0.03})
				},
			},
			{
				name: "behind a centre", floors: floors{total: 0.26, frobenius: 0.35, largest: 0.17, movedRows: 0.999, norm: 0.31, freeRow: 0.43},
				domain: squareDomain, rows: many, chain: func(p Pipeline, u float64) Pipeline {
					return p.ClipNorm(u).Center().PCA(SoftThreshold{Lambda: 0.1})
				},
			},
		}...)},
		"pca/tikhonov": {attacks: of(Tikhonov{Lambda: 0.1}, Tikhonov{Lambda: 0.1, Centered: true}, map[string]floors{
			"ball":                  {total: 0.65, frobenius: 0.65, largest: 0.84, movedRows: 0.999, norm: 0.999, freeRow: 0.999},
			"ball, centred":         {total: 0.41, frobenius: 0.41, largest: 0.41, movedRows: 0.999, norm: 0.77, freeRow: 0.71},
			"far, removed":          {total: 0.46, frobenius: 0.48, largest: 0.52, movedRows: 0.999, norm: 0.999, freeRow: 0.49},
			"far, removed, centred": {total: 0.12, frobenius: 0.12, largest: 0.1, movedRows: 0.999, norm: 0.42, freeRow: 0.29},
			"displaced":             {total: 0.71, frobenius: 0.73, largest: 0.63, movedRows: 0.999, norm: 0.77, freeRow: 0.65},
		})},
		"pca/ramp": {attacks: of(Ramp{Start: 0.05, Width: 0.2}, Ramp{Start: 0.05, Width: 0.2, Centered: true}, map[string]floors{
			"ball":                  {total: 0.89, frobenius: 0.95, largest: 0.79, movedRows: 0.999, norm: 0.999, freeRow: 0.999},
			"ball, centred":         {total: 0.56, frobenius: 0.7, largest: 0.89, movedRows: 0.999, norm: 0.92, freeRow: 0.85},
			"far, removed":          {total: 0.7, frobenius: 0.7, largest: 0.7, movedRows: 0.999, norm: 0.999, freeRow: 0.49},
			"far, removed, centred": {total: 0.11, frobenius: 0.11, largest: 0.092, movedRows: 0.999, norm: 0.44, freeRow: 0.36},
			"displaced":             {total: 0.52, frobenius: 0.59, largest: 0.83, movedRows: 0.999, norm: 0.91, freeRow: 0.77},
		})},
		"pca/hard": {attacks: []attackedStep{
			{
				name: "declared gap", floors: floors{total: 0.81, frobenius: 0.81, largest: 0.98, movedRows: 0.999, norm: 0.999, freeRow: 0.999},
				domain: squareDomain, rows: many, unit: true, chain: func(p Pipeline, _ float64) Pipeline {
					return p.PCA(Hard{K: 1, Gap: Declare(gap)})
				}, within: func(b *frames.Block) bool { return gapOf(b) >= 2*gap*(1+1e-9) },
			},
			{
				name: "tested gap", floors: floors{total: 0.81, frobenius: 0.82, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.999, asked: 0.999},
				domain: squareDomain, rows: many, unit: true, chain: func(p Pipeline, _ float64) Pipeline {
					return p.PCA(Hard{K: 1, Gap: Test(gap, Tested{Share: 0.1, Delta: 1e-9})})
				}, within: func(b *frames.Block) bool { return gapOf(b) >= 2*gap*(1+1e-9) },
			},
		}},
		"pca/private": {oneWay: "the one that releases its directions, so that prediction may use them: the filters list it among their ways", attacks: []attackedStep{
			{
				name: "square", floors: floors{norm: 0.999, freeRow: 0.999, asked: 0.999},
				domain: squareDomain, chain: func(p Pipeline, _ float64) Pipeline { return p.PCA(PrivateComponents{K: 1, Share: 0.1}) },
			},
			{
				name: "displaced", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.999, asked: 0.93},
				domain: cubeDomain, displaced: []string{"x", "z"}, chain: func(p Pipeline, _ float64) Pipeline { return p.PCA(PrivateComponents{K: 2, Share: 0.1}) },
			},
		}},
	}
}

// gapOf is that of the eigenvalues of the 2×2 matrix XᵀX/n.
func gapOf(b *frames.Block) float64 {
	var xx, xz, zz float64
	for i := range b.Rows {
		row := b.Row(i)
		xx, xz, zz = xx+row[0]*row[0], xz+row[0]*row[1], zz+row[1]*row[1]
	}
	return math.Hypot(xx-zz, 2*xz) / float64(b.Rows)
}
