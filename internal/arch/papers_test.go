package arch

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// paperItems is how many items of each kind docs/papers.md has of each paper: counted in the papers' texts, so that no line gets lost.
var paperItems = map[string]map[string]int{
	"000_gaussian_mixing":      {"Figure": 5, "Table": 0, "Algorithm": 6, "Theorem": 3, "Proposition": 2, "Corollary": 2, "Lemma": 1},
	"001_relative_gaussian":    {"Figure": 2, "Table": 0, "Algorithm": 0, "Theorem": 2, "Proposition": 4, "Corollary": 1, "Lemma": 1},
	"002_unbounded_covariates": {"Figure": 0, "Table": 0, "Algorithm": 2, "Theorem": 7, "Proposition": 1, "Corollary": 0, "Lemma": 13},
	"003_per_instance":         {"Figure": 7, "Table": 0, "Algorithm": 6, "Theorem": 9, "Proposition": 3, "Corollary": 3, "Lemma": 0},
	"004_preprocessing":        {"Figure": 4, "Table": 4, "Algorithm": 1, "Theorem": 11, "Proposition": 5, "Corollary": 1, "Lemma": 3},
}

// paperPackages are where calls of docs/papers.md are.
var paperPackages = map[string]string{
	"accountant": "accountant", "pdp": "accountant/pdp", "dpkit": "dpkit",
	"mixing": "notebooks/studies/mixing", "printed": "notebooks/studies/preprocessing/printed",
}

var (
	paperLink    = regexp.MustCompile(`^\[[^\]]+\]\((theory/[a-z]+\.md)#([a-z0-9-]+)\)$`)
	paperNotes   = regexp.MustCompile(`\(\.\./notebooks/papers/([0-9a-z_]+)\.ipynb\)`)
	paperTests   = regexp.MustCompile("^`([a-z/]+)` `((?:Test|Example)[A-Za-z0-9_]+)`$")
	paperHeading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	notInAnchor  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestPapers follows every line of docs/papers.md: its section, call, cell and test exist, and a line with none of them has a reason.
func TestPapers(t *testing.T) {
	root := filepath.Join("..", "..")
	text := readAll(t, filepath.Join(root, "docs", "papers.md"))
	paper, cells := "", ""
	seen := map[string]bool{}
	count := map[string]map[string]int{}
	for _, line := range strings.Split(text, "\n") {
		if m := paperNotes.FindStringSubmatch(line); m != nil {
			paper, cells = m[1], cellsOf(t, filepath.Join(root, "notebooks", "papers", m[1]+".ipynb"))
			count[paper] = map[string]int{}
		}
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| item ") {
			continue
		}
		f := strings.Split(strings.Trim(line, "|"), "|")
		if len(f) != 7 || paper == "" {
			t.Errorf("got %d columns in %q, want 7 below a paper's heading", len(f), line)
			continue
		}
		for i := range f {
			f[i] = strings.TrimSpace(f[i])
		}
		item, shows, section, call, cell, test, why := f[0], f[1], f[2], f[3], f[4], f[5], f[6]
		t.Run(paper+"/"+item, func(t *testing.T) {
			if seen[paper+item] || shows == "" {
				t.Errorf("is there twice, or does not say what it shows")
			}
			seen[paper+item] = true
			count[paper][strings.Fields(item)[0]]++
			if call+cell+test+why == "" {
				t.Errorf("has no call, cell, test or reason")
			}
			if section != "" && !hasAnchor(t, root, section) {
				t.Errorf("the section %s is not there", section)
			}
			if call != "" && !hasExported(t, root, strings.Trim(call, "`")) {
				t.Errorf("the call %s is not there", call)
			}
			if cell != "" && !strings.Contains(cells, strings.Trim(cell, "`")) {
				t.Errorf("no cell of %s has %s", paper, cell)
			}
			if test != "" && !hasTest(t, root, test) {
				t.Errorf("the test %s is not there", test)
			}
		})
	}
	for paper, kinds := range paperItems {
		total := 0
		for kind, want := range kinds {
			if got := count[paper][kind]; got != want {
				t.Errorf("docs/papers.md has %d lines of kind %s of %s, want %d", got, kind, paper, want)
			}
			total += count[paper][kind]
		}
		all := 0
		for _, n := range count[paper] {
			all += n
		}
		if all != total {
			t.Errorf("docs/papers.md has %d lines of %s, of which %d are of a known kind", all, paper, total)
		}
	}
	if len(count) != len(paperItems) {
		t.Errorf("docs/papers.md has %d papers, want %d", len(count), len(paperItems))
	}
}

// readAll is a file as text.
func readAll(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// cellsOf is the source of all cells of a notebook.
func cellsOf(t *testing.T, path string) string {
	t.Helper()
	var nb struct {
		Cells []struct{ Source []string }
	}
	if err := json.Unmarshal([]byte(readAll(t, path)), &nb); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	var b strings.Builder
	for _, c := range nb.Cells {
		b.WriteString(strings.Join(c.Source, "") + "\n")
	}
	return b.String()
}

// hasAnchor says whether a link leads to a heading of a page of the theory.
func hasAnchor(t *testing.T, root, link string) bool {
	t.Helper()
	m := paperLink.FindStringSubmatch(link)
	if m == nil {
		return false
	}
	for _, h := range paperHeading.FindAllStringSubmatch(readAll(t, filepath.Join(root, "docs", m[1])), -1) {
		anchor := strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-")
		if anchor == m[2] {
			return true
		}
	}
	return false
}

// hasTest says whether go test runs a test or example of a package.
func hasTest(t *testing.T, root, cell string) bool {
	t.Helper()
	m := paperTests.FindStringSubmatch(cell)
	if m == nil {
		return false
	}
	for _, file := range goFiles(t, filepath.Join(root, filepath.FromSlash(m[1]))) {
		if strings.HasSuffix(file, "_test.go") && strings.Contains(readAll(t, file), "\nfunc "+m[2]+"(") {
			return true
		}
	}
	return false
}

// goFiles are the Go files of a folder.
func goFiles(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: got %d Go files, %v", dir, len(files), err)
	}
	return files
}

// hasExported says whether a package has an exported name, as dpkit.AdaSSP or dpkit.Pipeline.Mean.
func hasExported(t *testing.T, root, name string) bool {
	t.Helper()
	part := strings.SplitN(name, ".", 2)
	dir, ok := paperPackages[part[0]]
	if !ok || len(part) != 2 || !ast.IsExported(part[1]) {
		return false
	}
	for _, file := range goFiles(t, filepath.Join(root, filepath.FromSlash(dir))) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		code, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range code.Decls {
			if namesDecl(d, part[1]) {
				return true
			}
		}
	}
	return false
}

// namesDecl says whether a declaration has that name; a method's is Type.Method.
func namesDecl(d ast.Decl, name string) bool {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return d.Name.Name == name
		}
		of := d.Recv.List[0].Type
		if p, ok := of.(*ast.StarExpr); ok {
			of = p.X
		}
		id, ok := of.(*ast.Ident)
		return ok && id.Name+"."+d.Name.Name == name
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if s.Name.Name == name {
					return true
				}
			case *ast.ValueSpec:
				for _, n := range s.Names {
					if n.Name == name {
						return true
					}
				}
			}
		}
	}
	return false
}
