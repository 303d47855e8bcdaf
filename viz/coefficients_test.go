package viz

import (
	"image/color"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/dpkit/coefficient"
	"github.com/dpkit-go/dpnb/viz/internal/theme"
)

// TestLinearCoefficients: what can be read comes first, by magnitude and in colour, with its interval; the rest is grey and as the model
// has it. What has no interval is grey altogether, and the picture says why.
func TestLinearCoefficients(t *testing.T) {
	m := dpkit.LinearModel{
		Label: "price", Columns: []string{"rooms", "tax", "age", "far"}, Coef: []float64{0.5, -2, 3, 4}, Intercept: 21,
	}
	m.Law = handLaw(0.1, 0.25, 10, 1, 1)
	grey, blue, vermillion := faded(theme.Faint, 0.4), color.Color(theme.RGB(theme.Blue)), color.Color(theme.RGB(theme.Vermillion))
	for _, c := range []struct {
		name    string
		law     *coefficient.Law
		order   []string
		colours []color.Color
		says    []string
	}{
		{
			"some", m.Law,
			[]string{"far", "tax", "rooms", "age"},
			[]color.Color{blue, vermillion, blue, grey},
			[]string{"sign of 3 of 4", "95", "without noise", "rows are a sample", "in grey", "age: 3 [−16.6, 22.6], sign cannot be read", "intercept 21"},
		},
		{
			"all", handLaw(0.1, 0.25, 1, 1, 1),
			[]string{"far", "age", "tax", "rooms"},
			[]color.Color{blue, blue, vermillion, blue},
			[]string{"sign of 4 of 4", "largest 4 of 4"},
		},
		{"none", handLaw(9, 9, 9, 9, 9), m.Columns, []color.Color{grey, grey, grey, grey}, []string{"No sign", "order of the model"}},
		{
			"nothing bounds it", &coefficient.Law{Law: coefficient.OfMomentum}, m.Columns,
			[]color.Color{grey, grey, grey, grey},
			[]string{"Signs and sizes of the coefficients cannot be read", "momentum"},
		},
		{"from before", nil, m.Columns, []color.Color{grey, grey, grey, grey}, []string{"cannot be read", "earlier version"}},
		{"damaged", handLaw(1), m.Columns, []color.Color{grey, grey, grey, grey}, []string{"cannot be read", "damaged"}},
		{
			"without noise", &coefficient.Law{Law: coefficient.NoNoise},
			[]string{"far", "age", "tax", "rooms"},
			[]color.Color{blue, blue, vermillion, blue},
			[]string{"no noise was added"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			m.Law = c.law
			v := LinearCoefficients(m, 0)
			var order []string
			var colours []color.Color
			for _, b := range v.fig.Panels[0].(barPanel).Bars {
				order, colours = append(order, b.Label), append(colours, b.Spans[0].Color)
			}
			if !slices.Equal(order, c.order) || !slices.Equal(colours, c.colours) {
				t.Errorf("got %v in %v, want %v in %v", order, colours, c.order, c.colours)
			}
			for _, want := range c.says {
				if !strings.Contains(v.alt, want) {
					t.Errorf("%q is not in %q", want, v.alt)
				}
				if text := strings.Join(strings.Fields(v.Text()), " "); len(c.says) < 4 && !strings.Contains(text, want) {
					t.Errorf("%q is not in %q", want, text)
				}
			}
			if _, err := v.PNG(); err != nil {
				t.Error(err)
			}
		})
	}
	m.Law = handLaw(0.1, 0.25, 10, 1, 1)
	if v := LinearCoefficients(m, 1); !strings.Contains(v.alt, "far") || strings.Contains(v.alt, "rooms") {
		t.Errorf("one coefficient: %q", v.alt)
	}
	if _, err := LinearCoefficients(dpkit.LinearModel{}, 3).PNG(); err != nil {
		t.Error(err)
	}
}
