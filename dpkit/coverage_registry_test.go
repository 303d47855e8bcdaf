package dpkit

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// realRows says that the registry of coverage is tried on real files.
func realRows() bool { return os.Getenv("DPNB_DATA") != "" }

// coverRow is a row of the registry: a kind of release on a table, after steps that change what is counted.
type coverRow struct {
	of   coverTable
	step coverStep
	kind coverKind
}

func (r coverRow) name() string { return fmt.Sprintf("%s/%s/%s", r.kind.name, r.step.name, r.of.name) }

// coverRegistry are all rows: every kind of release that prints an interval or a margin, after every step for which it is.
func coverRegistry(tables []coverTable) (out []coverRow) {
	for _, of := range tables {
		for _, step := range coverSteps() {
			if *step.people != of.people {
				continue
			}
			for _, k := range coverKinds() {
				if (!step.bound || k.rows) && (step.only == nil || slices.Contains(step.only, k.name)) {
					out = append(out, coverRow{of, step, k})
				}
			}
		}
		for _, k := range ownKinds() {
			out = append(out, coverRow{of, coverStep{name: "its own chain", words: "the rows of its chain"}, k})
		}
	}
	return out
}

// notHere are the kinds of release that have no row above: what they print, or which test counts it.
var notHere = map[string]string{
	"gaussmix":           "no interval: a sketch is post-processed by its reader",
	"moments/second":     "no interval: an expected relative error, of Gaussian rows",
	"moments/covariance": "no interval: an expected relative error, of Gaussian rows",
	"fit/unbounded":      ofCoefficients + "; an expected relative error, of Gaussian rows",
	"train/local":        ofCoefficients,
}

const ofCoefficients = "intervals of coefficients, or why there are none: `TestEveryModelSaysItsUncertainty`"

func withoutInterval(kind string) (string, bool) {
	if strings.HasPrefix(kind, "fit/") && notHere[kind] == "" {
		return ofCoefficients, true
	}
	reason, ok := notHere[kind]
	return reason, ok
}

// intervalMethods are those by which values tell intervals or margins.
var intervalMethods = []string{"Interval", "Margin", "RankMargin", "Measure", "Column", "Correlation"}

// TestEveryKindIsCovered: a kind of release stands in the registry of coverage, or in notHere with a reason: then its value has no method
// that tells an interval. Kinds and steps of the registry that are not there, or that nothing is tried of, fail too.
func TestEveryKindIsCovered(t *testing.T) {
	there := map[string]bool{}
	for _, k := range slices.Concat(coverKinds(), ownKinds()) {
		if k.words == "" {
			t.Errorf("%s: no words", k.name)
		}
		for _, kind := range k.kinds {
			there[kind] = true
		}
	}
	found := map[string]bool{}
	everyMechanism(t, func(t *testing.T, e mechanismEntry, d Pipeline, m knownMechanism) {
		found[e.kind] = true
		reason, without := withoutInterval(e.kind)
		if there[e.kind] == without {
			t.Fatalf("in the registry: %v, without an interval: %v (%s), want one of both", there[e.kind], without, reason)
		}
		release, ok := reflect.TypeOf(m.of).MethodByName("Exact")
		if !without || !ok {
			return
		}
		value := release.Type.Out(0)
		for _, name := range intervalMethods {
			if _, has := value.MethodByName(name); has {
				t.Errorf("%v tells an interval by %s: try it in the registry of coverage", value, name)
			}
		}
	})
	for kind := range there {
		if !found[kind] {
			t.Errorf("%q: no such kind of release", kind)
		}
	}
	for kind := range notHere {
		if !found[kind] {
			t.Errorf("%q: no such kind of release", kind)
		}
	}
}

// TestCoverage: of every kind of release that prints an interval or a margin, on every table and after every step that changes what is
// counted, how often it holds the number that its words name. In CI a sample: each kind after each step on one table, in turn, by 400
// demonstrations. With DPNB_NIGHTLY all of it, by 4 000, on all patients; DPNB_WRITE_COVERAGE=file then writes docs/coverage.md.
//
// At level 0.95 at least 0.929 of 4 000 hold, or 0.885 of 400: fewer come by chance once in 3e8 numbers, or in 1e7. Seeds are fixed.
func TestCoverage(t *testing.T) {
	t.Parallel()
	releases := 400
	if nightly() {
		releases = 4000
	}
	if n, err := strconv.Atoi(os.Getenv("DPNB_RELEASES")); err == nil {
		releases = n
	}
	tables := coverTables(t)
	results := map[string][]covered{}
	for at, r := range coverRegistry(tables) {
		if !nightly() && os.Getenv("DPNB_WRITE_COVERAGE") == "" && !r.kind.own && !inSample(at) {
			continue
		}
		t.Run(r.name(), func(t *testing.T) {
			defer func() {
				if r := recover(); r != nil {
					t.Errorf("%v", r)
				}
			}()
			d := must(Demo(r.of.f, 17, ReplaceOne)).Data()
			if r.step.do != nil {
				d = r.step.do(d, r.of)
			}
			all := tallied(r.kind.run(t, d, r.of, releases))
			results[r.line()] = append(results[r.line()], all...)
			for _, c := range all {
				if c.held < c.least() {
					t.Errorf("%v: want at least %d", c, c.least())
				}
				if r.kind.wide == "" && c.wide() {
					t.Errorf("%v: want at most 1.1 times the noise, or the reason", c)
				}
			}
		})
	}
	if file := os.Getenv("DPNB_WRITE_COVERAGE"); file != "" {
		var names []string
		for _, of := range tables {
			names = append(names, of.name)
		}
		must(0, os.WriteFile(file, []byte(coverageTable(releases, strings.Join(names, ", "), results)), 0o644))
	}
}

// inSample says which rows CI tries: about a third, all kinds and all steps among them.
func inSample(at int) bool { return (at+at/12)%3 == 0 }

// TestCoverageSample: every kind and every step is tried in CI.
func TestCoverageSample(t *testing.T) {
	want, got := map[string]bool{}, map[string]bool{}
	for at, r := range coverRegistry([]coverTable{{people: true}, {}}) {
		for _, name := range []string{"kind " + r.kind.name, "step " + r.step.name} {
			want[name] = true
			got[name] = got[name] || r.kind.own || inSample(at)
		}
	}
	for name := range want {
		if !got[name] {
			t.Errorf("no row of %s is in the sample", name)
		}
	}
}

// line is the row of the table in docs, of all tables together.
func (r coverRow) line() string {
	return fmt.Sprintf("| %s | %s | %s, of %s |", r.kind.name, cmp.Or(r.step.name, "(none)"), r.kind.words, r.step.words)
}

// coverageLines are the lines that the table in docs has, in order.
func coverageLines() (out []string) {
	for _, people := range []bool{false, true} {
		for _, r := range coverRegistry([]coverTable{{people: people}}) {
			if line := r.line(); !slices.Contains(out, line) {
				out = append(out, line)
			}
		}
	}
	slices.Sort(out)
	return out
}

const coverageHead = "# Coverage\n\n" +
	"How often what a release prints holds the number that its words name. Each line is a kind of release after a step, on all tables that it\n" +
	"is for; the full run is on Adult, credit, bike, and 40 000 invented visits of 6 000 patients. Level 0.95. *Least held* is the share of the number that held\n" +
	"least often: want 0.929 at least of 4 000 demonstrations, and 0.885 of 400. *Width* is the median width over that of the noise, of the\n" +
	"number where it is largest: at most 1.1, or the reason stands beside it. The noise is known to about 1/√demonstrations of itself.\n" +
	"`TestCoverage` tries a sample of it in CI; with `DPNB_NIGHTLY=1 DPNB_DATA=…` all of it, by 4 000 demonstrations or `DPNB_RELEASES`, and\n" +
	"`DPNB_WRITE_COVERAGE=…/docs/coverage.md` writes this page.\n\n"

const coverageColumns = "" +
	"| release | after | the number | numbers | least held | width | reason |\n|---|---|---|---|---|---|---|\n"

// coverageTable is docs/coverage.md.
func coverageTable(releases int, tables string, results map[string][]covered) string {
	var b strings.Builder
	b.WriteString(coverageHead)
	fmt.Fprintf(&b, "Demonstrations: %d (fewer of what reads the rows anew in each). Tables: %s.\n\n%s", releases, tables, coverageColumns)
	wide := map[string]string{}
	for _, k := range slices.Concat(coverKinds(), ownKinds()) {
		wide[k.name] = k.wide
	}
	for _, line := range coverageLines() {
		held, width := 1.0, 0.0
		for _, c := range results[line] {
			held = min(held, float64(c.held)/float64(c.total))
			if c.noise > 0 {
				width = max(width, c.width/c.noise)
			}
		}
		name := strings.Split(line, " | ")[0][len("| "):]
		shown := fmt.Sprintf("%.2f", math.Ceil(width*100)/100)
		if width == 0 {
			shown = "–"
		}
		fmt.Fprintf(&b, "%s %d | %.3f | %s | %s |\n", line, len(results[line]), math.Floor(held*1000)/1000, shown, wide[name])
	}
	b.WriteString("\n## Counted elsewhere, or without an interval\n\n| release | what is printed |\n|---|---|\n")
	for _, e := range mechanismEntries() {
		if reason, without := withoutInterval(e.kind); without {
			fmt.Fprintf(&b, "| %s | %s |\n", e.kind, reason)
		}
	}
	return b.String()
}

// TestCoverageIsDocumented: docs/coverage.md has every line of the registry, and no other, and no line that held too seldom.
func TestCoverageIsDocumented(t *testing.T) {
	text := string(must(os.ReadFile("../docs/coverage.md")))
	if !strings.HasPrefix(text, coverageHead) {
		t.Error("another head: write it anew, as TestCoverage says")
	}
	releases := 0
	if _, err := fmt.Sscanf(strings.TrimPrefix(text, coverageHead), "Demonstrations: %d", &releases); err != nil || releases < 400 {
		t.Errorf("of %d demonstrations, want 400 at least", releases)
	}
	_, tables, _ := strings.Cut(text, "Tables: ")
	tables, _, _ = strings.Cut(tables, ".\n")
	var want []string
	for _, line := range strings.Split(coverageTable(releases, tables, nil), "\n") {
		want = append(want, strings.Join(strings.SplitN(line, " | ", 4)[:min(3, strings.Count(line, " | ")+1)], " | "))
	}
	got := strings.Split(text, "\n")
	if len(got) != len(want) {
		t.Fatalf("%d lines, want %d: write it anew, as TestCoverage says", len(got), len(want))
	}
	for i, line := range want {
		if !strings.HasPrefix(got[i], line) {
			t.Errorf("line %d: got %q, want %q: write it anew, as TestCoverage says", i+1, got[i], line)
		}
	}
	for _, line := range coverageLines() {
		at := slices.IndexFunc(got, func(l string) bool { return strings.HasPrefix(l, line) })
		if at < 0 {
			continue
		}
		var numbers int
		var held float64
		if _, err := fmt.Sscanf(got[at][len(line):], "%d | %f", &numbers, &held); err != nil || numbers == 0 || !(held >= map[bool]float64{true: 0.885, false: 0.929}[releases < 4000]-0.02) {
			t.Errorf("%q: want numbers, each held in 0.929 of the demonstrations", got[at])
		}
	}
}
