package dpkit

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/internal/golden"
)

// TestGolden runs golden files: numbers of a reference implementation that knows nothing of this package. What
// a file holds is told by the names of its groups, any subset of them in any order, and names of steps are
// read as calls with arguments. A group, a step, an argument or a field that no handler knows is a failure.
func TestGolden(t *testing.T) {
	t.Parallel()
	for _, path := range golden.Files(t, "calculus", "preprocessing") {
		t.Run(filepath.Base(path), func(t *testing.T) { runGoldenFile(t, golden.Read(t, path)) })
	}
}

// goldenHandlers know the tolerance of their file.
type goldenHandlers struct{ golden.Tolerance }

// goldenGroups are the handlers of the groups of both formats.
func goldenGroups() map[string]func(goldenHandlers, *testing.T, json.RawMessage) {
	return map[string]func(goldenHandlers, *testing.T, json.RawMessage){
		"steps":          goldenHandlers.steps,
		"chains":         goldenHandlers.chains,
		"worked_example": goldenHandlers.worked,
		"verification":   goldenHandlers.observed,
		// A list of functions in one format, an object of lists in the other.
		"mechanisms": func(g goldenHandlers, t *testing.T, raw json.RawMessage) {
			if raw[0] == '[' {
				g.functions(t, raw)
			} else {
				g.divergences(t, raw)
			}
		},

		"dedup":            goldenHandlers.dedup,
		"quantization":     goldenHandlers.quantization,
		"unstable_dedup":   goldenHandlers.unstable,
		"mean_imputation":  goldenHandlers.meanImputation,
		"median":           goldenHandlers.median,
		"trimmed_mean":     goldenHandlers.trimmed,
		"ridge_imputation": goldenHandlers.ridge,
		"pca":              goldenHandlers.pca,
		"standard_scaling": goldenHandlers.scaling,
		"ptr":              goldenHandlers.ptr,
		"end_to_end_violations": func(_ goldenHandlers, t *testing.T, _ json.RawMessage) {
			elsewhere(t, "end_to_end_violations")
		},
		"validation_worst_observed_over_bound": goldenHandlers.observed,
	}
}

// goldenElsewhere lists the parts of files that another package checks, by group and field, with the file that does: bounds of the
// paper and what is set beside them are no bounds of this package.
func goldenElsewhere() map[string]string {
	const printed = "notebooks/studies/preprocessing/printed/golden_test.go"
	return map[string]string{
		"end_to_end_violations":           printed,
		"mean_imputation.corrected":       printed,
		"mean_imputation.formula":         printed,
		"pca.cen":                         printed,
		"standard_scaling.ball_formula":   printed,
		"standard_scaling.corrected_ball": printed,
		"standard_scaling.table2_MG":      printed,
		"thm14_counterexample.printed":    printed,
	}
}

// elsewhere leaves a part of a file to the package that checks it, and fails where that package does not name it.
func elsewhere(t *testing.T, part string) {
	t.Helper()
	file, ok := goldenElsewhere()[part]
	if !ok {
		t.Errorf("%s: no package is named that checks it", part)
		return
	}
	golden.Names(t, file, part)
}

// TestGoldenElsewhere: what is left to another package is in a committed file, and that package names it.
func TestGoldenElsewhere(t *testing.T) {
	file := golden.Committed(t, "preprocessing")
	for part := range goldenElsewhere() {
		elsewhere(t, part)
		if group, _, _ := strings.Cut(part, "."); !bytes.Contains(file, []byte(strconv.Quote(group)+":")) {
			t.Errorf("%s: no file has the group", part)
		}
	}
}

func runGoldenFile(t *testing.T, raw []byte) {
	t.Helper()
	groups := golden.Groups(t, raw)
	g := goldenHandlers{golden.ToleranceOf(t, groups)}
	delete(groups, "meta")
	if len(groups) == 0 {
		t.Fatal("the file has no group")
	}
	handlers := goldenGroups()
	for name, group := range groups {
		handler, ok := handlers[name]
		if !ok {
			t.Errorf("no handler for the group %q", name)
			continue
		}
		t.Run(name, func(t *testing.T) { handler(g, t, bytes.TrimSpace(group)) })
	}
}

// observed are recorded worst ratios of what was observed to its bound, at any depth: none may be above 1.
// "relerr" and "violation" mark differences that should not be above rounding.
func (g goldenHandlers) observed(t *testing.T, raw json.RawMessage) {
	var tree any
	if err := json.Unmarshal(raw, &tree); err != nil {
		t.Fatal(err)
	}
	leaves := 0
	var walk func(name string, v any)
	walk = func(name string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, x := range v {
				walk(name+"/"+k, x)
			}
		case []any:
			if strings.Contains(name, "counterexample") { // what was observed, and the published bound that it breaks
				if ok := len(v) == 2; !ok || !(v[0].(float64) > v[1].(float64)) {
					t.Errorf("%s: %v: the published bound is not broken", name, v)
				}
			}
			for i, x := range v {
				walk(name+"/"+strconv.Itoa(i), x)
			}
		case float64:
			leaves++
			// Ratios that attain their bound were computed in floating point.
			most := 1 + 1e-7
			switch {
			case strings.Contains(name, "relerr"), strings.Contains(name, "violation"):
				most = 1e-12
			case strings.HasSuffix(name, "keep-first payload)/1"):
				most = 2 // free rows behind a dedup with a payload
			case strings.Contains(name, "counterexample"):
				return // two counts, compared below
			}
			if !(v <= most) {
				t.Errorf("%s: %v, want at most %v", name, v, most)
			}
		default:
			t.Errorf("%s: got %v, want a number", name, v)
		}
	}
	walk("", tree)
	if leaves == 0 {
		t.Error("no number")
	}
}
