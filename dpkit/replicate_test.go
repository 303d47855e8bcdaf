package dpkit

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/linear"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/frames"
)

// TestReplicate: every release is bit for bit that of its own session, whether the mechanism reads the rows once, or
// each time, or steps of the chain draw too.
func TestReplicate(t *testing.T) {
	ctx := t.Context()
	prices, people := priceFrame(t, 300), tinyFrame(t, 150, 2)
	const seed, releases = 5, 3
	fit := func(seed uint64, method string) Plan[LinearModel] {
		return must(Demo(prices, seed, AddRemove)).Data().OneHot().Impute(Midpoint{}).Scale().FitLinear(linearBy(linear.Settings{Epsilon: 1, Delta: 1e-6, Method: method}))
	}
	for _, method := range []string{models.BestLinear, models.LinearMixing, models.AdaSSP, models.OutputPerturbation, models.Sheffet2017} {
		all := must(fit(seed, method).Replicate(ctx, releases))
		for i := range uint64(releases) {
			one := must(fit(seed+i, method).Release(ctx)).Value
			if a, b := must(json.Marshal(one)), must(json.Marshal(all[i])); string(a) != string(b) {
				t.Errorf("%q, release %d: got %s, want %s", method, i, b, a)
			}
		}
	}
	mixing := func(seed uint64) Plan[LogisticModel] {
		return must(Demo(people, seed, AddRemove)).Data().OneHot().Impute(Midpoint{}).Scale().FitLogistic(ByMixing{Epsilon: 1, Delta: 1e-6})
	}
	mixed := must(mixing(seed).Replicate(ctx, releases))
	for i := range uint64(releases) {
		one := must(mixing(seed + i).Release(ctx)).Value
		if a, b := must(json.Marshal(one)), must(json.Marshal(mixed[i])); string(a) != string(b) {
			t.Errorf("a sketch for classes, release %d: got %s, want %s", i, b, a)
		}
	}
	logistic := func(seed uint64) Plan[LogisticModel] {
		return must(Demo(people, seed, ReplaceOne)).Data().OneHot().Impute(PrivateMean{Share: 0.2}).Scale().FitLogistic(ByGradient{Epsilon: 1, Delta: 1e-6, Steps: 5})
	}
	all := must(logistic(seed).Replicate(ctx, releases))
	for i := range uint64(releases) {
		one := must(logistic(seed + i).Release(ctx)).Value
		if a, b := must(json.Marshal(one)), must(json.Marshal(all[i])); string(a) != string(b) {
			t.Errorf("private steps, release %d: got %s, want %s", i, b, a)
		}
	}
}

func TestReplicateRefuses(t *testing.T) {
	f := priceFrame(t, 50)
	fit := func(s *Session) Plan[LinearModel] {
		return s.Data().OneHot().Impute(Midpoint{}).Scale().FitLinear(BestLinear{Epsilon: 1, Delta: 1e-6})
	}
	for name, s := range map[string]*Session{
		"private": private(t, f, ledgerPath(t), Budget{Epsilon: 1, Delta: 1e-6}),
		"public":  must(OnPublic(frames.Public(f))),
	} {
		if _, err := fit(s).Replicate(t.Context(), 2); !errors.Is(err, ErrParameter) {
			t.Errorf("%s: got %v, want ErrParameter", name, err)
		}
	}
	if _, err := fit(must(Demo(f, 1, AddRemove))).Replicate(t.Context(), 0); !errors.Is(err, ErrParameter) {
		t.Errorf("no releases: got %v, want ErrParameter", err)
	}
	if _, err := (Pipeline{}).FitLinear(BestLinear{}).Replicate(t.Context(), 1); !errors.Is(err, ErrParameter) {
		t.Errorf("the zero pipeline: got %v, want ErrParameter", err)
	}
}
