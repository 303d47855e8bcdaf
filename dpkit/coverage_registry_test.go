package dpkit

import (
	"fmt"
	"os"
	"testing"
)

// realRows says that the registry of coverage is tried on real files.
func realRows() bool { return os.Getenv("DPNB_DATA") != "" }

// TestCoverage: of every kind of release that prints an interval or a margin, on every table and after every step that changes what is
// counted, how often it holds the number that its words name. A sample in CI; with DPNB_NIGHTLY all of it.
func TestCoverage(t *testing.T) {
	releases := 400
	if nightly() {
		releases = 4000
	}
	for _, of := range coverTables(t) {
		d := must(Demo(of.f, 17, ReplaceOne)).Data()
		for _, step := range coverSteps() {
			if step.people != nil && *step.people != of.people {
				continue
			}
			for _, k := range coverKinds() {
				if step.bound && !k.rows {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/%s", of.name, step.name, k.name), func(t *testing.T) {
					defer func() {
						if r := recover(); r != nil {
							t.Errorf("panic: %v", r)
						}
					}()
					for _, c := range tallied(k.run(t, step.do(d, of), of, releases), releases) {
						if c.held < c.least() {
							t.Errorf("%v: want at least %d", c, c.least())
						}
						if k.wide == "" && c.wide() {
							t.Errorf("%v: want at most 1.1 times the noise, or the reason", c)
						}
					}
				})
			}
		}
	}
}
