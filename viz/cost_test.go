package viz

import (
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/dpkit/cost"
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
