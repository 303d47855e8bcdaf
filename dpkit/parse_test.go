package dpkit

import (
	"errors"
	"go/ast"
	goparser "go/parser"
	"go/token"
	"io/fs"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
)

// TestParse: the text of every frozen plan is read back to the same plan.
func TestParse(t *testing.T) {
	seen := map[string]bool{}
	for name, f := range frozenData(t) {
		s := must(Demo(f, 1, ReplaceOne))
		for _, c := range slices.Concat(frozenPlans(s, name), frozenTexts(s.Data()), youngerPlans(s.Data())) {
			text := c.plan.String()
			p, err := Parse[any](s, text)
			if err != nil {
				t.Errorf("%s/%s: %v", name, c.name, err)
				continue
			}
			got := p.(typedPlan[any]).of
			if got.String() != text {
				t.Errorf("%s/%s: got %s, want %s", name, c.name, got, text)
			}
			if !slices.Equal(textsOf(got), textsOf(c.plan)) || got.name != c.plan.name || got.blind != c.plan.blind {
				t.Errorf("%s/%s: got %q, want %q", name, c.name, textsOf(got), textsOf(c.plan))
			}
			for i, step := range got.p.steps {
				if is, want := reflect.TypeOf(step), reflect.TypeOf(c.plan.p.steps[i]); is != want {
					t.Errorf("%s/%s: step %d is a %v, want %v", name, c.name, i+1, is, want)
				}
				k, _ := kind.KindFor(step)
				seen[k.Name] = true
			}
			k, _ := kind.KindFor(got.m)
			seen[k.Name] = true
		}
	}
	for _, s := range knownSteps() {
		if k := s.Kind(); !seen[k.Name] {
			t.Errorf("no frozen plan has a %s: add one to youngerPlans", k.Name)
		}
	}
	for _, m := range knownMechanisms() {
		if k := m.of.Kind(); !seen[k.Name] {
			t.Errorf("no frozen plan ends with %s", k.Name)
		}
	}
}

// TestEveryKindIsKnown: each type with a kind is one that Parse knows, under a name, a law and a call, and of plain fields.
func TestEveryKindIsKnown(t *testing.T) {
	known, names := map[string]bool{}, map[string]bool{}
	note := func(v kind.Kinded) {
		k := v.Kind()
		if k.Name == "" || k.Law < 1 || k.Call == "" || names[wayName(v)] {
			t.Errorf("%T: kind %+v, want a name of its own, or a way of its own among those of a name, a law and a call", v, k)
		}
		if _, text := v.(interface{ WasText() string }); text != strings.HasPrefix(k.Was, "dpkit.") || !text && k.Was != "" {
			t.Errorf("%T: kind %+v, want the type and the text (method WasText) of identities of version 5, or neither of a younger kind", v, k)
		}
		names[wayName(v)] = true
		known[reflect.TypeOf(v).Name()] = true
		if _, ok := reflect.TypeFor[Pipeline]().MethodByName(k.Call); !ok {
			t.Errorf("%s: Pipeline has no method %s", k.Name, k.Call)
		}
	}
	for _, s := range knownSteps() {
		note(s)
	}
	for _, m := range knownMechanisms() {
		note(m.of)
	}
	var files []string
	err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, name := range files {
		file, err := goparser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !strings.EqualFold(fn.Name.Name, "kind") || fn.Recv == nil {
				continue
			}
			found++
			recv, plain := fn.Recv.List[0].Type.(*ast.Ident)
			if !plain { // mechanism.Broken, which no text holds
				continue
			}
			name := recv.Name
			if !strings.EqualFold(name, "spectralFit") && !known[name] { // embedded in spectral
				t.Errorf("%s has a kind that Parse does not know: list it in kinds.go", name)
			}
		}
	}
	if found < 50 {
		t.Errorf("%d kinds in the package's files", found)
	}
}

func TestParseBadText(t *testing.T) {
	s := must(Demo(tinyFrame(t, 30, 1), 1, ReplaceOne))
	for _, c := range []struct{ name, text, says string }{
		{"nothing", "", "the chain has no end"},
		{"no end", "Scale()", "the chain has no end"},
		{"half", "Scale().", "want a name"},
		{"unknown step", "Skale().Mean(ε = 1)", "got Skale"},
		{"unknown way", `Impute(Mode{}, "a").Mean(ε = 1)`, "want one of Midpoint{…}, Fixed{…}"},
		{"no way", `Impute("a").Mean(ε = 1)`, "want one of Midpoint{…}"},
		{"unknown parameter", "Mean(ε = 1, κ = 2)", "no parameter κ"},
		{"unknown Latin parameter", "Mean(ε = 1, Kappa = 2)", "no parameter Kappa"},
		{"parameter twice", "Mean(ε = 1, ε = 2)", "ε is given twice"},
		{"unknown field", `Impute(Mean{Pat: 3}).Mean(ε = 1)`, "Mean has no field Pat"},
		{"field twice", `Impute(Mean{Pad: 3, Pad: 3}).Mean(ε = 1)`, "Pad is given twice"},
		{"no number", "ClipNorm(x).Mean(ε = 1)", "float64"},
		{"open text", `Select("a).Mean(ε = 1)`, "quotation"},
		{"open bracket", `Bin([1, 2, "a").Mean(ε = 1)`, "float64"},
		{"behind the end", "Mean(ε = 1).Scale()", "want Named"},
		{"fresh", "Mean(ε = 1).Fresh()", "want Named"},
		{"certificate", `Impute(Mean{MaxMissing: Guess(3)}).Mean(ε = 1)`, "want Declare"},
		{"loss", "FitConvex(ε = 1, Loss = Cubic{})", "Loss"},
		{"step of another module", `With("example.com/x/y", Y{}).Mean(ε = 1)`, "not known to this program"},
		{"unregistered step", `With(dpkit.other{}).Mean(ε = 1)`, "quotation"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse[any](s, c.text)
			if !errors.Is(err, ErrParameter) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %q", err, c.says)
			}
		})
	}
	if _, err := Parse[Sketch](s, "Scale().Mean(ε = 1, δ = 1e-06)"); !errors.Is(err, ErrParameter) || !strings.Contains(err.Error(), "Parse[dpkit.Estimates]") {
		t.Errorf("got %v", err)
	}
	if _, err := ParsePipeline(s, "Scale().Mean(ε = 1, δ = 1e-06)"); !errors.Is(err, ErrParameter) {
		t.Errorf("got %v", err)
	}
	if _, err := Parse[any](nil, "Mean(ε = 1)"); !errors.Is(err, ErrParameter) {
		t.Errorf("got %v", err)
	}
	p, err := ParsePipeline(s, "")
	if err != nil || p.String() != "" {
		t.Errorf("got %v, %v", p, err)
	}
}

// TestTextTellsApart: plans of other parameters have other texts; long lists are cut in tables and never in the text.
func TestTextTellsApart(t *testing.T) {
	s := must(Demo(tinyFrame(t, 30, 1), 1, ReplaceOne))
	d := s.Data()
	target := Target{Epsilon: 1}
	many := make([]float64, 40)
	for i := range many {
		many[i] = float64(i)
	}
	long := d.Quantile(target, 0.5, "age", many...)
	if text := long.String(); !strings.Contains(text, "39)") || strings.Contains(kind.Describe(long.plan().m), "39)") {
		t.Errorf("%s, shown as %s", text, kind.Describe(long.plan().m))
	}
	seen := map[string]bool{}
	for _, p := range []Plan[QuantileEstimate]{
		long, d.Quantile(target, 0.5, "age", many[1:]...), d.Quantile(target, 0.5, "pay", many...), d.Quantile(target, 0.25, "age", many...),
		d.Quantile(Target{Epsilon: math.Nextafter(1, 2)}, 0.5, "age", many...), long.Named("x"),
	} {
		if seen[p.String()] {
			t.Errorf("%s twice", p)
		}
		seen[p.String()] = true
	}
}

// FuzzParse: what is read prints a text that reads back to itself.
func FuzzParse(f *testing.F) {
	frame := tinyFrame(f, 120, 1)
	s := must(Demo(frame, 1, ReplaceOne))
	for _, c := range slices.Concat(frozenPlans(s, "people"), frozenTexts(s.Data()), youngerPlans(s.Data())) {
		f.Add(c.plan.String())
	}
	f.Add(`Impute ( Mean { Pad : 3 } , "a" ) . Mean ( ε = 1 )`)
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse[any](s, text)
		if err != nil {
			return
		}
		again, err := Parse[any](s, p.String())
		if err != nil || again.String() != p.String() {
			t.Errorf("%q reads as %q, which reads as %v, %v", text, p, again, err)
		}
	})
}

// TestLedgerHoldsPlans: what a ledger says of a release is a plan that is read back, and replays.
func TestLedgerHoldsPlans(t *testing.T) {
	s := private(t, tinyFrame(t, 60, 1), ledgerPath(t), Budget{Epsilon: 3, Delta: 1e-5})
	first := must(s.Data().OneHot().Impute(Mean{Pad: 30}, "pay").Impute(Midpoint{}).Scale().FitLogistic(ByGradient{Epsilon: 1, Delta: 1e-6, Steps: 5}).Named("m").Release(t.Context()))
	entries := must(s.ledger.Entries())
	again := must(must(Parse[LogisticModel](s, entries[0].Mechanism)).Release(t.Context()))
	if !again.Replayed || !slices.Equal(first.Value.Coef, again.Value.Coef) {
		t.Errorf("%s was not replayed", entries[0].Mechanism)
	}
}

// TestNoPlan: no plan is a refusal and no panic.
func TestNoPlan(t *testing.T) {
	for name, p := range map[string]cost.Priced{"none": nil, "of a variable": Plan[Estimates](nil), "a pointer": (*plan)(nil)} {
		if v := cost.Of("x", p); !strings.Contains(v.Refused, "got no plan") {
			t.Errorf("%s: got %+v", name, v)
		}
	}
	if _, err := (Pipeline{}).Mean(Target{Epsilon: 1}).Cost(); err == nil {
		t.Error("a chain of no session was priced")
	}
	if text := (Pipeline{}).Scale().String(); text != "Scale()" {
		t.Errorf("got %s", text)
	}
}
