package viz

import (
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

func TestCompare(t *testing.T) {
	c := dpkit.Comparison{
		Written:     cost.Variant{Name: "as written", Noise: 7.4},
		Recommended: cost.Variant{Name: "as recommended", Noise: 1, Amplification: 1},
		Steps: []cost.StepComparison{{
			Step: 2, Name: "Impute(Mean{})", Best: 1, Why: "it is free",
			Variants: []cost.Variant{
				{Name: "Impute(Mean{})", Kind: stage.Fitted, Displacement: 1.4, Amplification: 7.4, Noise: 7.4},
				{Name: "Impute(Midpoint{})", Kind: stage.Public, Amplification: 1, Noise: 1},
				{Name: "Impute(PrivateMean{Share: 0.5})", Kind: stage.Private, Refused: "the <budget> is spent"},
			},
		}},
	}
	v := Compare(c)
	for _, want := range []string{"noise × 7.4 as written", "✓", "it is free", "refused: the"} {
		if !strings.Contains(v.Text(), want) {
			t.Errorf("the text lacks %q:\n%s", want, v.Text())
		}
	}
	if text := v.Text(); strings.Index(text, "✓") > strings.Index(text, "Impute(Mean{})") {
		t.Errorf("the way to take is not the first of its step:\n%s", text)
	}
	if html := v.HTML(); !strings.Contains(html, `<tr class="dpnb-foot">`) || !strings.Contains(html, "tr.dpnb-foot>*{position:sticky;bottom:0") {
		t.Error("the row of the recommended chain does not stay in view")
	}
	if html := v.HTML(); strings.Contains(html, "<budget>") || !strings.Contains(html, "Midpoint") {
		t.Error("the table is not escaped, or lacks a way")
	}
	c.Of = "accuracy that the noise takes"
	c.Written.Error, c.Written.Predicted = 0.2, true
	c.Recommended.Error, c.Recommended.Predicted, c.Recommended.Accuracy = 0.01, true, 0.84
	c.Steps[0].Variants[1].Error, c.Steps[0].Variants[1].Predicted, c.Steps[0].Variants[1].Accuracy = 0.01, true, 0.84
	for _, want := range []string{"predicted error 0.2 as written, 0.01 (accuracy 0.840) as recommended", "Predicted error: accuracy that the noise takes."} {
		if text := Compare(c).Text(); !strings.Contains(text, want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(Compare(c).Text(), "tell nothing") {
		t.Error("a model that says something is said to tell nothing")
	}
	c.Recommended.Idle = true
	if text := Compare(c).Text(); !strings.Contains(text, "Even as recommended the release is predicted to tell nothing") || !strings.Contains(text, "Histogram of the label") {
		t.Errorf("the text does not say that a model tells nothing, and what to release in its place:\n%s", text)
	}
	if strings.Contains(v.Text(), "Predicted error: ") || !strings.Contains(v.Text(), "Nothing is predicted of this release") {
		t.Errorf("without a prediction the text does not say so:\n%s", v.Text())
	}
	if got := Variants(c.Steps[0].Variants...).Text(); !strings.Contains(got, "public") {
		t.Errorf("the plans lack a kind:\n%s", got)
	}
}
