package viz

import (
	"os"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit"
)

func exampleEstimates() dpkit.Estimates {
	return dpkit.Estimates{
		Of: "count", Names: []string{"<b>Private</b>", "Self-emp", "Never-worked", "(missing)"},
		Values: []float64{18123.4, 2021.7, -3.1, 1466.2}, Sigma: []float64{6, 6, 6, 6},
	}
}

func TestEstimatesView(t *testing.T) {
	v := Estimates(exampleEstimates())
	text := v.Text()
	for _, want := range []string{"Released counts", "Self-emp", "2022 ± 11.8", "−3 ± 11.8", "95 %"} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
	if html := v.HTML(); strings.Contains(html, "<b>Private") {
		t.Error("a name came through as markup")
	}
	png, err := v.PNG()
	if err != nil || len(png) < 2000 {
		t.Errorf("PNG of %d bytes, %v", len(png), err)
	}
	if path := os.Getenv("VIZ_LOOK"); path != "" {
		if err := os.WriteFile(path, png, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	broken := exampleEstimates()
	broken.Sigma = nil
	if got := Estimates(broken).Text(); !strings.Contains(got, "incomplete") {
		t.Errorf("incomplete estimates show as %q", got)
	}
}
