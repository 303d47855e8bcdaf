package arch

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// raceSkips are the variables of .ci/run that list the tests which the race detector leaves out.
var raceSkips = []string{"searches", "laws", "sizes", "exports", "processes", "again"}

// alonePicks are the packages of which the race detector runs only the tests that the variable shared of .ci/run lists.
var alonePicks = []string{"dpkit", "viz"}

// startsGoroutines matches the code of a test that starts goroutines itself, or says how many processors those of others have.
var startsGoroutines = regexp.MustCompile(`(?m)^\s*(defer )?go (func|\w+[.(])|\.Go\(|sync\.WaitGroup|GOMAXPROCS\(`)

// asksToRunBeside matches the code of a test that runs beside others.
var asksToRunBeside = regexp.MustCompile(`\.Parallel\(\)`)

// TestRaceDetectorSeesGoroutines: each alternative by which .ci/run leaves out or picks tests under the race detector matches a test, so that one
// that gets another name is missed, the packages that it leaves out have tests, and no test that starts goroutines itself is left out.
func TestRaceDetectorSeesGoroutines(t *testing.T) {
	root := filepath.Join("..", "..")
	script := readAll(t, filepath.Join(root, ".ci", "run"))
	tests := testsOfTheCore(t, root)
	if len(tests) < 1000 {
		t.Fatalf("%d tests", len(tests))
	}
	var skips []*regexp.Regexp
	for _, name := range raceSkips {
		for _, alternative := range alternatives(t, script, name) {
			pattern := regexp.MustCompile(alternative)
			skips = append(skips, pattern)
			if !slices.ContainsFunc(tests, func(f test) bool { return pattern.MatchString(f.name) }) {
				t.Errorf(".ci/run: %s: %s matches no test", name, alternative)
			}
		}
	}
	var picks []*regexp.Regexp
	for _, alternative := range alternatives(t, script, "shared") {
		pattern := regexp.MustCompile(alternative)
		picks = append(picks, pattern)
		if !slices.ContainsFunc(tests, func(f test) bool { return slices.Contains(alonePicks, f.folder) && pattern.MatchString(f.name) }) {
			t.Errorf(".ci/run: shared: %s matches no test of %v", alternative, alonePicks)
		}
	}
	still := alternatives(t, script, "still")
	alone := append(alternatives(t, script, "alone"), still...)
	for _, folder := range alone {
		if !slices.ContainsFunc(tests, func(f test) bool { return f.folder == folder }) {
			t.Errorf(".ci/run: alone, still: %s has no test", folder)
		}
	}
	start, runs := 0, map[string]bool{}
	for _, f := range tests {
		matches := func(p *regexp.Regexp) bool { return p.MatchString(f.name) }
		picked := slices.Contains(alonePicks, f.folder) && slices.ContainsFunc(picks, matches)
		out := slices.Contains(alone, f.folder) && !picked || slices.ContainsFunc(skips, matches)
		runs[f.name] = runs[f.name] || !out
		if f.beside && slices.Contains(still, f.folder) {
			t.Errorf("%s: a file with %s starts goroutines, and .ci/run says that nothing there does", f.folder, f.name)
		}
		if f.starts {
			start++
			if out {
				t.Errorf("%s: %s starts goroutines, and .ci/run leaves it out under the race detector", f.folder, f.name)
			}
		}
	}
	if start < 20 {
		t.Errorf("%d tests start goroutines", start)
	}
	instead := regexp.MustCompile(`\((Test\w+)\)`).FindAllStringSubmatch(script, -1)
	if len(instead) == 0 {
		t.Error(".ci/run names no test that runs instead of others")
	}
	for _, m := range instead {
		if !runs[m[1]] {
			t.Errorf(".ci/run: %s is to run under the race detector instead of others, and does not", m[1])
		}
	}
}

// alternatives returns what the value of a variable of a script lists: it has no groups.
func alternatives(t *testing.T, script, name string) []string {
	t.Helper()
	value := regexp.MustCompile(`(?m)^` + name + `='([^'()]+)'$`).FindStringSubmatch(script)
	if value == nil {
		t.Fatalf(".ci/run has no line %s='…' without groups", name)
	}
	return strings.Split(value[1], "|")
}

// A test is a test, an example or a fuzz target of a package.
type test struct {
	folder, name string
	starts       bool // goroutines, itself
	beside       bool // something in its file does, or asks to run beside other tests
}

// testsOfTheCore returns the tests outside nested modules.
func testsOfTheCore(t *testing.T, root string) (tests []test) {
	t.Helper()
	function := regexp.MustCompile(`(?ms)^func ((?:Test|Example|Fuzz)\w*)\(.*?^}$`)
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			_, err := os.Stat(filepath.Join(path, "go.mod"))
			if path != root && (err == nil || notOurs(e.Name())) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		code := readAll(t, path)
		beside := startsGoroutines.MatchString(code) || asksToRunBeside.MatchString(code)
		for _, m := range function.FindAllStringSubmatch(code, -1) {
			tests = append(tests, test{filepath.ToSlash(folder), m[1], startsGoroutines.MatchString(m[0]), beside})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return tests
}
