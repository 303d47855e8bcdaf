package dpkit

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

var goldenFile = flag.String("golden", "",
	"golden file of TestGolden, of the format of calculus.json or of preprocessing.json, absolute or relative to the root of the repository; both of testdata/golden where it is empty")

// TestGolden runs golden files: numbers of a reference implementation that knows nothing of this package. What
// a file holds is told by the names of its groups, any subset of them in any order, and names of steps are
// read as calls with arguments. A group, a step, an argument or a field that no handler knows is a failure.
func TestGolden(t *testing.T) {
	files := []string{*goldenFile}
	if *goldenFile == "" {
		files = []string{"testdata/golden/calculus.json", "testdata/golden/preprocessing.json"}
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			if !filepath.IsAbs(path) {
				path = filepath.Join("..", path)
			}
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			runGoldenFile(t, raw)
		})
	}
}

// golden is what handlers know of their file.
type golden struct {
	tol float64 // relative
}

// goldenGroups are the handlers of the groups of both formats.
func goldenGroups() map[string]func(golden, *testing.T, json.RawMessage) {
	return map[string]func(golden, *testing.T, json.RawMessage){
		"steps":          golden.steps,
		"chains":         golden.chains,
		"worked_example": golden.worked,
		"verification":   golden.observed,
		// A list of functions in one format, an object of lists in the other.
		"mechanisms": func(g golden, t *testing.T, raw json.RawMessage) {
			if raw[0] == '[' {
				g.functions(t, raw)
			} else {
				g.divergences(t, raw)
			}
		},

		"dedup":                                golden.dedup,
		"quantization":                         golden.quantization,
		"unstable_dedup":                       golden.unstable,
		"mean_imputation":                      golden.meanImputation,
		"median":                               golden.median,
		"trimmed_mean":                         golden.trimmed,
		"ridge_imputation":                     golden.ridge,
		"pca":                                  golden.pca,
		"standard_scaling":                     golden.scaling,
		"ptr":                                  golden.ptr,
		"end_to_end_violations":                golden.endToEnd,
		"validation_worst_observed_over_bound": golden.observed,
	}
}

func runGoldenFile(t *testing.T, raw []byte) {
	t.Helper()
	var groups map[string]json.RawMessage
	if err := json.Unmarshal(raw, &groups); err != nil {
		t.Fatal(err)
	}
	var meta struct {
		Tolerance float64 `json:"tolerance_rel"`
	}
	if m, ok := groups["meta"]; ok {
		if err := json.Unmarshal(m, &meta); err != nil {
			t.Fatal(err)
		}
		delete(groups, "meta")
	}
	g := golden{tol: cmp.Or(meta.Tolerance, 1e-9)}
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

// read decodes strictly: a field that a handler does not know is one that it could not heed. That fails the test; what is
// understood is checked all the same.
func read(t *testing.T, raw json.RawMessage, into any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if err == nil {
		return
	}
	t.Errorf("%.200s: %v", raw, err)
	v := reflect.ValueOf(into).Elem()
	v.SetZero()
	if err := json.Unmarshal(raw, into); err != nil {
		readEntries(t, raw, v)
	}
}

// readEntries decodes those elements of a list that can be; what is no list is not understood as a whole.
func readEntries(t *testing.T, raw json.RawMessage, list reflect.Value) {
	t.Helper()
	var entries []json.RawMessage
	if list.Kind() != reflect.Slice || json.Unmarshal(raw, &entries) != nil {
		t.FailNow()
	}
	list.SetLen(0)
	for _, entry := range entries {
		v := reflect.New(list.Type().Elem())
		if err := json.Unmarshal(entry, v.Interface()); err != nil {
			t.Errorf("%.200s: %v", entry, err)
			continue
		}
		list.Set(reflect.Append(list, v.Elem()))
	}
}

// same wants a bound of this package to be the reference's: to the file's tolerance above, and below by no more
// than the reference's own rounding.
func (g golden) same(t *testing.T, what string, got, want float64) {
	t.Helper()
	g.within(t, what, got, want, g.tol, min(g.tol, 1e-12))
}

// near wants a number that is no bound to be the reference's to the file's tolerance.
func (g golden) near(t *testing.T, what string, got, want float64) {
	t.Helper()
	g.within(t, what, got, want, g.tol, g.tol)
}

func (g golden) within(t *testing.T, what string, got, want, above, below float64) {
	t.Helper()
	if got == want {
		return
	}
	if scale := math.Abs(want); !(got <= want+above*scale) || !(got >= want-below*scale) {
		t.Errorf("%s = %.17g, want %.17g (off by %.3g)", what, got, want, got-want)
	}
}

// atMost wants a number to stay within a bound.
func (g golden) atMost(t *testing.T, what string, got, bound float64) {
	t.Helper()
	if !(got <= bound+g.tol*math.Abs(bound)) {
		t.Errorf("%s = %.17g, want at most %.17g", what, got, bound)
	}
}

// observed are recorded worst ratios of what was observed to its bound, at any depth: none may be above 1.
// "relerr" and "violation" mark differences that should not be above rounding.
func (g golden) observed(t *testing.T, raw json.RawMessage) {
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

// goldenNumber is a JSON number, or null or a string for one that JSON has not: "inf".
type goldenNumber float64

func (n *goldenNumber) UnmarshalJSON(raw []byte) error {
	if string(raw) == "null" {
		*n = goldenNumber(math.Inf(1))
		return nil
	}
	v, err := strconv.ParseFloat(strings.Trim(string(raw), `"`), 64)
	*n = goldenNumber(v)
	return err
}
