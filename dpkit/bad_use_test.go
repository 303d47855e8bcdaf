package dpkit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// TestBadUseIsRefused lists what must not be done, and the remedy that each refusal names.
func TestBadUseIsRefused(t *testing.T) {
	data := demo(t, tinyFrame(t, 60, 1)).Data()
	whole := data.OneHot().Impute(Midpoint{}).Scale()
	tested := Tested{Share: 0.1, Delta: 1e-8}
	for _, c := range []struct {
		name  string
		chain Pipeline
		is    error
		says  []string // where, what, and the remedy
	}{
		{"dedup behind a fitted scale", whole.Standardize(RMS{Floor: 0.1}).Dedup(Exact{}), ErrOrder, []string{"step 5 Dedup", "put Dedup and QuantizeBall before"}},
		{"clusters behind a mean", data.OneHot().Impute(Mean{}).Dedup(Ball{Eta: 1, MaxCluster: 2}), ErrOrder, []string{"step 3 Dedup", "put Dedup and QuantizeBall before"}},
		{"ranks of displaced values", data.Impute(Mean{}, "pay").RankTransform("pay"), ErrOrder, []string{"step 2 RankTransform", `"pay" differs in common rows`, "put this step before"}},
		{"PCA without a gap", whole.PCA(Hard{K: 2}), ErrParameter, []string{"step 4 PCA", "eigengap unknown", "Declare(…)", "Test(…)"}},
		{"a private bound on a gap", whole.PCA(Hard{K: 2, Gap: Bound(tested)}), ErrParameter, []string{"use Declare(…) or Test(…)"}},
		{"a scale without a floor", whole.Standardize(Standard{}), ErrParameter, []string{"step 4 Standardize", "Floor: got 0"}},
		{"quantiles of the data without a window", data.Winsorize(SmoothedQuantile{Q: 0.1}, "age"), ErrParameter, []string{"Window"}},
		{"public quantiles without numbers", data.Winsorize(PublicQuantiles{}, "age"), ErrParameter, []string{"Lo and Hi: got 0 and 0 numbers for 1 columns"}},
		{"bounds of the data", data.ClipColumns(math.NaN(), math.NaN(), "age"), ErrParameter, []string{"bounds: got [NaN, NaN], want finite lo < hi"}},
		{"edges outside the public bounds", data.Bin([]float64{500}, "age"), ErrParameter, []string{"want edges inside its bounds"}},
		{"a column that is not there", data.OneHot().Impute(Mean{}, "wage"), ErrColumn, []string{`step 2 Impute(Mean{}, "wage")`, `"wage"`}},
		{"a key that is not there", data.Dedup(Exact{}, "wage"), ErrColumn, []string{"step 1 Dedup", `"wage"`}},
		{"numbers of a category", data.Impute(Median{}, "work"), ErrOrder, []string{`"work" is a category`, "OneHot"}},
		{"a number that is no promise", data.OneHot().Impute(Mean{MinObserved: Declare(math.NaN())}), ErrParameter, []string{"number of observed values in a column: got NaN"}},
		{"more values than rows", data.OneHot().Impute(Mean{MinObserved: Declare(61)}), ErrParameter, []string{"got 61 of 60 rows"}},
		{"an eigenvalue above the number of rows", data.OneHot().Impute(Midpoint{}, "work", "home").Scale().Impute(Ridge{Lambda: 1, MinEigen: Declare(61)}, "pay"), ErrParameter, []string{"got 61 for 60 rows"}},
		{"a block and a cap", data.Dedup(Ball{Eta: 1, MaxCluster: 3, MaxBlock: Declare(4)}, "age"), ErrParameter, []string{"MaxBlock and MaxCluster"}},
		{"a block of one row", data.Dedup(Ball{Eta: 1, MaxBlock: Test(1, tested)}, "age"), ErrParameter, []string{"largest block: got 1, want at least 2"}},
		{"neither", data.Dedup(Ball{Eta: 1}, "age"), ErrParameter, []string{"MaxCluster: got 0", "certified MaxBlock"}},
		{"a test for nothing", data.OneHot().Impute(Median{MaxMissing: Test(5, Tested{})}, "pay"), ErrParameter, []string{"share: got 0"}},
		{"a test that never fails", data.OneHot().Impute(Median{MaxMissing: Test(5, Tested{Share: 0.1, Delta: 0.7})}, "pay"), ErrParameter, []string{"Delta: got 0.7"}},
		{"no imputer", data.Impute(nil), ErrParameter, []string{"got no imputer"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := c.chain.Mean(Target{Epsilon: 1, Delta: 1e-6}).Release(context.Background())
			if !errors.Is(err, c.is) {
				t.Fatalf("got %v, want %v", err, c.is)
			}
			for _, s := range c.says {
				if !strings.Contains(err.Error(), s) {
					t.Errorf("got %q, want it to say %q", err, s)
				}
			}
		})
	}
}

// TestDataBoundsAreNoSchema: a column without public bounds cannot be declared, so that no step can fall back to
// the smallest and largest value in the data.
func TestDataBoundsAreNoSchema(t *testing.T) {
	for _, c := range []frames.Column{
		frames.Numeric("x", math.Inf(-1), math.Inf(1)), frames.Numeric("x", math.NaN(), math.NaN()), frames.Numeric("x", 0, 0), {Name: "x", Kind: frames.KindNumeric},
	} {
		if _, err := frames.NewSchema(c); err == nil || !strings.Contains(err.Error(), `"x"`) {
			t.Errorf("%+v: got %v, want a refusal that names the column", c, err)
		}
	}
}

// TestFittedStateIsNoDeclaration: what a step learnt has no type that Declare takes, and prints as a notice;
// so does a chain that holds it.
func TestFittedStateIsNoDeclaration(t *testing.T) {
	declared := reflect.TypeOf(Declare).In(0)
	for _, learnt := range []reflect.Type{reflect.TypeFor[stage.NonPrivate[float64]](), reflect.TypeFor[stage.NonPrivate[[]float64]](), reflect.TypeFor[Result[Estimates]]()} {
		if learnt.ConvertibleTo(declared) || learnt.AssignableTo(declared) {
			t.Errorf("a %v passes for a %v", learnt, declared)
		}
	}
	const secret = 0.123456789
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x", "%g", "%d"} {
		for _, v := range []any{stage.Hide([]float64{secret}), struct{ State any }{stage.Hide(secret)}} {
			if text := fmt.Sprintf(verb, v); !strings.Contains(text, "[non-private]") || strings.Contains(text, "1234") {
				t.Errorf("%s prints %q, want the notice", verb, text)
			}
		}
	}
	if _, err := json.Marshal(stage.Hide(secret)); !errors.Is(err, stage.ErrNonPrivate) {
		t.Errorf("JSON: got %v, want %v", err, stage.ErrNonPrivate)
	}
}
