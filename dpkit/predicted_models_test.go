package dpkit

import (
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// unpredicted are kinds of release of which nothing is predicted, and why.
var unpredicted = map[string]string{
	"train/local": "what a node answers is not a model: the coordinator's is, of all nodes",
}

// TestEveryMechanismPredicts: every kind of release predicts how far off it will be, or says here why not; a cost holds the prediction, and
// a model's is in its text.
func TestEveryMechanismPredicts(t *testing.T) {
	t.Parallel()
	everyMechanism(t, func(t *testing.T, e mechanismEntry, d Pipeline, _ knownMechanism) {
		pl := e.end(d)
		p, err := pl.predicted(0.95)
		if why := unpredicted[e.kind]; (why == "") != (err == nil) {
			t.Fatalf("predicted %v, %v; the reason why nothing is predicted: %q", p, err, why)
		}
		if err != nil {
			return
		}
		c := must(pl.Cost())
		if c.Predicted == nil || len(p.Margin) == 0 || p.Of == "" {
			t.Fatalf("predicted %+v, in the cost %+v", p, c.Predicted)
		}
		if p.Level == 0 && !strings.Contains(c.String(), "predicted: ") {
			t.Errorf("Explain does not tell the prediction:\n%v", c)
		}
		if k := p.Classes; k != nil && (!(k.Accuracy <= k.Exact+1e-9) || !(k.Majority <= k.Exact) || !(k.Majority > 0)) {
			t.Errorf("classes %+v", *k)
		} else if k != nil {
			taken, of := k.Exact-k.Accuracy, *c.Predicted.Classes
			if !(k.Least <= taken+1e-9 && taken <= k.Most+1e-9) || k.Level != 0.95 || !(k.Most <= 1) {
				t.Errorf("noise takes %v, between %v and %v at %v", taken, k.Least, k.Most, k.Level)
			}
			if of.Level != 0 || of.Accuracy != k.Accuracy {
				t.Errorf("a cost predicts %+v, want what the reference population says alone: %+v", of, *k)
			}
			if half := must(pl.predicted(0.5)).Classes; half.Least < k.Least || half.Most > k.Most || half.Accuracy != k.Accuracy {
				t.Errorf("at level 0.5 %+v, at 0.95 %+v", *half, *k)
			}
		}
	})
}

// TestFloorIsSaid: where a classifier of few rows is predicted to be no better than the larger class, its cost, its comparison and the plan
// that is recommended say so, and what to release in its place; with more rows none does.
func TestFloorIsSaid(t *testing.T) {
	schema := must(frames.NewSchema(numbers(40, frames.Label("class", "no", "yes"))...))
	for rows, idle := range map[int]bool{60: true, 60000: false} {
		plan := unreadData(rows, schema).Scale().FitLogistic(ByGradient{Epsilon: 0.1, Delta: 1e-6})
		c := must(plan.Compare())
		if got := strings.Contains(c.String(), "tell nothing, on the reference population: raise ε, or release a Histogram of the label"); got != idle {
			t.Errorf("%d rows: the comparison says that the model tells nothing: %v\n%v", rows, got, c)
		}
		for _, p := range []Plan[LogisticModel]{plan, must(plan.Recommended())} {
			if got := strings.Contains(must(p.Explain()), "release a Histogram of the label"); got != idle {
				t.Errorf("%d rows: %v says that the model tells nothing: %v", rows, p, got)
			}
		}
	}
}

// TestMoreBudgetPredictsLessError: no fit predicts more error with more ε, at which its parameters are others too.
func TestMoreBudgetPredictsLessError(t *testing.T) {
	t.Parallel()
	people := must(Demo(tinyFrame(t, 3000, 5), 1, AddRemove)).Data().OneHot().Impute(Midpoint{}).Scale()
	numbers := must(Demo(priceFrame(t, 3000), 1, AddRemove)).Data().OneHot().Impute(Midpoint{}).Scale()
	const delta = 1e-6
	for _, c := range []struct {
		name string
		plan func(epsilon float64) predictable
	}{
		{"logistic by gradients", func(e float64) predictable { return people.FitLogistic(ByGradient{Epsilon: e, Delta: delta}) }},
		{"logistic by objective", func(e float64) predictable { return people.FitLogistic(ByObjective{Epsilon: e, Delta: delta}) }},
		{"logistic by mixing", func(e float64) predictable { return people.FitLogistic(ByMixing{Epsilon: e, Delta: delta}) }},
		{"hinge", func(e float64) predictable {
			return people.FitHinge(HingeLoss{}, ByObjective{Epsilon: e, Delta: delta})
		}},
		{"squared hinge", func(e float64) predictable {
			return people.FitConvex(SquaredHingeLoss{}, ByGradient{Epsilon: e, Delta: delta})
		}},
		{"squares", func(e float64) predictable {
			return numbers.FitConvex(SquaredLoss{}, ByGradient{Epsilon: e, Delta: delta})
		}},
		{"Huber by gradients", func(e float64) predictable {
			return numbers.FitConvex(HuberLoss{}, ByGradient{Epsilon: e, Delta: delta})
		}},
		{"Huber", func(e float64) predictable {
			return numbers.FitHuber(HuberLoss{}, ByObjective{Epsilon: e, Delta: delta})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			last, first := 0.0, 0.0
			for i, e := range []float64{0.03, 0.1, 0.3, 1, 3, 10} {
				now := must(c.plan(e).Error(0.9)).Margin[0]
				if i == 0 {
					first = now
				} else if !(now <= last*1.001) {
					t.Errorf("at ε = %g the error is %.6g, at the ε before %.6g", e, now, last)
				}
				last = now
			}
			if !(last < first/2) {
				t.Errorf("the error falls from %.4g to %.4g only", first, last)
			}
		})
	}
}
