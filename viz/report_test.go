package viz

import (
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant/pdp"
)

func TestPrivacyView(t *testing.T) {
	for _, c := range []struct {
		view pdp.View
		want []string
		not  string
	}{
		{pdp.View{Model: 0.12, Both: 0.12, Rho: 0.05, Worst: 1}, []string{"at most 0.12", "0.95", "one record", "ε = 1"}, "by the report"},
		{pdp.View{Model: 0.12, Report: 0.1, Both: 0.2, Rho: 0.05, Worst: 1, Who: pdp.ForAllRows}, []string{"at most 0.2,", "by the report", "all rows"}, "the lower of the two"},
		{pdp.View{Model: 2, Both: 2, Rho: 0.05, Worst: 1}, []string{"the lower of the two"}, "by the report"},
	} {
		v := PrivacyView(c.view)
		text := v.Text()
		for _, w := range c.want {
			if !strings.Contains(strings.Join(strings.Fields(text), " "), w) {
				t.Errorf("%+v: no %q in\n%s", c.view, w, text)
			}
		}
		if strings.Contains(text, c.not) {
			t.Errorf("%+v: %q in\n%s", c.view, c.not, text)
		}
		if raw, err := v.PNG(); err != nil || len(raw) < 1000 {
			t.Errorf("PNG: %d bytes, %v", len(raw), err)
		}
	}
}
