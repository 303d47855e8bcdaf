package dpkit

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"testing"
)

// TestJSONKeysHaveOneStyle: what a user may store is written with keys in lower case and underscores.
func TestJSONKeysHaveOneStyle(t *testing.T) {
	t.Parallel()
	style := regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	odd := map[string]bool{}
	var walk func(where string, v any)
	walk = func(where string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, x := range v {
				if !style.MatchString(k) {
					odd[where+": "+k] = true
				}
				walk(where, x)
			}
		case []any:
			for _, x := range v {
				walk(where, x)
			}
		}
	}
	seen := 0
	look := func(where string, x any) {
		b, err := json.Marshal(x)
		if err != nil {
			odd[fmt.Sprintf("%s: %v", where, err)] = true
			return
		}
		var v any
		if err := json.Unmarshal(b, &v); err != nil {
			t.Fatal(err)
		}
		seen++
		walk(where, v)
	}
	for _, name := range []string{"people", "counts", "classes", "zeroed", "zeroed-numbers"} {
		s, _ := thawed(t, frozenDirs[0], name)
		for _, c := range frozenPlans(s, name) {
			r, err := c.plan.release(t.Context())
			if err != nil {
				continue // a test that refuses
			}
			look(fmt.Sprintf("%T", r.Value), r.Value)
			look("result", r)
		}
		look("status", must(s.Status()))
		look("statement", must(s.ledger.Statement()))
		look("entries", must(s.ledger.Entries()))
	}
	s := must(Demo(tinyFrame(t, 60, 1), 1, ReplaceOne))
	p := s.Data().OneHot().Impute(Mean{}).Scale().Mean(Target{Epsilon: 1, Delta: 1e-6})
	look("comparison", must(p.Compare()))
	look("demonstration", must(p.Release(t.Context())))
	for _, k := range slices.Sorted(maps.Keys(odd)) {
		t.Error(k)
	}
	if seen < 100 {
		t.Errorf("looked at %d documents", seen)
	}
}
