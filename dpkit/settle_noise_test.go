package dpkit

import (
	"encoding/json"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// lawsOfTheirOwn are mechanisms all of whose frozen plans draw by a law that is not one of fixed Gaussian or Laplace noise on a
// grid: by the test that audits what they draw against their price.
var lawsOfTheirOwn = map[string]string{
	"choice":              "TestAttackChoose",
	"found":               "TestFoundReachesItsDelta",
	"quantile":            "TestAttackQuantile",
	"table/top":           "TestTopKReachesItsEpsilon",
	"gaussmix":            "TestAuditMixture",
	"fit/logistic-mixing": "TestAuditMixture",
}

// billedNoise lists the scales of the noise that an event prices, each as often as it is drawn; whole says that all of it is noise of
// a fixed scale.
func billedNoise(t *testing.T, e accountant.Event) (scales []float64, whole bool) {
	t.Helper()
	whole = true
	var walk func(node map[string]any, times int)
	walk = func(node map[string]any, times int) {
		switch kind := node["kind"]; kind {
		case "compose":
			for _, part := range node["events"].([]any) {
				walk(part.(map[string]any), times)
			}
		case "repeat":
			walk(node["event"].(map[string]any), times*int(node["count"].(float64)))
		case "covered":
			walk(node["event"].(map[string]any), times)
		case "approx_dp":
		case "discrete_gaussian", "glm_perturbation", "logistic_perturbation", "objective_perturbation", "subsampled_gaussian", "laplace":
			key := "sigma"
			if kind == "laplace" {
				key = "scale"
			}
			for range times {
				scales = append(scales, node[key].(float64))
			}
		default:
			whole = false
		}
	}
	var stored struct {
		Event map[string]any `json:"event"`
	}
	must(0, json.Unmarshal(must(accountant.Marshal(e)), &stored))
	walk(stored.Event, 1)
	return scales, whole
}

// sameOnSomeGrid reports that scales in steps of grids, which are powers of two, may be those that were billed, in some order.
func sameOnSomeGrid(billed []float64, steps []uint64) bool {
	mantissas := func(n int, of func(i int) float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i], _ = math.Frexp(of(i))
		}
		slices.Sort(out)
		return out
	}
	a := mantissas(len(billed), func(i int) float64 { return billed[i] })
	b := mantissas(len(steps), func(i int) float64 { return float64(steps[i]) })
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) < 0x1p-48 })
}

// TestNoiseIsThatOfTheBill: the vectors of noise that a release draws are as many as were billed, and of those scales. At another
// target they are not.
func TestNoiseIsThatOfTheBill(t *testing.T) {
	t.Parallel()
	compared := map[string]bool{}
	eachMechanism(t, func(t *testing.T, c settledCase) {
		s := must(c.of.Settle(c.end))
		var steps []uint64
		rng := noise.NewDemo(3)
		rng.Watch(func(_ string, scale uint64, _ int) { steps = append(steps, scale) })
		must(must(s.Read(t.Context(), rows.InProcess{In: c.rows}))(t.Context(), rng))
		billed, whole := billedNoise(t, s.Bill.Event)
		if !whole || len(c.end.Spent.Events) > 0 { // queries of steps are in the bill, too
			return
		}
		compared[c.kind] = true
		if c.kind == "mean/unbounded" { // the counts of a column's bins are drawn column by column, and billed together
			steps = slices.Compact(steps)
		}
		if !sameOnSomeGrid(billed, steps) {
			t.Errorf("drawn in steps of %v, billed %v", steps, billed)
		}
	})
	source := ""
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error { // the face and the rooms
		if strings.HasSuffix(path, "_test.go") {
			source += string(must(os.ReadFile(path)))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range knownMechanisms() {
		k := m.of.Kind().Name
		if why := lawsOfTheirOwn[k]; compared[k] == (why != "") {
			t.Errorf("%s: compared with its bill: %v, audited by %q; want one of them", k, compared[k], why)
		}
		if why := lawsOfTheirOwn[k]; why != "" && !strings.Contains(source, "\nfunc "+why+"(") {
			t.Errorf("%s: there is no test %s", k, why)
		}
	}
	// The comparison tells noise apart that is a thousandth off.
	if sameOnSomeGrid([]float64{1.001}, []uint64{1 << 40}) || sameOnSomeGrid([]float64{1, 1}, []uint64{4}) || !sameOnSomeGrid([]float64{0.75}, []uint64{3 << 50}) {
		t.Error("scales are told apart wrongly")
	}
}
