package dpkit

import (
	"fmt"
	"os"
	"slices"
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
			out = append(out, coverRow{of, coverStep{name: "its own chain", words: k.words}, k})
		}
	}
	return out
}

// TestCoverage: of every kind of release that prints an interval or a margin, on every table and after every step that changes what is
// counted, how often it holds the number that its words name. A sample in CI; with DPNB_NIGHTLY all of it.
func TestCoverage(t *testing.T) {
	releases := 400
	if nightly() {
		releases = 4000
	}
	for _, r := range coverRegistry(coverTables(t)) {
		t.Run(r.name(), func(t *testing.T) {
			defer func() {
				if r := recover(); r != nil {
					t.Errorf("panic: %v", r)
				}
			}()
			d := must(Demo(r.of.f, 17, ReplaceOne)).Data()
			if r.step.do != nil {
				d = r.step.do(d, r.of)
			}
			for _, c := range tallied(r.kind.run(t, d, r.of, releases)) {
				if c.held < c.least() {
					t.Errorf("%v: want at least %d", c, c.least())
				}
				if r.kind.wide == "" && c.wide() {
					t.Errorf("%v: want at most 1.1 times the noise, or the reason", c)
				}
			}
		})
	}
}
