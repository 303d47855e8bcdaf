package accountant

import (
	"encoding/json"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/internal/golden"
)

// goldenFormat tells the format of a golden file by its structure: nil for a list of references.
func goldenFormat(t *testing.T, raw []byte) func(*testing.T, []byte) {
	t.Helper()
	groups := golden.Groups(t, raw)
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return groups[name] != nil })
	}
	mechanisms := strings.TrimSpace(string(groups["mechanisms"]))
	switch {
	case has("refs"):
		return nil
	case strings.HasPrefix(mechanisms, "["), has("steps", "chains", "worked_example", "verification"):
		return goldenCalculus
	case mechanisms != "", has("dedup", "quantization", "mean_imputation", "median", "trimmed_mean", "ridge_imputation", "pca", "standard_scaling",
		"ptr", "end_to_end_violations", "unstable_dedup", "validation_worst_observed_over_bound"):
		return goldenPreprocessing
	}
	return goldenMechanisms
}

func TestGoldenMechanisms(t *testing.T) { runGolden(t, "mechanisms") }

// runGolden runs a committed file, unless another is asked for.
func runGolden(t *testing.T, name string) {
	t.Helper()
	if golden.Given() != "" {
		t.Skipf("-golden=%s runs that file alone", golden.Given())
	}
	raw := golden.Committed(t, name)
	run := goldenFormat(t, raw)
	if run == nil {
		t.Fatalf("%s.json has another format", name)
	}
	run(t, raw)
}

// goldenElsewhere lists the groups that another package checks, with the file that does: this package cannot
// import what imports it, nor the linear algebra of the samplers.
func goldenElsewhere() map[string]string {
	return map[string]string{
		"pdp_tiny_dataset": "accountant/pdp/golden_test.go",
		"samplers":         "internal/linalg/golden_test.go",
		"mu_logistic":      "dpkit/golden_functions_test.go",
		"expmech_rdp":      "dpkit/golden_functions_test.go",
		"output_pert_S":    "dpkit/golden_functions_test.go",
		"group_gauss":      "dpkit/golden_functions_test.go",
	}
}

// coveredElsewhere reports whether another package checks the group, and fails where its file does not name it.
func coveredElsewhere(t *testing.T, group string) bool {
	t.Helper()
	file, ok := goldenElsewhere()[group]
	if ok {
		golden.Names(t, file, group)
	}
	return ok
}

// goldenOthers are the groups of a file that dpkit checks: one that its runner does not name is known to nobody, and fails alone.
func goldenOthers(t *testing.T, raw []byte, own ...string) {
	t.Helper()
	runner := string(golden.Read(t, golden.At(t, "dpkit/golden_test.go")))
	for name := range golden.Groups(t, raw) {
		if name != "meta" && !slices.Contains(own, name) && !strings.Contains(runner, strconv.Quote(name)+":") {
			t.Errorf("group %q has no handler, here or in dpkit", name)
		}
	}
}

// TestGoldenInformation: each field that is information is in a committed file.
func TestGoldenInformation(t *testing.T) {
	found := map[string]bool{}
	var walk func(group string, v any)
	walk = func(group string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, w := range v {
				found[group+"."+name] = true
				walk(name, w)
			}
		case []any:
			for _, w := range v {
				walk(group, w)
			}
		}
	}
	for _, name := range []string{"mechanisms", "preprocessing"} {
		var v any
		if err := json.Unmarshal(golden.Committed(t, name), &v); err != nil {
			t.Fatal(err)
		}
		walk("", v)
	}
	for field, why := range goldenInformation {
		if !found[field] {
			t.Errorf("%s (%s): no file has it; take it off the list", field, why)
		}
	}
}

func goldenMechanisms(t *testing.T, raw []byte) {
	groups := golden.Groups(t, golden.Plain(t, raw))
	handlers := map[string]func(*testing.T, []byte){
		"gaussmix_rdp":                        goldenMixRDP,
		"gaussmix_exact_delta":                goldenMixDelta,
		"gaussmix_calibrated_gamma_exact":     goldenMixGamma,
		"gaussmix_rdp_to_dp_canonne":          goldenMixEpsilon,
		"gaussmix_paper_eps_tilde":            goldenMixPaper,
		"gaussmix_modified_composition_delta": goldenModifiedDelta,
		"gaussmix_modified_optimised":         goldenModifiedOptimum,
		"replace_one_rdp":                     goldenMixReplace,
		"sanity_large_k":                      goldenMixLimit,
		"gaussian_delta":                      goldenGaussDelta,
		"gaussian_calibrated":                 goldenGaussSigma,
		"classical_gaussian_breaks_at_eps":    goldenGaussClassic,
		"rgm_rdp":                             goldenRelativeRDP,
		"rgm_corollary1_example":              goldenRelativeExample,
		"rgm_prop3_rho":                       goldenRelativeRho,
		"objpert_kifer":                       goldenKifer,
		"objpert_logistic_delta":              goldenLogisticDelta,
		"objpert_glm_delta":                   goldenGLMDelta,
		"objpert_logistic_recommended":        goldenLogisticCalibrated,
		"objpert_glm_rdp":                     goldenGLMRDP,
		"goe_lambda1":                         goldenGOETail,
		"goe_quantile":                        goldenGOEQuantile,
		"goe_paper_tau":                       goldenGOETau,
		"adassp":                              goldenAdaSSP,
		"rr":                                  goldenResponse,
		"advanced_composition_counterexample": goldenAdvancedComposition,
		"zcdp_to_dp":                          goldenConcentrated,
		"rgm_exact_hockeystick":               goldenSphericalPair,
		"rgm_prop1_counterexample":            goldenClipping,
		"rgm_prop2_counterexample":            goldenStrengthTest,
		"thesis_constants":                    goldenUnbounded,
		"chebyshev_logistic_quadratic":        goldenChebyshev,
	}
	matched, elsewhere := 0, 0
	for name, group := range groups {
		if handler, ok := handlers[name]; ok {
			matched++
			t.Run(name, func(t *testing.T) { handler(t, group) })
		} else if coveredElsewhere(t, name) {
			elsewhere++
		} else {
			t.Errorf("group %q has no handler", name)
		}
	}
	if matched == 0 {
		t.Fatal("no group was checked")
	}
	t.Logf("%d groups checked, %d in other packages", matched, elsewhere)
}

// goldenList decodes a group, of which an entry that is not understood fails alone; an empty one is an error.
func goldenList[T any](t *testing.T, raw []byte) []T {
	t.Helper()
	var entries []json.RawMessage
	if err := json.Unmarshal(raw, &entries); err != nil {
		t.Fatal(err)
	}
	if len(entries) == 0 {
		t.Fatal("no entries")
	}
	var list []T
	for i, entry := range entries {
		var v T
		if err := strictly(t, entry, &v); err != nil {
			t.Errorf("entry %d: %.300s: %v", i+1, entry, err)
			continue
		}
		list = append(list, v)
	}
	return list
}

// goldenInformation are the fields of the committed files that are words about the others, by group, with what they say.
var goldenInformation = map[string]string{
	"gaussmix_modified_composition_delta.note": "which directions the number is the worst of",
	"gaussmix_modified_optimised.note":         "the objective of the optimiser, whose result is compared",
	"replace_one_rdp.note":                     "what s stands for",
	"thm13_counterexample.loss":                "the loss that the slope is that of",
	"goe_lambda1.normalisation":                "variances of the entries: GOETail knows one",
}

// strictly decodes what has no field that the type lacks, but for those that are information: one that is not read cannot be
// compared.
func strictly(t *testing.T, raw []byte, into any) error {
	t.Helper()
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err == nil {
		group := path.Base(t.Name())
		for name := range fields {
			if key := group + "." + name; goldenInformation[key] != "" {
				delete(fields, name)
			}
		}
		if raw, err = json.Marshal(fields); err != nil {
			return err
		}
	}
	return golden.Strictly(raw, into)
}

// closeTo fails unless got is within tol of want, and not below it by more than the digits of the file allow.
func closeTo(t *testing.T, what string, got float64, want golden.Number, tol float64) {
	t.Helper()
	w := float64(want)
	if got == w {
		return
	}
	if !(math.Abs(got-w) <= tol*math.Abs(w)) || !(got >= w*(1-1e-9)) {
		t.Errorf("%s = %.17g, want %.17g within %.0e", what, got, w, tol)
	}
}

func curveOf(t *testing.T, e Event, rel Neighbours) Curve {
	t.Helper()
	c, err := e.RDP(rel)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func profileAt(t *testing.T, e Profiler, rel Neighbours, epsilon float64) float64 {
	t.Helper()
	p, err := e.Profile(rel)
	if err != nil {
		t.Fatal(err)
	}
	return p(epsilon)
}

func must[T any](t *testing.T) func(T, error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
