package viz

import (
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit"
)

func TestProvenance(t *testing.T) {
	g := accountant.Guarantee{
		Budget: accountant.Budget{Epsilon: 1, Delta: 1e-6}, Neighbours: accountant.AddRemove,
		Scope: accountant.Scope{Kind: accountant.Conditional, On: []string{"a promise"}}, Route: "exact Gaussian profile",
	}
	for _, c := range []struct {
		name string
		p    dpkit.Provenance
		want []string
	}{
		{"private", dpkit.Provenance{Release: "FitLinear(ε = 1)", Guarantee: &g}, []string{"FitLinear(ε = 1)", "CONDITIONAL", "a promise", "exact Gaussian profile", "add/remove"}},
		{"a demonstration", dpkit.Provenance{Release: "FitLinear(ε = 1)", NotPrivate: "a demonstration\x1b[2J"}, []string{"NOT PRIVATE", "a demonstration", "none"}},
		{"unknown", dpkit.Provenance{}, []string{"NOT A GUARANTEE", "does not say", "none"}},
		{"incomplete", dpkit.Provenance{Guarantee: &accountant.Guarantee{}}, []string{"NOT A GUARANTEE"}},
	} {
		text := Provenance(c.p).Text()
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is not in\n%s", c.name, want, text)
			}
		}
		if strings.Contains(text, "\x1b") {
			t.Errorf("%s: a control character went through", c.name)
		}
	}
}

// TestCoefficientsThatAreNotPrivate: the plot of a model that is not private says so.
func TestCoefficientsThatAreNotPrivate(t *testing.T) {
	p := dpkit.Provenance{NotPrivate: "a demonstration"}
	linear := LinearCoefficients(dpkit.LinearModel{Label: "y", Columns: []string{"x"}, Coef: []float64{1}, Provenance: p}, 3)
	logistic := Coefficients(dpkit.LogisticModel{Label: "y", Columns: []string{"x"}, Coef: []float64{1}, Provenance: p}, 3)
	for _, v := range []View{linear, logistic} {
		for _, text := range []string{v.Text(), v.alt, strings.Join(v.fig.Alarms, " ")} {
			if !strings.Contains(text, "NOT PRIVATE: a demonstration") {
				t.Errorf("it does not say so: %q", text)
			}
		}
	}
}
