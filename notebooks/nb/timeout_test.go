package nb

import "testing"

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
		if d, err := (&Cell{Source: source}).timeout(); err == nil {
			got = d.String()
		}
		if got != want {
			t.Errorf("%q: got %s, want %s", source, got, want)
		}
	}
}
