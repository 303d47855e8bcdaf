package dpkit

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/doc"
	"go/printer"
	"go/token"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/frames"
)

// releasesFile is the table of all kinds of release.
const releasesFile = "../docs/releases.md"

// methodOf is a chain method of Pipeline.
func methodOf(p *doc.Package, name string) *doc.Func {
	i := slices.IndexFunc(p.Types, func(t *doc.Type) bool { return t.Name == "Pipeline" })
	for _, m := range p.Types[i].Methods {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// comment is all that is said of an exported type, on the face and in its room: of itself, of its fields, and of its constants.
func comment(name string) (own, all string) {
	for _, p := range packageDocs() {
		for _, t := range p.Types {
			if t.Name != name {
				continue
			}
			own += t.Doc
			all += t.Doc
			ast.Inspect(t.Decl, func(n ast.Node) bool {
				if f, ok := n.(*ast.Field); ok {
					all += f.Doc.Text() + f.Comment.Text()
				}
				return true
			})
			for _, c := range t.Consts {
				all += c.Doc
				for _, s := range c.Decl.Specs {
					all += s.(*ast.ValueSpec).Doc.Text()
				}
			}
		}
	}
	return own, all
}

// namedIn are the types of this package that a call names: its result, its options, and what their fields are of.
func namedIn(call *ast.FuncType) (out []string) {
	types := map[string][]*doc.Type{}
	for _, p := range packageDocs() {
		for _, t := range p.Types {
			types[t.Name] = append(types[t.Name], t)
		}
	}
	var walk func(n ast.Node, fields bool)
	walk = func(n ast.Node, fields bool) {
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Field: // its name may be that of a type
				walk(n.Type, fields)
				return false
			case *ast.Ident:
				if types[n.Name] == nil || n.Name == "Plan" || slices.Contains(out, n.Name) {
					return true
				}
				if out = append(out, n.Name); fields {
					for _, t := range types[n.Name] {
						walk(t.Decl, true)
					}
				}
			}
			return true
		})
	}
	walk(call.Params, true)
	walk(call.Results, false)
	return out
}

// cited matches a paper in a reference: the first author's name, and its year.
var cited = regexp.MustCompile(`(\p{Lu}\p{L}+)(?:, \p{Lu}\p{L}+)*(?: et al\.)? ((?:19|20)\d\d)`)

// names reports whether a text names the paper of a first author and a year.
func names(text, author, year string) bool {
	return regexp.MustCompile(author + `(?:, \p{Lu}\p{L}+)*(?: et al\.)? ` + year).MatchString(strings.ReplaceAll(text, "\n", " "))
}

// linked matches a link to a type of this package.
var linked = regexp.MustCompile(`\[(\p{Lu}\p{L}+)\]`)

// TestEveryMechanismIsDocumented: the method that makes a kind of release, its options and its result are described, the papers that its
// account refers to are named there with author and year, and docs/releases.md has its line. With -update that file is written anew.
func TestEveryMechanismIsDocumented(t *testing.T) {
	t.Parallel()
	face, fset := packageDocs()[0], sources()[0].fset
	var lines []string
	everyMechanism(t, func(t *testing.T, e mechanismEntry, d Pipeline, m knownMechanism) {
		call := m.of.Kind().Call
		method := methodOf(face, call)
		if method == nil || !strings.HasPrefix(method.Doc, call+" ") || !strings.Contains(strings.TrimSpace(method.Doc), ".") {
			t.Fatalf("Pipeline.%s: want a comment that begins with its name", call)
		}
		all := method.Doc
		types := namedIn(method.Decl.Type)
		if option := optionOf(m.of); option != "" {
			types = append(types, option)
		}
		for _, name := range types {
			own, every := comment(name)
			if strings.TrimSpace(own) == "" {
				t.Errorf("%s: no comment", name)
			}
			all += every
		}
		for _, link := range linked.FindAllStringSubmatch(all, -1) { // a reader follows one
			_, every := comment(link[1])
			all += every
		}
		pl := e.end(d)
		c := must(pl.Cost())
		result := reflect.TypeOf(pl.of.Zero()).Elem().Name()
		if !slices.Contains(types, result) {
			t.Errorf("%s releases a %s, which its signature does not name: %q", call, result, types)
		}
		for _, paper := range cited.FindAllStringSubmatch(c.Release.Reference, -1) {
			if !names(all, paper[1], paper[2]) {
				t.Errorf("%s refers to %s %s, which neither the comment of the method nor those of %q name", call, paper[1], paper[2], types)
			}
		}
		lines = append(lines, releaseLine(t, fset, method, e, d, m))
	})
	if t.Failed() {
		return
	}
	slices.Sort(lines)
	var b bytes.Buffer
	b.WriteString(releasesHead)
	for _, l := range lines {
		b.WriteString(l)
	}
	if *updateTables {
		if err := os.WriteFile(releasesFile, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got := must(os.ReadFile(releasesFile)); !bytes.Equal(got, b.Bytes()) {
		t.Errorf("%s is not what the code says; run go test ./dpkit -run %s -update and review it as a diff", releasesFile, t.Name())
	}
}

const releasesHead = `# Releases

What can stand at the end of a chain. Each row is found out by a test from the code: the call and the type of what it
releases, the events of an example, whether ε alone is enough, under which relation of neighbouring tables it has a price,
whether it may stand behind steps that are fitted to private rows without noise, and the reference that its cost
names. ` + "`Explain`" + ` of a plan says what its bounds rest on.

| call and plan | events | δ | relation | behind fitted steps | reference |
|---|---|---|---|---|---|
`

// releaseLine is the row of a kind, all of it tried.
func releaseLine(t *testing.T, fset *token.FileSet, method *doc.Func, e mechanismEntry, d Pipeline, m knownMechanism) string {
	t.Helper()
	var signature strings.Builder
	if err := printer.Fprint(&signature, fset, method.Decl.Type); err != nil {
		t.Fatal(err)
	}
	var relations []string
	for _, rel := range []accountant.Neighbours{ReplaceOne, AddRemove} {
		s := must(Demo(d.s.src.(*frames.Frame), 1, rel))
		if _, err := e.end(s.Data()).Cost(); err == nil {
			relations = append(relations, rel.String())
		}
	}
	if len(relations) == 0 {
		t.Fatal("it has a price under no relation")
	}
	say := func(yes bool) string {
		if yes {
			return "yes"
		}
		return "no"
	}
	pl := e.end(d)
	r := must(pl.Cost()).Release
	call := fmt.Sprintf("`%s%s`", method.Name, strings.TrimPrefix(signature.String(), "func"))
	if _, option, several := strings.Cut(wayName(m.of), ", "); several {
		call += fmt.Sprintf(", `%s{…}`", option)
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s |\n", call,
		strings.Join(lawsOf(r.Event), ", "), deltaOf(pl, m), strings.Join(relations, ", "), say(behindFitted(pl, m)), r.Reference)
}

// lawsOf names the events that a release is made of.
func lawsOf(event string) (out []string) {
	for _, name := range regexp.MustCompile(`\p{Lu}\p{L}+\(`).FindAllString(event, -1) {
		name = strings.TrimSuffix(name, "(")
		if name != "Compose" && name != "Repeat" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// deltaOf says which δ a release wants, and with which choice it takes none.
func deltaOf(base *plan, m knownMechanism) string {
	parameters := parametersOf(base.m)
	i := slices.IndexFunc(parameters, func(p parameter) bool { return strings.HasSuffix(p.path, "Delta") })
	pure := withSetting(base.m, parameters[i], reflect.ValueOf(0.0))
	priced := func(v any) bool {
		_, err := m.end(base.p, v).Cost()
		return err == nil
	}
	if priced(pure) {
		return "may be 0"
	}
	for _, p := range parameters {
		if p.typ.Kind() != reflect.String {
			continue
		}
		names, values := choices(p.typ)
		for i, v := range values {
			if priced(withSetting(pure, p, v)) {
				return fmt.Sprintf("above 0; 0 with %s %s", p.path, names[i])
			}
		}
	}
	return "above 0"
}

// behindFitted reports whether a release has a price behind a step that is fitted without noise.
func behindFitted(base *plan, m knownMechanism) bool {
	for _, p := range []Pipeline{base.p.Center(), base.p.Impute(Mean{}, "pay")} {
		if _, err := m.end(p, base.m).Cost(); err == nil {
			return true
		}
	}
	return false
}
