package dpkit

import (
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/attack"
	internalrows "github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/frames"
)

// TestEveryStepIsAttacked searches, for every kind of step, pairs of datasets on which its bounds fail, and holds what is attained of
// each bound to the floor of the kind's entry: a bound that is smaller than the floor says is broken by these pairs.
//
// testdata/attacks holds the pairs that attained the most. With DPNB_ATTACK=long the search is forty times as long and stores what it
// finds beyond them: go test -run TestEveryStepIsAttacked ./dpkit.
func TestEveryStepIsAttacked(t *testing.T) {
	entries := stepEntries()
	for _, s := range knownSteps() {
		name := s.Kind().Name
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := corpusOf(name)
			corpus := must(attack.LoadCorpus(path))
			attacks := entries[name].attacks
			for stored := range corpus {
				if !slices.ContainsFunc(attacks, func(a attackedStep) bool { return a.name == stored }) {
					t.Errorf("%s holds pairs of %q, and %s has no such attack", path, stored, name)
				}
			}
			for i, a := range attacks {
				t.Run(a.name, func(t *testing.T) {
					attackTight(t, name, a, corpus)
					attackStates(t, name, a, i == 0)
				})
			}
			if longAttack() && !t.Failed() {
				if err := corpus.Save(path); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// corpusOf is the file of the pairs that attained the most of a kind's bounds.
func corpusOf(kind string) string {
	return filepath.Join("testdata", "attacks", strings.ReplaceAll(kind, "/", "-")+".json")
}

func longAttack() bool { return os.Getenv("DPNB_ATTACK") == "long" }

func (a attackedStep) subject(u float64) attack.Subject {
	steps := a.chain(Pipeline{}, u).steps
	return chainSubject(steps, attack.Subject{
		Schema: a.domain(u), Neighbours: accountant.ReplaceOne, Displaced: a.displaced, Empty: a.empty, Narrow: a.narrow, Within: a.within,
		Points: attack.Numbers(steps),
	})
}

func seedOf(words ...string) uint64 {
	h := fnv.New64a()
	for _, w := range words {
		_, _ = h.Write([]byte(w + "\x00"))
	}
	return h.Sum64()
}

// attackTight attacks the chain as it is written. The floors are for the largest number of rows: with few, what governs is the
// diameter of the domain.
func attackTight(t *testing.T, kind string, a attackedStep, corpus attack.Corpus) {
	s, sizes := a.subject(1), a.rows
	if sizes == nil {
		sizes = []int{2, 7, 40}
	}
	few, many := sizes[:len(sizes)-1], sizes[len(sizes)-1:]
	o := attack.Options{Seed: seedOf(kind, a.name), Rows: few, Pairs: 200}
	long := 1
	if longAttack() {
		long, o.Seed = 40, o.Seed+uint64(os.Getpid())
	}
	o.Pairs *= long
	stored, err := corpus.Pairs(a.name, len(a.cells()))
	if err != nil {
		t.Fatal(err)
	}
	o.Replay = stored
	if len(few) > 0 {
		found, err := attack.Search(t.Context(), s, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("few rows: %d pairs attain: %v", found.Tried, found.Best)
		o.Replay, o.Points = append(found.Replay(), stored...), found.Points
	}
	o.Rows, o.Large, o.Pairs = many, 1100, 1000*long
	found, err := attack.Search(t.Context(), s, o)
	t.Logf("pairs of %d rows: %d attain: %v", many[0], found.Tried, found.Best)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range found.Below(a.floors) {
		t.Errorf("%v: the best pairs attain %.4g of the bound, want %.4g: the search has lost its teeth, or the bound its tightness", c, found.Best[c], a.floors[c])
	}
	if longAttack() {
		corpus.Keep(a.name, found)
	}
}

// cells are the columns of a row, the label last.
func (a attackedStep) cells() []frames.Column {
	s := a.domain(1)
	cols := s.Features()
	if l, ok := s.Label(); ok {
		cols = append(cols, l)
	}
	return cols
}

// attackStates attacks the chain under the other relation, behind removed rows, on displaced rows, in a ball, behind an imputation by
// means, and in the smallest and the largest units. A chain that has no price there says so by an error of its own.
func attackStates(t *testing.T, kind string, a attackedStep, all bool) {
	states := map[string]attack.Subject{}
	base := a.subject(1)
	add := func(name string, s attack.Subject) { states[name] = s }
	other := base
	other.Neighbours = accountant.AddRemove
	add("add/remove", other)
	if all {
		other.Empty = true
		add("add/remove, removed rows", other)
		other = base
		other.Displaced, other.Narrow = numericFeatures(base.Schema), true
		add("displaced, in a ball", other)
		other.Neighbours, other.Empty = accountant.AddRemove, true
		add("displaced, removed rows, add/remove", other)
		if s, ok := behindMeans(a); ok {
			add("behind means", s)
		}
		if a.within == nil { // a condition is one on rows of the entry's own columns
			blocks := base
			blocks.Schema = withBlock(base.Schema)
			blocks.Displaced = numericFeatures(blocks.Schema)
			add("beside a displaced block", blocks)
		}
		if !a.unit {
			add("the smallest unit", a.subject(0x1p-190))
			add("the largest unit", a.subject(0x1p194))
			odd := a.subject(0x1p194)
			odd.Displaced = numericFeatures(odd.Schema)
			add("the largest unit, displaced", odd)
			odd = a.subject(0x1p-190)
			odd.Displaced, odd.Neighbours = numericFeatures(odd.Schema), accountant.AddRemove
			add("the smallest unit, displaced, add/remove", odd)
		}
	}
	for _, state := range slices.Sorted(maps.Keys(states)) {
		s := states[state]
		s.Within = a.within
		o := attack.Options{Seed: seedOf(kind, a.name, state), Rows: []int{2, 9}, Pairs: 120}
		if longAttack() {
			o.Pairs *= 40
		}
		if err := attack.Prices(s, 9, o.Seed); err != nil {
			if !hasNoPrice(err) {
				t.Errorf("%s: %v", state, err)
			}
			t.Logf("%s: %v", state, err)
			continue
		}
		if found, err := attack.Search(t.Context(), s, o); err != nil && !hasNoPrice(err) {
			t.Errorf("%s: %v", state, err)
		} else {
			t.Logf("%s: %d pairs attain: %v", state, found.Tried, found.Best)
		}
	}
}

// behindMeans is the chain behind an imputation by means of the numeric columns that could not miss.
func behindMeans(a attackedStep) (attack.Subject, bool) {
	schema := a.domain(1)
	cols := schema.Columns()
	var filled []string
	for i, c := range cols {
		if _, feature := schema.FeatureIndex(c.Name); feature && c.Kind == frames.KindNumeric && !c.Missing {
			cols[i].Missing = true
			filled = append(filled, c.Name)
		}
	}
	if len(filled) == 0 {
		return attack.Subject{}, false
	}
	steps := Pipeline{steps: Pipeline{}.Impute(Mean{}, filled...).steps}
	return chainSubject(a.chain(steps, 1).steps, attack.Subject{Schema: mustSchema(cols...), Neighbours: accountant.ReplaceOne}), true
}

// withBlock is the schema with a category beside its columns that is encoded in a block of them; it may miss where others may.
func withBlock(s frames.Schema) frames.Schema {
	cols := s.Columns()
	missing := slices.ContainsFunc(cols, func(c frames.Column) bool { return c.Missing })
	for _, level := range []string{"here", "there", "else"} {
		c := frames.Numeric("place="+level, 0, 1)
		c.Block, c.Missing = "place", missing
		cols = append(cols, c)
	}
	return mustSchema(cols...)
}

// TestChainsAreAttacked: chains of several steps, from raw rows to the end.
func TestChainsAreAttacked(t *testing.T) {
	for _, c := range chains {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, rel := range []accountant.Neighbours{ReplaceOne, AddRemove} {
				s := chainSubject(c.build(Pipeline{}).steps, attack.Subject{Schema: tinySchema(t), Neighbours: rel})
				found, err := attack.Search(t.Context(), s, attack.Options{Seed: seedOf(c.name), Rows: []int{2, 6}, Pairs: 600})
				if err != nil {
					t.Fatalf("%v: %v", rel, err)
				}
				t.Logf("%v: %d pairs attain: %v", rel, found.Tried, found.Best)
				if found.Best[attack.Total] < c.tight && rel == ReplaceOne {
					t.Errorf("the best pairs attain %.3f of τ, want at least %v: the search has lost its teeth or the bound its tightness", found.Best[attack.Total], c.tight)
				}
			}
		})
	}
}

// TestEveryStepIgnoresTheOrder: no step looks at a row's place, so that rows which correspond up to a permutation only are no worse.
func TestEveryStepIgnoresTheOrder(t *testing.T) {
	for kind, e := range stepEntries() {
		for _, a := range e.attacks {
			t.Run(kind+"/"+a.name, func(t *testing.T) {
				r := rand.New(rand.NewPCG(3, seedOf(kind, a.name)))
				schema := a.domain(1)
				draw, d := hostileRow(schema), len(schema.Features())
				x, y := &frames.Block{Rows: 9, Cols: d}, &frames.Block{Rows: 9, Cols: d}
				rows := make([][]float64, x.Rows)
				for i := range rows {
					if rows[i] = draw(r); i%3 == 2 {
						rows[i] = rows[i-1]
					}
				}
				if _, ok := a.chain(Pipeline{}, 1).steps[0].(internalrows.Sided); ok {
					return // it looks at places and at nothing else: TestHoldoutLooksAtPlaces
				}
				order := r.Perm(len(rows))
				_, labelled := schema.Label()
				for i, from := range order {
					x.X, y.X = append(x.X, rows[i][:d]...), append(y.X, rows[from][:d]...)
					if labelled {
						x.Y, y.Y = append(x.Y, rows[i][d]), append(y.Y, rows[from][d])
					}
				}
				c := must(claimOf(a.chain(Pipeline{}, 1).steps, attack.State{Schema: schema, Pair: must(pair.Start(len(rows), attack.Radius(schema), ReplaceOne))}))
				first, second, err := runBoth(t.Context(), c.Priced.(quote), attack.Side{Rows: x}, attack.Side{Rows: y})
				if err != nil {
					t.Fatal(err)
				}
				if c.Unordered { // it keeps one of rows that are alike
					if got, want := sortedRows(second.Rows), sortedRows(first.Rows); !slices.EqualFunc(got, want, slices.Equal) {
						t.Errorf("got %v, want %v", got, want)
					}
					return
				}
				for i, from := range order {
					if d := distance(second.Rows.Row(i), first.Rows.Row(from)); !(d <= 1e-12*c.Pair.R) {
						t.Fatalf("row %v becomes %v in one order and %v in another", rows[from], first.Rows.Row(from), second.Rows.Row(i))
					}
				}
			})
		}
	}
}

// sortedRows are the rows that are there, missing cells as a number that no cell is.
func sortedRows(b *frames.Block) (rows [][]float64) {
	for i := range b.Rows {
		if b.Empty != nil && b.Empty[i] {
			continue
		}
		row := slices.Clone(b.Row(i))
		for j, v := range row {
			if math.IsNaN(v) {
				row[j] = math.MaxFloat64
			}
		}
		rows = append(rows, row)
	}
	slices.SortFunc(rows, slices.Compare)
	return rows
}
