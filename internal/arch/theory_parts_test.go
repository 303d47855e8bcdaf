package arch

import (
	"slices"
	"strings"
	"testing"
)

const samplePage = `# Sample
## 3. Steps
### Mean imputation
#### A remark
**Statement.** It moves.

**Proof.** It is a mean. ∎

**Tests.** ` + "`TestOne`, `TestTwo`" + `.
### Quantile bins
**Statement.** Nothing else.
## 5.2 Tests
### Lemma 7: propose-test-release
**Statement.** It passes.

**Source.** Somebody 2009.

**Tests.** None.
`

func sampleTheory(t *testing.T) theory {
	t.Helper()
	p, err := parsePage(samplePage)
	if err != nil {
		t.Fatal(err)
	}
	return theory{"calculus": p, "preprocessing": p}
}

func TestStatementFaults(t *testing.T) {
	p := sampleTheory(t)["calculus"]
	for i, want := range []string{
		"no _test.go has TestTwo",
		"no **Proof.** or **Source.**; no **Tests.** with the name of a test",
		"no **Tests.** with the name of a test",
	} {
		if got := strings.Join(p.statements[i].faults(map[string]bool{"TestOne": true}), "; "); got != want {
			t.Errorf("%s: got %q, want %q", p.statements[i].anchor, got, want)
		}
	}
	if _, err := parsePage("### Sums\n### Sums\n"); err == nil {
		t.Error("one anchor twice is accepted")
	}
}

func TestCitationsAreFound(t *testing.T) {
	th := sampleTheory(t)
	for _, c := range []struct {
		name, text string
		cited      []string
		faults     int
	}{
		{"path", "see docs/theory/calculus.md#mean-imputation)", []string{"calculus#mean-imputation"}, 0},
		{"no such anchor", "docs/theory/calculus.md#median", nil, 1},
		{"no statement", "docs/theory/calculus.md#a-remark", nil, 1},
		{"no such file", "docs/theory/tables.md#sums", nil, 1},
		{"lemma", "stability calculus, Lemma 7; Author 2024, Prop. 5", []string{"calculus#lemma-7-propose-test-release"}, 0},
		{"no such lemma", "stability calculus, Lemma 71", nil, 1},
		{"section", "stability calculus §5.2; other", []string{"calculus#52-tests"}, 0},
		{"no such section", "stability calculus §9", nil, 1},
		{"statement of a section", "stability calculus §3, quantile bins, with ties shared", []string{"calculus#quantile-bins"}, 0},
		{"statement of another section", "stability calculus §5.2, quantile bins", nil, 1},
		{"no such statement", "stability calculus §3, medians", nil, 1},
		{"in brackets", "stability calculus: means (Lemma 7, Lemma 8)", []string{"calculus#lemma-7-propose-test-release"}, 1},
		{"names nothing", "stability calculus (as above)", nil, 1},
		{"the other page", "Prop. 3, corrected (preprocessing §3, mean imputation)", []string{"preprocessing#mean-imputation"}, 0},
		{"the word", "preprocessing steps (scaling) and their prices", nil, 0},
	} {
		byPath, wrong := th.paths(c.text)
		inWords, more := th.words(c.text)
		if got := append(byPath, inWords...); !slices.Equal(got, c.cited) || len(wrong)+len(more) != c.faults {
			t.Errorf("%s: found %q and %q, want %q and %d faults", c.name, got, append(wrong, more...), c.cited, c.faults)
		}
	}
}

func TestCommentFaults(t *testing.T) {
	for comment, want := range map[string]int{
		"as by the stability calculus, §3":                        2,
		"as by the stability\ncalculus, Lemma 4":                  2,
		"preprocessing Theorem 1.1 has it":                        2,
		"preprocessing theory, Section 5.3":                       2,
		"by Lemma 3 it moves":                                     1,
		"by Theorem 2 of Author 2024":                             0,
		"by docs/theory/calculus.md#lemma-3-l-statistics":         0,
		"Theorem 1.1 (docs/theory/preprocessing.md#theorem-11-a)": 0,
		"see docs/theory/calculus.md, Theorem 1":                  1,
		"a section of rows, and what is preprocessing":            0,
	} {
		if got := commentFaults(comment, false); len(got) != want {
			t.Errorf("%q: got %q, want %d faults", comment, got, want)
		}
	}
}
