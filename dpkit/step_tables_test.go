package dpkit

import (
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/attack"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

var updateTables = flag.Bool("update", false, "write docs/steps.md and docs/releases.md anew")

// pricedEntry is the first chain of a kind's entry on a table of 1000 rows: the stages and the end.
func pricedEntry(t *testing.T, e stepEntry) quote {
	t.Helper()
	return pricedAttack(t, e.attacks[0])
}

func pricedAttack(t *testing.T, a attackedStep) quote {
	t.Helper()
	s := a.domain(1)
	st := attack.State{Schema: s, Pair: must(pair.Start(1000, attack.Radius(s), ReplaceOne))}
	if len(a.displaced) > 0 {
		st.Pair.M, st.Pair.T1, st.Pair.TF, st.Pair.TInf = 100, 0.01, 1e-3, 1e-4
		st.Taint = stage.Taint{}.With(a.displaced...)
	}
	c, err := claimOf(a.chain(Pipeline{}, 1).steps, st)
	if err != nil {
		t.Fatal(err)
	}
	q := c.Priced.(quote)
	for i := range q.stages {
		for k := range q.stages[i].expenses {
			if err := q.stages[i].expenses[k].Calibrate(0.1); err != nil {
				t.Fatal(err)
			}
		}
	}
	return q
}

// TestEveryStepIsExplained: what Explain prints of each kind of step has its note, its constants with where they come from and what
// they mean, and a reference where rows are displaced or asked.
func TestEveryStepIsExplained(t *testing.T) {
	origins := []stage.Origin{stage.FromSchema, stage.FromConstruction, stage.FromParameter, stage.FromDeclaration, stage.FromTest}
	for _, known := range knownSteps() {
		name := known.Kind().Name
		t.Run(name, func(t *testing.T) {
			e, ok := stepEntries()[name]
			if !ok {
				t.Fatal("no entry")
			}
			q := pricedEntry(t, e)
			costs := stepCosts(q.stages)
			last, s := costs[len(costs)-1], q.stages[len(q.stages)-1]
			text := cost.Explain(costs)
			if strings.TrimSpace(last.Note) == "" || !strings.Contains(text, last.Note) || !strings.Contains(text, last.Name) {
				t.Errorf("no note in\n%s", text)
			}
			displaces := s.Role != stage.RolePublic && (s.Pair.T1 > s.Before.T1 || s.Pair.F > s.Before.F)
			if displaces && len(last.Constants) == 0 {
				t.Errorf("it displaces rows and states no constant:\n%s", text)
			}
			if (displaces || len(last.Queries) > 0) && (last.Reference == "" || !strings.Contains(text, last.Reference)) {
				t.Errorf("it costs something and names no reference:\n%s", text)
			}
			for _, c := range last.Constants {
				known := false
				for _, o := range origins {
					known = known || c.Origin == o
				}
				if c.Symbol == "" || c.Meaning == "" || !known || math.IsNaN(c.Value) || !strings.Contains(text, c.String()) {
					t.Errorf("constant %+v: want a symbol, a value, an origin and a meaning, in\n%s", c, text)
				}
			}
		})
	}
}

// TestEveryStepIsCompared: each kind of step offers ways to take it that have prices, or its entry says why there is one.
func TestEveryStepIsCompared(t *testing.T) {
	for _, known := range knownSteps() {
		name := known.Kind().Name
		t.Run(name, func(t *testing.T) {
			e, ok := stepEntries()[name]
			if !ok {
				t.Fatal("no entry")
			}
			most := 0
			for _, a := range e.attacks {
				most = max(most, pricedWays(t, pricedAttack(t, a), e.oneWay))
			}
			if most < 2 && e.oneWay == "" {
				t.Errorf("at most %d ways have a price, want two, or an entry that says why there is one", most)
			}
		})
	}
}

// pricedWays counts the ways to take the last step of a chain that have a price.
func pricedWays(t *testing.T, q quote, oneWay string) (priced int) {
	t.Helper()
	at := len(q.stages) - 1
	s := q.stages[at]
	a, ok := s.Step.(stage.Alternatives)
	if !ok {
		return 0
	}
	if oneWay != "" {
		t.Errorf("its entry says that there is one way (%s), and it has alternatives", oneWay)
	}
	itself := false
	for _, w := range a.Alternatives(s.Stage, 1) {
		if w.Kind != stage.Public && w.Kind != stage.Fitted && w.Kind != stage.TestedFit && w.Kind != stage.Private {
			t.Errorf("%s: kind %q", kind.Describe(w.Step), w.Kind)
		}
		itself = itself || kind.Describe(w.Step) == kind.Describe(s.Step)
		st := stage.Stage{In: s.In, Before: s.Before, Taint: s.Stage.Taint, Empty: s.Empty, Unordered: s.Unordered, People: s.Stage.People}
		if _, _, err := advance(w.Step, st, q.stages[:at]); err == nil {
			priced++
		} else if !hasNoPrice(err) {
			t.Errorf("%s: %v", kind.Describe(w.Step), err)
		}
	}
	if !itself {
		t.Errorf("%s is not among its ways", kind.Describe(s.Step))
	}
	return priced
}

// TestEveryStepIsDocumented: docs/steps.md has a row for each kind of step; the method that makes it and the option that tells it from
// others have comments, and some text for users, an example or a notebook shows the call. go test -run TestEveryStepIsDocumented
// ./dpkit -update writes the table anew.
func TestEveryStepIsDocumented(t *testing.T) {
	comments, texts := packageComments(t), usersTexts(t)
	for _, known := range knownSteps() {
		k := known.Kind()
		if comments["Pipeline."+k.Call] == "" {
			t.Errorf("%s: Pipeline.%s has no comment", k.Name, k.Call)
		}
		if option := optionOf(known); option != "" {
			if comments[option] == "" {
				t.Errorf("%s: %s has no comment", k.Name, option)
			}
			if !strings.Contains(texts, option+"{") {
				t.Errorf("%s: no README, document, example or notebook shows %s", k.Name, option)
			}
		} else if !strings.Contains(texts, "."+k.Call+"(") {
			t.Errorf("%s: no README, document, example or notebook shows %s", k.Name, k.Call)
		}
	}
	path := filepath.Join("..", "docs", "steps.md")
	want := stepsTable(t)
	if *updateTables {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("docs/steps.md is not what the registry says; go test -run %s ./dpkit -update writes it anew", t.Name())
	}
}

// packageComments are those of the exported types and the methods of Pipeline.
func packageComments(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, typ := range packageDocs()[0].Types {
		out[typ.Name] = typ.Doc
		for _, m := range typ.Methods {
			out[typ.Name+"."+m.Name] = m.Doc
		}
	}
	if len(out) < 100 {
		t.Fatalf("%d comments", len(out))
	}
	return out
}

// usersTexts are the README, the documents, the examples, the notebooks and the tutorials.
func usersTexts(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	files := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if path != ".." && (name[0] == '.' || name == "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		if name != "steps.md" && name != "CHANGELOG.md" && (strings.HasSuffix(name, ".md") || strings.HasSuffix(name, ".ipynb") || strings.HasPrefix(name, "example_") && strings.HasSuffix(name, "_test.go")) {
			text, err := os.ReadFile(path)
			all.Write(text)
			files++
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 20 {
		t.Fatalf("%d files", files)
	}
	return all.String()
}

// stepsTable is docs/steps.md.
func stepsTable(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(`# Steps

Every kind of preprocessing step: how a chain calls it (with the parameters of one example, on columns of the unit 1), what prediction
needs of it, what it costs and why, where that is proved, and how tight the bound is. The last column is the share of the stated total
displacement that some pair of neighbouring datasets attains (of the rows that are freed, for steps that remove rows; of a query's
sensitivity, for private fits); it is what the tests demand, on the example of the kind that comes nearest. For a step that costs
nothing it is the share of the displacement that arrives.

The table is made of the registry of steps, and a test compares: go test -run TestEveryStepIsDocumented ./dpkit -update writes it.
What a chain costs on your own schema is what Explain prints.

| Kind | Call | Role | What it costs | Proof | Attained |
|---|---|---|---|---|---|
`)
	cell := func(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, "\n", " "), "|", "\\|") }
	for _, known := range knownSteps() {
		name := known.Kind().Name
		e, ok := stepEntries()[name]
		if !ok {
			t.Fatalf("%s has no entry", name)
		}
		q := pricedEntry(t, e)
		s := q.stages[len(q.stages)-1]
		best := 0.0
		for _, a := range e.attacks {
			for _, c := range []attack.Constant{attack.Total, attack.FreeRows, attack.Query} {
				best = max(best, a.floors[c])
			}
		}
		proof := ""
		if s.Reference != "" {
			proof = "(" + cell(s.Reference) + ")"
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %s | %.3g |\n", name, cell(kind.Describe(s.Step)), s.Role, cell(s.Note), proof, best)
		if name == "people/join" { // the other form of the call, of which TestPairedRowsAreAttacked attains every row
			q := pricedEntry(t, stepEntry{attacks: []attackedStep{joinOfRows}})
			s := q.stages[len(q.stages)-1]
			fmt.Fprintf(&b, "| %s | `%s` | %s | %s | (%s) | 1 |\n", name, cell(kind.Describe(s.Step)), s.Role, cell(s.Note), cell(s.Reference))
		}
	}
	return b.String()
}
