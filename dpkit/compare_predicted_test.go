package dpkit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/frames/datasets"
)

// unread is a table whose rows must not be read.
type unread struct {
	schema frames.Schema
	rows   int
}

func (u unread) Schema() frames.Schema { return u.schema }

func (u unread) Rows() int { return u.rows }

func (unread) Scan(context.Context, func(*frames.Block) error) error { panic("a row was read") }

func unreadData(rows int, schema frames.Schema) Pipeline {
	s := &Session{src: unread{schema, rows}, schema: schema, rows: rows, neighbours: ReplaceOne, mode: modeDemo, seed: 1}
	return s.Data()
}

// numbers are columns and a label.
func numbers(n int, label frames.Column) []frames.Column {
	var cols []frames.Column
	for i := range n {
		cols = append(cols, frames.Numeric(fmt.Sprint("x", i), 0, 255))
	}
	return append(cols, label)
}

// bestOf is the way that the recommended plan takes at a place.
func bestOf(t *testing.T, c Comparison, step int) cost.Variant {
	t.Helper()
	for _, s := range c.Steps {
		if s.Step == step {
			return s.Variants[s.Best]
		}
	}
	t.Fatalf("step %d is not compared:\n%v", step, c)
	return cost.Variant{}
}

// TestCompareByPrediction: what is recommended of chains of which the best is known from real rows. None is read.
func TestCompareByPrediction(t *testing.T) {
	t.Parallel()
	adult := unreadData(32561, datasets.AdultSchema()).OneHot().Indicate()
	logistic := ByGradient{Epsilon: 1, Delta: 1e-6}
	classes, price := frames.Label("class", "no", "yes"), frames.NumericLabel("price", 0, 1)
	for _, c := range []struct {
		name string
		plan func() (Comparison, error)
		step int
		best string // the way begins so
		kind stage.Kind
	}{
		{"a soft PCA of Adult is left out", adult.Impute(Midpoint{}).Scale().PCA(SoftThreshold{Lambda: 0.04}).FitLogistic(logistic).Compare, 5, "", stage.LeftOut},
		{"and so is one that much else displaced", adult.Impute(Mean{}).Scale().PCA(SoftThreshold{Lambda: 0.04}).FitLogistic(logistic).Compare, 5, "", stage.LeftOut},
		{"images of few rows keep their directions", unreadData(1984, must(frames.NewSchema(numbers(196, classes)...))).Scale().PCA(SoftThreshold{Lambda: 0.04}).FitLogistic(logistic).Compare, 2, "", stage.LeftOut},
		{"bounds in place of spreads that displace", unreadData(1000, must(frames.NewSchema(numbers(8, classes)...))).Scale().Standardize(Standard{Floor: 0.02}).FitLogistic(logistic).Compare, 2, "", stage.LeftOut},
		{"behind no other scale", unreadData(1000, must(frames.NewSchema(numbers(8, classes)...))).Standardize(Standard{Floor: 0.02}).FitLogistic(logistic).Compare, 1, "Scale()", stage.Public},
		{"columns of other units are scaled", unreadData(20000, must(frames.NewSchema(frames.Numeric("a", 0, 1), frames.Numeric("b", 0, 1e6), classes))).Scale().FitLogistic(logistic).Compare, 1, "Scale()", stage.Public},
		{"a step that is free stays where all says nothing", unreadData(192, must(frames.NewSchema(numbers(100, price)...))).Scale().FitLinear(BestLinear{Epsilon: 0.3, Delta: 1e-6}).Compare, 1, "Scale()", stage.Public},
		{"and so does the mechanism", unreadData(192, must(frames.NewSchema(numbers(100, price)...))).Scale().FitLinear(BestLinear{Epsilon: 3, Delta: 1e-6}).Compare, 2, "FitLinear(BestLinear", stage.Release},
		{"half of the directions of a regression are half of its signal", unreadData(13903, must(frames.NewSchema(numbers(62, price)...))).Scale().PCA(PrivateComponents{K: 30, Share: 0.3}).FitLinear(BestLinear{Epsilon: 1, Delta: 1e-6}).Compare, 2, "", stage.LeftOut},
		{"least squares by another method", unreadData(20000, must(frames.NewSchema(numbers(8, price)...))).Scale().FitLinear(OutputPerturbation{Epsilon: 1, Delta: 1e-6}).Compare, 2, "FitLinear(", stage.Release},
		{"one count by geometric noise", unreadData(1000, must(frames.NewSchema(frames.Numeric("a", 0, 1)))).Count(Target{Epsilon: 1, Delta: 1e-6}, Between("a", 0, 0.5)).Compare, 1, `Count(ε = 1, Noise = "geometric"`, stage.Release},
		{"many means by Gaussian noise", unreadData(1000, must(frames.NewSchema(numbers(30, classes)...))).Mean(Target{Epsilon: 1, Delta: 1e-6}).Compare, 1, "Mean(ε = 1, δ", stage.Release},
		{"duplicates stay removed", unreadData(2000, must(frames.NewSchema(numbers(2, classes)...))).Dedup(Grid{Width: 1}).Scale().FitLogistic(logistic).Compare, 1, "Dedup(Grid", stage.Public},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.plan()
			if err != nil {
				t.Fatal(err)
			}
			if v := bestOf(t, got, c.step); v.Kind != c.kind || !strings.HasPrefix(v.Name, c.best) || c.kind == stage.LeftOut && v.Name != "without this step" {
				t.Errorf("recommended %s %q, want %s %q:\n%v", v.Kind, v.Name, c.kind, c.best, got)
			}
			checkComparison(t, got)
		})
	}
}

// checkComparison: rules that hold of every comparison.
func checkComparison(t *testing.T, c Comparison) {
	t.Helper()
	w, r := c.Written, c.Recommended
	if r.Refused != "" || r.Predicted != w.Predicted || !(r.Error <= w.Error) {
		t.Errorf("recommended with an error of %v (%s), as written %v:\n%v", r.Error, r.Refused, w.Error, c)
	}
	if floor := c.Floor(); (floor != "") != r.Idle || !strings.Contains(c.String(), floor) {
		t.Errorf("recommended, idle: %v; the comparison says %q", r.Idle, floor)
	}
	if r.Idle && !w.Idle {
		t.Errorf("a plan that says nothing is recommended:\n%v", c)
	}
	for _, s := range c.Steps {
		if b := s.Variants[s.Best]; s.Variants[0].Plan != w.Plan || b.Listed || s.Why == "" {
			t.Errorf("step %d: the first way is %q, the best %q (listed: %v): %s", s.Step, s.Variants[0].Plan, b.Name, b.Listed, s.Why)
		}
		for _, v := range s.Variants {
			if v.Listed && v.Note == "" {
				t.Errorf("%s is listed, without a word why", v.Name)
			}
			if v.Refused == "" && c.Of != "" && !v.Listed && !v.Idle && !v.Predicted {
				t.Errorf("nothing is predicted of %s", v.Name)
			}
		}
	}
}

// TestRecommendedPlan: of random chains the recommended plan is never predicted to be worse than the one as written, is the same every
// time, is what its text says, and no row is read for it.
func TestRecommendedPlan(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(19, 2))
	kept := 0
	for kept < 12 {
		p := randomProgram(t, r)
		chain := p.build(unreadData(3000, p.schema))
		if _, err := chain.Mean(Target{Epsilon: 1, Delta: 1e-6}).Cost(); err != nil {
			continue // a category that nothing encodes
		}
		kept++
		sums := chain.Mean(Target{Epsilon: 1, Delta: 1e-6})
		checkRecommended(t, sums, must(sums.Compare()), must(sums.Compare()))
		if kept%4 == 0 {
			fit := chain.FitLogistic(ByGradient{Epsilon: 1, Delta: 1e-6, Steps: 5}).WithoutPrediction()
			checkRecommended(t, fit, must(fit.Compare()), must(fit.Compare()))
		}
	}
}

func checkRecommended[V any](t *testing.T, pl Plan[V], c, again Comparison) {
	t.Helper()
	checkComparison(t, c)
	if c.String() != again.String() {
		t.Errorf("two comparisons of one plan:\n%v\n%v", c, again)
	}
	best := must(pl.Recommended())
	if best.String() != c.Recommended.Plan {
		t.Errorf("recommended %s, and the table has %s", best, c.Recommended.Plan)
	}
	for _, text := range []string{c.Written.Plan, c.Recommended.Plan} {
		if read, err := Parse[V](pl.plan().p.s, text); err != nil || read.String() != text {
			t.Errorf("%s is read back as %v, %v", text, read, err)
		}
	}
	if v := cost.Of("", best); v.Refused != "" || v.Noise != c.Recommended.Noise {
		t.Errorf("the recommended plan: %s, noise × %v, the table has × %v", v.Refused, v.Noise, c.Recommended.Noise)
	}
}

// TestCostWarnsOfLostSignal: a model behind steps that leave nothing of the reference population, although its own noise would.
func TestCostWarnsOfLostSignal(t *testing.T) {
	data := unreadData(20000, must(frames.NewSchema(numbers(8, frames.NumericLabel("price", 0, 1))...))).Scale()
	fit := AdaSSP{Epsilon: 3, Delta: 1e-6}
	for _, c := range []struct {
		name  string
		plan  Plan[LinearModel]
		warns bool
	}{
		{"a filter above every eigenvalue", data.PCA(SoftThreshold{Lambda: 0.9}).FitLinear(fit), true},
		{"none", data.FitLinear(fit), false},
	} {
		if got := strings.Contains(strings.Join(must(c.plan.Cost()).Warnings, "\n"), "a model that says nothing"); got != c.warns {
			t.Errorf("%s: warned: %v, want %v", c.name, got, c.warns)
		}
	}
}
