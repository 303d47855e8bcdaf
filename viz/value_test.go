package viz

import (
	"strings"
	"testing"
	"time"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit"
)

// TestValuesShowTheirPromise: every value shows its guarantee in words and in the text that stands for its picture, a value that is not
// private says so first, and one that no release made promises nothing.
func TestValuesShowTheirPromise(t *testing.T) {
	o := dpkit.Provenance{
		Release: "Mean", Guarantee: &accountant.Guarantee{Budget: accountant.Budget{Epsilon: 0.5, Delta: 1e-6}, Neighbours: accountant.ReplaceOne, Scope: accountant.Scope{Kind: accountant.Unconditional}, Route: "exact"},
		Unit: "row", Dataset: "visits\x1b[2J", Entry: "0123456789abcdef", Charged: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	}
	values := map[string]func(dpkit.Provenance) View{
		"estimates": func(o dpkit.Provenance) View { e := exampleEstimates(); e.Provenance = o; return Value(e) },
		"a pointer": func(o dpkit.Provenance) View { e := exampleEstimates(); e.Provenance = o; return Value(&e) },
		"a table": func(o dpkit.Provenance) View {
			t := handTable([]string{"ward"}, []string{"a", "b"})
			t.Provenance = o
			return Value(t)
		},
		"logistic": func(o dpkit.Provenance) View {
			return Value(dpkit.LogisticModel{Label: "y", Classes: [2]string{"a", "b"}, Columns: []string{"x"}, Coef: []float64{1}, Provenance: o})
		},
		"linear": func(o dpkit.Provenance) View {
			return Value(dpkit.LinearModel{Label: "y", Columns: []string{"x"}, Coef: []float64{1}, Provenance: o})
		},
		"quantile": func(o dpkit.Provenance) View {
			return Value(dpkit.QuantileEstimate{Column: "x", Q: 0.5, Value: 3, Rate: 1, Candidates: 9, Provenance: o})
		},
		"matrix": func(o dpkit.Provenance) View {
			return Value(dpkit.GramMatrix{Columns: []string{"x"}, Second: []float64{1}, Sigma: 1, Provenance: o})
		},
	}
	for name, of := range values {
		t.Run(name, func(t *testing.T) {
			v := of(o)
			text, html := v.Text(), v.HTML()
			for _, want := range []string{"0.5", "1e-06", "replace-one", "row"} {
				if !strings.Contains(text, want) || !strings.Contains(html, want) {
					t.Errorf("the view lacks %q:\n%s", want, text)
				}
				if v.fig != nil && !strings.Contains(v.alt, want) {
					t.Errorf("the picture's text lacks %q: %s", want, v.alt)
				}
			}
			if strings.Contains(text, "\x1b") {
				t.Error("a control character came through")
			}
			if v := of(dpkit.Provenance{NotPrivate: "a demonstration"}); !strings.Contains(v.Text(), "NOT PRIVATE") || v.fig != nil && len(v.fig.Alarms) != 1 {
				t.Errorf("a demonstration shows as\n%s", v.Text())
			}
			if v := of(dpkit.Provenance{}); strings.Contains(v.Text(), "guarantee") {
				t.Errorf("a value of no release shows as\n%s", v.Text())
			}
			conditional := o
			g := *o.Guarantee
			g.Scope = accountant.Scope{Kind: accountant.Conditional, On: []string{"norms"}}
			conditional.Guarantee = &g
			if v := of(conditional); v.fig != nil && len(v.fig.Alarms) != 1 || !strings.Contains(strings.ToUpper(v.Text()), "CONDITIONAL") {
				t.Errorf("a conditional guarantee shows as\n%s", v.Text())
			}
		})
	}
}
