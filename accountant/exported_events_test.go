package accountant

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// A combinedEvent is an event made by a combinator, with the relation that it is priced under.
type combinedEvent struct {
	e   Event
	rel Neighbours
}

// combined has an event of every exported function that makes events of others, under its name.
func combined() map[string]combinedEvent {
	routes := Routes{
		{"direct", func(alpha float64) float64 { return 0.02 * alpha }},
		{"group of 2", laplaceCurve(0.3)},
		{"short", func(alpha float64) float64 {
			if alpha > 3 {
				return math.Inf(1)
			}
			return 0.015 * alpha
		}},
	}
	laplace := Laplace{1, 20, AddRemove}
	return map[string]combinedEvent{
		"Compose":  {Compose(addGauss(0.1), laplace), AddRemove},
		"Repeat":   {Repeat(laplace, 3), AddRemove},
		"Group":    {Group(Compose(addGauss(0.1), Repeat(laplace, 2)), 2), AddRemove},
		"ByRoutes": {ByRoutes("model", ReplaceOne, routes), ReplaceOne},
		"Covered":  {Compose(Covered(Repeat(laplace, 2), 1e-6, 0, CoverByOrders), ApproxDP{Delta: 1e-6, Neighbours: AddRemove}), AddRemove},
		"Stated": {Stated(Compose(Covered(Repeat(laplace, 2), 1e-6, 0, CoverByOrders), ApproxDP{Delta: 1e-6, Neighbours: AddRemove}),
			Guarantee{Budget: Budget{Epsilon: 0.09, Delta: 1e-6}, Neighbours: AddRemove, Route: "a route of its own"}), AddRemove},
		"AsReplaceOne": {AsReplaceOne(Compose(addGauss(0.1), laplace)), ReplaceOne},
	}
}

// exportedEvents reads the package's source: the exported types that are events, with their embedded ones, and the
// exported functions that return an Event.
func exportedEvents(t *testing.T) (types, makers []string) {
	t.Helper()
	methods := map[string]map[string]bool{}
	embeds := map[string][]string{}
	fset := token.NewFileSet()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		read++
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					if r := d.Type.Results; d.Name.IsExported() && r != nil && len(r.List) > 0 {
						if id, ok := r.List[0].Type.(*ast.Ident); ok && id.Name == "Event" {
							makers = append(makers, d.Name.Name)
						}
					}
					continue
				}
				recv := d.Recv.List[0].Type
				if star, ok := recv.(*ast.StarExpr); ok {
					recv = star.X
				}
				if id, ok := recv.(*ast.Ident); ok {
					if methods[id.Name] == nil {
						methods[id.Name] = map[string]bool{}
					}
					methods[id.Name][d.Name.Name] = true
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					ts, ok := s.(*ast.TypeSpec)
					if !ok {
						continue
					}
					if st, ok := ts.Type.(*ast.StructType); ok {
						for _, field := range st.Fields.List {
							if id, ok := field.Type.(*ast.Ident); ok && len(field.Names) == 0 {
								embeds[ts.Name.Name] = append(embeds[ts.Name.Name], id.Name)
							}
						}
					}
				}
			}
		}
	}
	if read == 0 {
		t.Fatal("read no source")
	}
	is := map[string]bool{"Event": true}
	for name, m := range methods {
		is[name] = m["RDP"] && m["String"]
	}
	for range 10 {
		for name, inner := range embeds {
			for _, e := range inner {
				is[name] = is[name] || is[e]
			}
		}
	}
	for name, event := range is {
		if event && ast.IsExported(name) && name != "Event" {
			types = append(types, name)
		}
	}
	return types, makers
}

// TestEveryEventIsStoredAndExplained: every exported event type of the package, and every function that makes an event,
// is in the codec, in the table of stored events and can be explained.
func TestEveryEventIsStoredAndExplained(t *testing.T) {
	stored := map[string]bool{}
	for _, typ := range leafTypes {
		stored[typ.Name()] = true
	}
	samples := map[string]Event{}
	for _, e := range storable() {
		samples[reflect.TypeOf(e).Name()] = e
	}
	types, makers := exportedEvents(t)
	if len(types) < 15 || len(makers) < 5 {
		t.Fatalf("found the types %v and the functions %v, want at least 15 and 5", types, makers)
	}
	for _, name := range types {
		if !stored[name] {
			t.Errorf("%s has no kind in the codec", name)
		}
		e, ok := samples[name]
		if !ok {
			t.Errorf("%s has no event in storable()", name)
			continue
		}
		requireExplained(t, e, AddRemove)
	}
	all := combined()
	for _, name := range makers {
		if name == "Unmarshal" || name == "SplitFailures" {
			continue // they read, or take apart, what the others make
		}
		c, ok := all[name]
		if !ok {
			t.Errorf("%s has no event in combined()", name)
			continue
		}
		requireExplained(t, c.e, c.rel)
		if _, err := Marshal(c.e); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	// The stored events of the past have every kind.
	raw, err := os.ReadFile("testdata/events.json")
	if errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	kinds := []string{kindCompose, kindRepeat, kindGroup, kindAsReplaceOne, kindByRoutes, kindCovered, kindStated}
	for kind := range leafTypes {
		kinds = append(kinds, kind)
	}
	for _, kind := range kinds {
		if !strings.Contains(string(raw), `"kind":"`+kind+`"`) {
			t.Errorf("testdata/events.json has no event of the kind %q", kind)
		}
	}
}

// requireExplained checks the tree of an event alone and within a composition.
func requireExplained(t *testing.T, e Event, rel Neighbours) {
	t.Helper()
	const delta = 1e-5
	whole, err := EpsilonOf(e, rel, delta)
	if err != nil {
		t.Errorf("%v: %v", e, err)
		return
	}
	x, err := Explain(e, rel, delta)
	if err != nil || x.Guarantee.Epsilon != whole.Epsilon {
		t.Errorf("%v: explained as %v, %v, want %v", e, x.Guarantee, err, whole)
		return
	}
	var walk func(Explanation)
	walk = func(n Explanation) {
		sum := 0.0
		for _, p := range n.Parts {
			sum += p.Share
			walk(p)
		}
		if !(math.Abs(sum-n.Share) <= 1e-9) && len(n.Parts) > 0 && !math.IsNaN(n.Share) {
			t.Errorf("%v: %s: shares of parts add up to %g, want %g", e, n.Event, sum, n.Share)
		}
	}
	walk(x)
	if s := x.String(); !strings.Contains(s, "ε") || strings.Contains(s, "NaN") {
		t.Errorf("%v: explained as %q", e, s)
	}
}

func TestExplainCombinators(t *testing.T) {
	all := combined()
	for name, want := range map[string]string{
		"Group": `Group of 2
└─ Compose
   ├─ Gaussian
   └─ Repeat
      └─ 2 × Laplace
`,
		"AsReplaceOne": `AsReplaceOne
└─ Compose
   ├─ Gaussian
   └─ Laplace
`,
		"ByRoutes": `model
├─ model(direct
├─ model(group of 2
└─ model(short
`,
	} {
		x, err := Explain(all[name].e, all[name].rel, 1e-6)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for i, line := range strings.Split(strings.TrimSuffix(x.String(), "\n"), "\n") {
			if i == 0 {
				continue // what the whole costs
			}
			line, _, _ = strings.Cut(line, "  ε ")
			if j := strings.Index(line, "("); j >= 0 {
				head, inner := line[:j], line[j+1:]
				line = head
				if head[len(head)-5:] == "model" {
					inner, _, _ = strings.Cut(inner, ",")
					line = head + "(" + inner
				}
			}
			got += strings.TrimRight(line, " ") + "\n"
		}
		if got != want {
			t.Errorf("%s: got\n%swant\n%s", name, got, want)
		}
	}
	// One route has the share, and each is priced alone.
	x, err := Explain(all["ByRoutes"].e, ReplaceOne, 1e-6)
	if err != nil {
		t.Fatal(err)
	}
	winners := 0
	for _, p := range x.Parts {
		if p.Share == 1 {
			winners++
		} else if p.Share != 0 {
			t.Errorf("%s has the share %g", p.Event, p.Share)
		}
		if p.Guarantee.Epsilon < x.Guarantee.Epsilon*(1-1e-9) {
			t.Errorf("%s costs %g alone, less than the least of all, %g", p.Event, p.Guarantee.Epsilon, x.Guarantee.Epsilon)
		}
	}
	if winners != 1 {
		t.Errorf("%d routes have the whole share, want 1", winners)
	}
	// The part of a conversion is priced under the other relation.
	x, err = Explain(all["AsReplaceOne"].e, ReplaceOne, 1e-6)
	if err != nil || x.Parts[0].Guarantee.Neighbours != AddRemove || x.Guarantee.Neighbours != ReplaceOne {
		t.Errorf("got relations %v and, of the part, %v, %v", x.Guarantee.Neighbours, x.Parts[0].Guarantee.Neighbours, err)
	}
}

// TestStoredRoutes: what is read back is never cheaper than the curves, hardly dearer, and is stored again byte for byte.
func TestStoredRoutes(t *testing.T) {
	e := combined()["ByRoutes"].e
	raw, err := Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	back, err := Unmarshal(raw)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Marshal(back)
	if err != nil || string(again) != string(raw) {
		t.Errorf("stored as\n%s\nand again, %v, as\n%s", raw, err, again)
	}
	if back.String() != e.String() {
		t.Errorf("got %v, want %v", back, e)
	}
	was, now := curveOf(t, e, ReplaceOne), curveOf(t, back, ReplaceOne)
	for u := -14.0; u < 18; u += 0.07 {
		alpha := 1 + math.Exp2(u)
		if a, b := was(alpha), now(alpha); b < a || (b > a*1.02 && (alpha < 2.6 || alpha > 3)) {
			t.Errorf("order %g: %g before, %g after", alpha, a, b)
		}
	}
	for _, delta := range []float64{1e-9, 1e-6, 1e-2} {
		a := must[Guarantee](t)(EpsilonOf(e, ReplaceOne, delta))
		b := must[Guarantee](t)(EpsilonOf(back, ReplaceOne, delta))
		if !(b.Epsilon >= a.Epsilon*(1-1e-9)) || b.Epsilon > a.Epsilon*1.01 {
			t.Errorf("δ = %g: %v before, %v after", delta, a, b)
		}
	}
	if _, err := back.RDP(AddRemove); !errors.Is(err, ErrNeighbours) {
		t.Errorf("other relation: got %v", err)
	}
}

// TestDocNamesEveryType: the map in doc.go has a link to every exported type.
func TestDocNamesEveryType(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, s := range g.Specs {
				if ts, ok := s.(*ast.TypeSpec); ok && ts.Name.IsExported() {
					found++
					if !strings.Contains(string(doc), "["+ts.Name.Name+"]") {
						t.Errorf("doc.go does not name [%s], of %s", ts.Name.Name, path)
					}
				}
			}
		}
	}
	if found < 40 {
		t.Errorf("found %d exported types, want at least 40", found)
	}
}
