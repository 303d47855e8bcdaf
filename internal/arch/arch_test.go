package arch

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/dpkit-go/dpnb/"

// rules is the import table: a package under the prefix on the left may import, of this module,
// only packages under the prefixes on the right (and packages under its own prefix). The longest
// prefix on the left wins. A prefix that ends with $ is one package, without those below it. Tests obey it too, but that each may import
// internal/single.
var rules = map[string][]string{
	"internal/noise":      {"internal/quad"},
	"internal/linalg":     {"internal/golden", "internal/cpu"},
	"internal/quad":       {"internal/cpu"},
	"internal/cpu":        {},
	"internal/fourier":    {},
	"internal/sentinel":   {},
	"internal/memo":       {},
	"internal/funcsource": {},
	"internal/golden":     {},                   // tests alone import it
	"internal/hostile":    {"frames$"},          // the same
	"internal/single":     {},                   // any test imports it
	"internal/pgtest":     {},                   // tests of modules beside this one alone import it
	"internal/arch":       {"internal/hostile"}, // tests
	"internal/gonb":       {},
	"internal/rowcache":   {},
	"internal/tag":        {"accountant"},
	"internal/fresh":      {},
	"internal/refusals":   {}, // tests alone import it, and its command
	"internal/flock":      {},
	"accountant":          {"internal/quad", "internal/memo", "internal/golden", "internal/sentinel"},
	"accountant/ledger":   {"accountant", "internal/quad", "internal/golden", "internal/flock", "internal/refusals"},
	"accountant/pair":     {"accountant", "internal/quad"},
	"accountant/pld":      {"internal/quad", "internal/fourier", "internal/sentinel"},
	"accountant/pdp":      {"accountant", "internal/quad", "internal/linalg", "internal/golden", "internal/sentinel"},
	"internal/remote":     {"frames$"},                                                                    // between dpkit and beam
	"frames":              {"internal/linalg", "internal/rowcache", "internal/fresh", "internal/hostile"}, // hostile: tests
	"dpkit$":              {"accountant", "frames", "internal", "dpkit/baseline", "dpkit/stage$", "dpkit/cost$", "dpkit/sketch$", "dpkit/coefficient", "dpkit/internal"},
	"dpkit/baseline":      {"dpkit/internal/mechanisms", "dpkit$", "frames"}, // dpkit: its example
	"dpkit/federated":     {"accountant", "frames", "internal/sentinel", "dpkit$", "dpkit/internal/models", "dpkit/internal/mechanisms/local"},
	"dpkit/local":         {"accountant", "frames", "internal", "dpkit$"},
	// The engine of attacks knows no step: dpkit and stagetest give it theirs.
	"viz":                {"accountant", "frames", "dpkit", "internal/gonb", "internal/tag"},
	"viz/internal/theme": {"internal/tag"},
	"notebooks/cmd":      {"notebooks", "viz", "internal/rowcache"},
	"notebooks$":         {"notebooks", "viz"},
	"notebooks/studies":  {"accountant", "frames", "dpkit", "viz", "internal"},
	"bench":              {"accountant$", "frames$", "dpkit$"},
	"examples":           {"accountant", "frames", "dpkit", "viz"},
	"tutorials":          {"accountant", "frames", "dpkit", "viz", "notebooks", "internal"},

	// The rooms behind dpkit, from the lowest. Steps and mechanisms do not know each other, and neither knows the face: only
	// the face makes chains of them. Mechanisms of one room may rest on those of another.
	"dpkit/internal/kind":      {"internal/sentinel"},
	"dpkit/internal/num":       {"frames$", "internal/linalg", "dpkit/internal/kind"},
	"dpkit/internal/progress":  {},
	"dpkit/internal/function":  {"dpkit/internal/kind", "internal/funcsource"},
	"dpkit/internal/budget":    {"accountant$", "dpkit/internal/kind"},
	"dpkit/stage$":             {"accountant$", "accountant/pair", "frames$", "dpkit/internal/kind", "dpkit/internal/num", "dpkit/internal/function", "dpkit/internal/budget", "dpkit$"}, // its example alone imports the face, which imports it
	"dpkit/cost$":              {"accountant$", "accountant/pair", "frames$", "dpkit/stage$", "dpkit/internal/origin", "dpkit$"},                                                         // frames and dpkit: its example
	"dpkit/sketch$":            {"accountant$", "frames$", "internal/linalg", "dpkit/stage$", "dpkit/internal/kind", "dpkit/internal/models", "dpkit/internal/origin", "dpkit$"},         // frames and dpkit: its example
	"dpkit/internal/domain":    {"accountant$", "accountant/pair", "frames$", "dpkit/stage$", "dpkit/internal/kind"},
	"dpkit/internal/rows":      {"accountant$", "accountant/pair", "accountant/pdp", "frames$", "internal", "dpkit/stage$", "dpkit/internal/domain", "dpkit/internal/num"},
	"dpkit/internal/query":     {"accountant$", "accountant/pair", "frames$", "internal/noise", "internal/quad", "dpkit/stage$", "dpkit/cost$", "dpkit/internal/domain", "dpkit/internal/kind", "dpkit/internal/num"},
	"dpkit/internal/steps":     append([]string{"internal/linalg"}, belowSteps...),
	"dpkit/internal/origin":    {"accountant$"},
	"dpkit/coefficient":        {"internal/quad"},
	"dpkit/internal/models":    {"accountant$", "accountant/pdp", "frames$", "internal/quad", "dpkit/coefficient", "dpkit/stage$", "dpkit/internal/domain", "dpkit/internal/kind", "dpkit/internal/origin", "dpkit/internal/rows", "dpkit/internal/num"},
	"dpkit/internal/mechanism": append([]string{"internal/noise"}, belowSteps...),

	"dpkit/internal/population": {"internal/quad", "internal/memo", "dpkit/internal/mechanism$"},

	"dpkit/internal/mechanisms/sums":        belowMechanisms,
	"dpkit/internal/mechanisms/choice":      belowMechanisms,
	"dpkit/internal/mechanisms/correlation": append([]string{"dpkit/internal/mechanisms/sums", "dpkit/internal/mechanisms/tables"}, belowMechanisms...),
	"dpkit/internal/mechanisms/scores":      append([]string{"dpkit/internal/mechanisms/sums"}, belowMechanisms...),
	"dpkit/internal/mechanisms/tables":      append([]string{"dpkit/internal/mechanisms/sums"}, belowMechanisms...),
	"dpkit/internal/mechanisms/linear":      append([]string{"dpkit/internal/mechanisms/sums", "dpkit/sketch$"}, belowMechanisms...),
	"dpkit/internal/mechanisms/glm":         append([]string{"dpkit/internal/mechanisms/linear"}, belowMechanisms...),
	"dpkit/internal/mechanisms/gradient":    append([]string{"dpkit/internal/mechanisms/sums", "dpkit/internal/mechanisms/glm"}, belowMechanisms...),
	"dpkit/internal/mechanisms/unbounded":   belowMechanisms,
	"dpkit/internal/mechanisms/reports":     append([]string{"dpkit/internal/mechanisms/glm"}, belowMechanisms...),
	"dpkit/internal/mechanisms/local":       append([]string{"dpkit/internal/mechanisms/sums", "dpkit/internal/mechanisms/linear"}, belowMechanisms...),

	"dpkit/internal/attack": {"accountant", "frames"},
	"dpkit/stage/stagetest": {"accountant", "frames", "dpkit$", "dpkit/stage$", "dpkit/internal/attack"},

	// The rooms of notebooks/nb. Exported tests carry celltest along, and kernels the programs cellgo and gate.
	"notebooks/cell":        {},
	"notebooks/nb$":         {},
	"notebooks/nb/sanitize": {},
	"notebooks/nb/mathml":   {"notebooks/nb/sanitize$"},
	"notebooks/nb/page":     {"notebooks/nb$", "notebooks/nb/sanitize", "notebooks/nb/mathml"},
	"notebooks/nb/kernel":   {"notebooks/nb$", "notebooks/nb/bundle", "notebooks/nb/prebuilt"},
	"notebooks/nb/bundle":   {},
	"notebooks/nb/celltest": {},
	"notebooks/nb/export":   {"notebooks/nb$", "notebooks/nb/kernel", "notebooks/nb/celltest", "notebooks/nb/gomod"},
	"notebooks/nb/cellgo":   {"notebooks/nb/gomod", "notebooks/nb/prebuilt"},
	"notebooks/nb/gate":     {},
	"notebooks/nb/gomod":    {}, // carried with cellgo
	"notebooks/nb/prebuilt": {}, // so is this
}

// belowSteps are the packages that steps rest on, and belowMechanisms those of mechanisms.
var (
	belowSteps      = []string{"accountant$", "accountant/pair", "frames$", "dpkit/stage$", "dpkit/internal/domain", "dpkit/internal/function", "dpkit/internal/kind", "dpkit/internal/num", "dpkit/internal/progress", "dpkit/internal/query", "dpkit/internal/rows"}
	belowMechanisms = append([]string{"accountant$", "accountant/pdp", "accountant/pld", "internal", "dpkit/cost$", "dpkit/coefficient", "dpkit/internal/mechanism$", "dpkit/internal/models", "dpkit/internal/origin", "dpkit/internal/population"}, belowSteps...)
)

// notOurs are folders that walks of the repository leave out: hidden ones, data of tests, and what the browser's test installs while others run.
func notOurs(folder string) bool {
	return folder[0] == '.' || folder == "testdata" || folder == "node_modules"
}

func TestImports(t *testing.T) {
	root := filepath.Join("..", "..")
	files, packages, obeyed := 0, map[string]bool{}, map[string]bool{}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if e.IsDir() {
			if rel != "." && notOurs(e.Name()) {
				return filepath.SkipDir
			}
			if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil && rel != "." {
				return filepath.SkipDir // a nested module has rules of its own
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		files++
		pkg := filepath.ToSlash(filepath.Dir(rel))
		packages[pkg] = true
		from, allowed := ruleFor(pkg)
		obeyed[from] = true
		if from == "" {
			t.Errorf("%s: package %s has no rule; add it to the table", rel, pkg)
			return nil
		}
		imports, err := importsOf(path)
		if err != nil {
			return err
		}
		for _, to := range imports {
			if to, ours := strings.CutPrefix(to, module); ours && to != "internal/single" && !under(to, from) && !slices.ContainsFunc(allowed, func(p string) bool { return under(to, p) }) {
				t.Errorf("%s imports %s: packages under %s may import only %v", rel, to, from, allowed)
			} else if ours && !strings.HasSuffix(rel, "_test.go") && (to == "internal/golden" || to == "internal/single" || to == "dpkit/baseline" && !under(pkg, "notebooks/studies")) {
				t.Errorf("%s imports %s, which is for tests alone, and baselines for studies", rel, to)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files == 0 {
		t.Fatal("walked no Go files")
	}
	for _, want := range []string{"accountant", "accountant/ledger", "accountant/pair", "dpkit", "frames", "internal/noise", "notebooks/nb", "viz"} {
		if !packages[want] {
			t.Errorf("walked no file of package %s", want)
		}
	}
	for from, allowed := range rules {
		if !obeyed[from] {
			t.Errorf("the rule of %s is no package's: remove it", from)
		}
		for _, prefix := range allowed {
			if !slices.ContainsFunc(slices.Collect(maps.Keys(packages)), func(pkg string) bool { return under(pkg, prefix) }) {
				t.Errorf("the rule of %s allows %s, where no package is: remove it", from, prefix)
			}
		}
	}
}

func ruleFor(pkg string) (string, []string) {
	best := ""
	for from := range rules {
		if under(pkg, from) && len(from) > len(best) {
			best = from
		}
	}
	return best, rules[best]
}

func under(pkg, prefix string) bool {
	if one, ok := strings.CutSuffix(prefix, "$"); ok {
		return pkg == one
	}
	return pkg == prefix || strings.HasPrefix(pkg, prefix+"/")
}

func TestUnder(t *testing.T) {
	for _, c := range []struct {
		pkg, prefix string
		want        bool
	}{
		{"dpkit", "dpkit", true},
		{"dpkit/sub", "dpkit", true},
		{"dpkitx", "dpkit", false},
		{"frames", "dpkit", false},
		{"dpkit", "dpkit$", true},
		{"dpkit/sub", "dpkit$", false},
	} {
		if got := under(c.pkg, c.prefix); got != c.want {
			t.Errorf("under(%q, %q) = %v", c.pkg, c.prefix, got)
		}
	}
}

// importsOf are the paths that a file imports.
func importsOf(file string) (paths []string, err error) {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	for _, imp := range f.Imports {
		path, err := strconv.Unquote(imp.Path.Value)
		if err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}
