package viz

import (
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit"
)

func TestLinearCoefficients(t *testing.T) {
	m := dpkit.LinearModel{
		Label: "price", Columns: []string{"rooms", "tax"}, Coef: []float64{0.5, -2}, Intercept: 21,
		Errors: []float64{0.1, 0.25}, InterceptError: 1,
	}
	v := LinearCoefficients(m, 1)
	for _, want := range []string{"linear model of price", "tax: -2", "95 %", "largest 1 of 2", "intercept 21"} {
		if !strings.Contains(strings.ReplaceAll(v.alt, "−", "-"), want) {
			t.Errorf("%q is not in %q", want, v.alt)
		}
	}
	if strings.Contains(v.alt, "rooms") {
		t.Errorf("more than one coefficient: %q", v.alt)
	}
	m.Errors = nil
	if v := LinearCoefficients(m, 0); strings.Contains(v.alt, "95 %") || !strings.Contains(v.alt, "rooms") {
		t.Errorf("without errors: %q", v.alt)
	}
	for _, m := range []dpkit.LinearModel{m, {}} {
		if _, err := LinearCoefficients(m, 3).PNG(); err != nil {
			t.Error(err)
		}
	}
}
