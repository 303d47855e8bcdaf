package arch

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// docs/theory holds what the prices rest on. Comments cite a statement as docs/theory/FILE.md#ANCHOR; what is printed cites a section or a
// lemma in words, as in "stability calculus §3, centring", since stored outputs and ledgers hold these texts.
const theoryDir = "docs/theory"

// A page is one file of the theory.
type page struct {
	anchors    map[string]string // of every heading: its text
	citable    map[string]bool   // anchors of statements and of numbered sections
	statements []statement
}

// A statement is a heading of level 3 with what stands below it.
type statement struct {
	anchor, text string
	section      string // number of the section that it is in
}

var (
	headingLine = regexp.MustCompile(`^(#{1,6}) (.*)$`)
	sectionLine = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)\.? `)
	notInSlug   = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// slug is the anchor that GitHub gives to a heading.
func slug(heading string) string {
	return strings.ReplaceAll(notInSlug.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}

// parsePage reads the headings and statements of a page. An anchor that occurs twice is an error.
func parsePage(text string) (page, error) {
	p := page{anchors: map[string]string{}, citable: map[string]bool{}}
	section := ""
	lines := bufio.NewScanner(strings.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		h := headingLine.FindStringSubmatch(lines.Text())
		if h == nil {
			if n := len(p.statements); n > 0 {
				p.statements[n-1].text += lines.Text() + "\n"
			}
			continue
		}
		if _, twice := p.anchors[slug(h[2])]; twice {
			return p, fmt.Errorf("heading %q: its anchor occurs twice", h[2])
		}
		p.anchors[slug(h[2])] = h[2]
		if n := sectionLine.FindStringSubmatch(h[2] + " "); n != nil && len(h[1]) == 2 {
			section = n[1]
			p.citable[slug(h[2])] = true
		}
		if len(h[1]) == 3 {
			p.citable[slug(h[2])] = true
			p.statements = append(p.statements, statement{anchor: slug(h[2]), section: section})
		}
	}
	return p, lines.Err()
}

var (
	saysWhat = regexp.MustCompile(`(?m)^\*\*Statement\.\*\* \S`)
	saysWhy  = regexp.MustCompile(`(?m)^\*\*(Proof|Source)\.\*\* \S`)
	testLine = regexp.MustCompile(`(?m)^\*\*Tests\.\*\* (.*)$`)
	testName = regexp.MustCompile("`(Test[A-Za-z0-9_]+)`")
)

// faults says what a statement lacks, given the tests that there are.
func (s statement) faults(tests map[string]bool) (faults []string) {
	if !saysWhat.MatchString(s.text) {
		faults = append(faults, "no **Statement.**")
	}
	if !saysWhy.MatchString(s.text) {
		faults = append(faults, "no **Proof.** or **Source.**")
	}
	names := 0
	for _, line := range testLine.FindAllStringSubmatch(s.text, -1) {
		for _, name := range testName.FindAllStringSubmatch(line[1], -1) {
			names++
			if !tests[name[1]] {
				faults = append(faults, "no _test.go has "+name[1])
			}
		}
	}
	if names == 0 {
		faults = append(faults, "no **Tests.** with the name of a test")
	}
	return faults
}

// theory is all pages, by name without .md.
type theory map[string]page

func readTheory(t *testing.T) theory {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(theoryDir), "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	all := theory{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(f), ".md")
		if all[name], err = parsePage(string(text)); err != nil {
			t.Errorf("%s: %v", f, err)
		}
	}
	return all
}

var (
	byPath = regexp.MustCompile(`docs/theory/([A-Za-z]+)\.md#([a-z0-9-]+)`)
	// In words: a clause up to a semicolon, of which the parts are resolved.
	inWords = regexp.MustCompile(`(stability calculus|preprocessing|tables of people)((?: ?[,:] ?| )(?:§|Lemma |Theorem |[^";\\\n]*\()[^";\\\n]*)`)
	part    = regexp.MustCompile(`§ ?([0-9]+(?:\.[0-9]+)?)(?:, ([^();"]+))?|(Lemma|Theorem) ([0-9A-Z]+(?:\.[0-9]+)?)`)
)

// paths returns the statements that a text cites by path, as page#anchor, and what is wrong with them.
func (th theory) paths(text string) (cited, faults []string) {
	for _, m := range byPath.FindAllStringSubmatch(text, -1) {
		if !th[m[1]].citable[m[2]] {
			faults = append(faults, fmt.Sprintf("%s: there is no such statement", m[0]))
			continue
		}
		cited = append(cited, m[1]+"#"+m[2])
	}
	return cited, faults
}

// words does the same for citations in words.
func (th theory) words(text string) (cited, faults []string) {
	for _, m := range inWords.FindAllStringSubmatch(text, -1) {
		name := map[string]string{"stability calculus": "calculus", "preprocessing": "preprocessing", "tables of people": "tables"}[m[1]]
		parts := part.FindAllStringSubmatch(m[2], -1)
		if len(parts) == 0 && m[1] == "preprocessing" {
			continue // the word itself
		}
		if len(parts) == 0 {
			faults = append(faults, fmt.Sprintf("%q: names no section and no lemma", m[0]))
		}
		for _, p := range parts {
			if found := th[name].find(p); found != "" {
				cited = append(cited, name+"#"+found)
			} else {
				faults = append(faults, fmt.Sprintf("%q: %q is not in %s.md", m[0], p[0], name))
			}
		}
	}
	return cited, faults
}

// find is the anchor of a part of a citation in words: a lemma, a section, or the statement of a section that begins with a word.
func (p page) find(part []string) string {
	if part[3] != "" {
		for anchor, heading := range p.anchors {
			if strings.HasPrefix(heading, part[3]+" "+part[4]+":") {
				return anchor
			}
		}
		return ""
	}
	if what := strings.TrimSpace(part[2]); what != "" {
		for _, s := range p.statements {
			if heading := strings.ToLower(p.anchors[s.anchor]); s.section == part[1] && (strings.HasPrefix(heading, strings.ToLower(what)) ||
				strings.HasPrefix(strings.ToLower(what), heading+",") || strings.HasPrefix(heading, strings.ToLower(what)+":")) {
				return s.anchor
			}
		}
		return ""
	}
	for anchor, heading := range p.anchors {
		if n := sectionLine.FindStringSubmatch(heading + " "); n != nil && n[1] == part[1] {
			return anchor
		}
	}
	return ""
}
