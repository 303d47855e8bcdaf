package viz

import (
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit"
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
