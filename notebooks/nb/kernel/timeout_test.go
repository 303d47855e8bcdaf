package kernel

import (
	"testing"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

func TestCellTimeout(t *testing.T) {
	for source, want := range map[string]string{
		"%%\n//| timeout: 30s":       "30s",
		"  // | timeout: 1m30s \r\n": "1m30s",
		"//| timeout: soon":          "refused",
		"//| timeout: -1s":           "refused",
		"// timeout: 3s":             "0s",
		"%%bash\n//| timeout: 3s":    "0s",
		"":                           "0s",
	} {
		got := "refused"
		if d, err := cellTimeout(&nb.Cell{Source: source}); err == nil {
			got = d.String()
		}
		if got != want {
			t.Errorf("%q: got %s, want %s", source, got, want)
		}
	}
}
