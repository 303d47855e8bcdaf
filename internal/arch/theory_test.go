package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// vague is how comments cited before there was something to cite: nobody could follow it.
var vague = regexp.MustCompile(`(stability )?calculus,?\s+(§|Lemma|Section|Theorem)|preprocessing( theory)?,?\s+(§|Lemma|Section|Theorem)|theory of the (audit|pair state)`)

// wholePage is a citation of a file without one of its statements.
var wholePage = regexp.MustCompile(`docs/theory/[A-Za-z]+\.md(?:[^#]|$)`)

// numbered is a statement by its number, and origin what says whose it is.
var (
	numbered = regexp.MustCompile(`\b(Lemmas?|Theorems?|Propositions?|Corollary|Prop\.|Thm|Cor\.|Sections?) [0-9A-Z]+\b|§ ?[0-9]`)
	origin   = regexp.MustCompile(`docs/theory/|\b(1[89]|20)[0-9]{2}\b|\b[Pp]apers?\b|\bsource\b|\b[Pp]rinted\b`)
)

// studies are of one paper each, which their packages name: theorems there are that paper's.
const studies = "notebooks/studies/"

// commentFaults says which citations of a comment lead nowhere. Where it is clear whose statements are meant their numbers are enough.
func commentFaults(comment string, clear bool) (faults []string) {
	if m := vague.FindString(comment); m != "" {
		faults = append(faults, fmt.Sprintf("a comment cites %q, which nobody can follow; write docs/theory/FILE.md#ANCHOR", m))
	}
	if m := wholePage.FindString(comment); m != "" {
		faults = append(faults, fmt.Sprintf("a comment cites %q and no statement of it; write docs/theory/FILE.md#ANCHOR", m))
	}
	if m := numbered.FindString(comment); m != "" && !clear && !origin.MatchString(comment) {
		faults = append(faults, fmt.Sprintf("a comment cites %q and does not say whose; name author and year, or docs/theory/FILE.md#ANCHOR", m))
	}
	return faults
}

// said is what a file of the repository says: a Go file's comments, joined over lines, its strings and the names of its tests,
// or the text of another one.
type said struct {
	path                      string // from the root, with slashes
	comments, literals, tests []string
	text                      string
}

func (s said) isTest() bool { return strings.HasSuffix(s.path, "_test.go") }

// allSaid is what all files say that may cite the theory. CHANGELOG is history, and this test's own files are full of examples.
var allSaid = sync.OnceValues(func() (all []said, err error) {
	root := filepath.Join("..", "..")
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := e.Name()
		if e.IsDir() {
			if path != root && (name[0] == '.' || name == "node_modules") {
				return filepath.SkipDir
			}
			return nil
		}
		if !slices.Contains([]string{".go", ".ipynb", ".md", ".ledger"}, filepath.Ext(name)) ||
			name == "CHANGELOG.md" || strings.HasPrefix(name, "theory_") && filepath.Base(filepath.Dir(path)) == "arch" {
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		s := said{path: filepath.ToSlash(rel)}
		if filepath.Ext(name) == ".go" {
			err = s.readGo(path)
		} else {
			var text []byte
			text, err = os.ReadFile(path)
			s.text = string(text)
		}
		all = append(all, s)
		return err
	})
	return all, err
})

func (s *said) readGo(path string) error {
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, group := range f.Comments {
		s.comments = append(s.comments, group.Text())
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				s.literals = append(s.literals, n.Value)
			}
		case *ast.FuncDecl:
			if n.Recv == nil && strings.HasPrefix(n.Name.Name, "Test") && s.isTest() {
				s.tests = append(s.tests, n.Name.Name)
			}
		}
		return true
	})
	return nil
}

// TestTheoryIsCited: every citation of the theory leads to a statement, and comments that number one say whose it is.
func TestTheoryIsCited(t *testing.T) {
	th := readTheory(t)
	all, err := allSaid()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for _, s := range all {
		note := func(kind string, cited, faults []string) {
			found[kind] += len(cited)
			for _, f := range faults {
				t.Errorf("%s: %s", s.path, f)
			}
		}
		for _, c := range s.comments {
			cited, faults := th.paths(c)
			note("comments", cited, faults)
			for _, f := range commentFaults(c, s.isTest() || strings.HasPrefix(s.path, studies)) {
				t.Errorf("%s: %s", s.path, f)
			}
		}
		for _, l := range s.literals {
			cited, faults := th.words(l)
			note("strings", cited, faults)
		}
		cited, faults := th.paths(s.text)
		note("paths in texts", cited, faults)
		cited, faults = th.words(s.text)
		note("words in "+filepath.Ext(s.path), cited, faults)
	}
	for kind, least := range map[string]int{"comments": 100, "strings": 20, "words in .ipynb": 2, "words in .ledger": 40} {
		if found[kind] < least {
			t.Errorf("%s: found %d citations, want at least %d: the pattern has ceased to match", kind, found[kind], least)
		}
	}
}

// TestTheoryIsProved: every statement says what, why, and which tests hold the code to it; and the code, or a test, cites it.
func TestTheoryIsProved(t *testing.T) {
	th := readTheory(t)
	all, err := allSaid()
	if err != nil {
		t.Fatal(err)
	}
	tests, cited := map[string]bool{}, map[string]bool{}
	for _, s := range all {
		for _, name := range s.tests {
			tests[name] = true
		}
		for _, c := range s.comments {
			found, _ := th.paths(c)
			for _, f := range found {
				cited[f] = true
			}
		}
		for _, l := range s.literals {
			found, _ := th.words(l)
			for _, f := range found {
				cited[f] = true
			}
		}
	}
	statements := 0
	for name, p := range th {
		for _, s := range p.statements {
			statements++
			for _, f := range s.faults(tests) {
				t.Errorf("%s/%s.md#%s: %s", theoryDir, name, s.anchor, f)
			}
			if !cited[name+"#"+s.anchor] {
				t.Errorf("%s/%s.md#%s: no comment and no reference of the code and its tests cites it", theoryDir, name, s.anchor)
			}
		}
	}
	if statements < 80 {
		t.Errorf("found %d statements: the pattern has ceased to match", statements)
	}
}

var link = regexp.MustCompile(`\]\(([^)#\s]*)(?:#([^)\s]*))?\)`)

// TestDocumentLinks: every link of docs and README to a file of the repository leads there, to a heading if it names one.
func TestDocumentLinks(t *testing.T) {
	all, err := allSaid()
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, s := range all {
		texts[s.path] = s.text
	}
	links := 0
	for _, s := range all {
		if filepath.Ext(s.path) != ".md" || !strings.HasPrefix(s.path, "docs/") && s.path != "README.md" {
			continue
		}
		for _, m := range link.FindAllStringSubmatch(s.text, -1) {
			if strings.Contains(m[1], ":") {
				continue // another site
			}
			links++
			target := s.path
			if m[1] != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(s.path), filepath.FromSlash(m[1])))
			}
			if _, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(target))); err != nil {
				t.Errorf("%s: link to %s, which is not there", s.path, m[1])
				continue
			}
			p, err := parsePage(texts[target])
			if _, there := p.anchors[m[2]]; m[2] != "" && (err != nil || !there) {
				t.Errorf("%s: link to %s#%s, which has no such heading", s.path, m[1], m[2])
			}
		}
	}
	if links < 60 {
		t.Errorf("found %d links: the pattern has ceased to match", links)
	}
}
