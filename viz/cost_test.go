package viz

import (
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

func TestDemonstrationCostSaysSo(t *testing.T) {
	c := dpkit.Cost{NotPrivate: "a demonstration"}
	v := Cost(c)
	for form, s := range map[string]string{"text": v.Text(), "HTML": v.HTML()} {
		if !strings.Contains(s, "NOT PRIVATE") || !strings.Contains(s, "a demonstration") {
			t.Errorf("the %s of a demonstration's cost does not say that nothing is private:\n%s", form, s)
		}
	}
}

func TestCostNamesFreeRows(t *testing.T) {
	for free, want := range map[int]bool{0: false, 1: false, 7: true} {
		text := Cost(dpkit.Cost{Steps: []cost.Step{{Step: 1, Name: "Dedup", Free: free}}}).Text()
		if strings.Contains(text, "free rows so far: 7") != want {
			t.Errorf("%d free rows:\n%s", free, text)
		}
	}
}

// TestCostFinds: from how many people on a group is found stands in the view before anything is spent.
func TestCostFinds(t *testing.T) {
	of := cost.Release{Constants: []stage.Constant{{Symbol: "T", Value: 42.36}, {Symbol: "T₀.₉₅", Value: 56.27}}}
	want := "a group from 42.36 people on with probability ½, from 56.27 on with 0.95"
	if text := Cost(dpkit.Cost{Release: of}).Text(); !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
		t.Errorf("want %q:\n%s", want, text)
	}
	if text := Cost(dpkit.Cost{}).Text(); strings.Contains(text, "found") {
		t.Errorf("nothing is found:\n%s", text)
	}
}

// TestCostPredicts: what is predicted of a model is a line, as in the cost's text; what is predicted of statistics has a level and is not.
func TestCostPredicts(t *testing.T) {
	of := cost.Prediction{Of: "accuracy that the noise takes", Margin: []float64{0.01}, Classes: &cost.Classes{Accuracy: 0.84, Exact: 0.85, Majority: 0.76}}
	counts := of
	counts.Level, counts.Classes = 0.95, nil
	for name, c := range map[string]struct {
		of   *cost.Prediction
		want bool
	}{"a model": {&of, true}, "counts": {&counts, false}, "nothing": {nil, false}} {
		text := Cost(dpkit.Cost{Predicted: c.of}).Text()
		if got := strings.Contains(text, "predicted"); got != c.want || c.want && !strings.Contains(text, "accuracy 0.840, without noise 0.850") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}
