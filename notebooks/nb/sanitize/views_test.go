package sanitize

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSortedTablesSurvive: pages keep a released table with all of its orders, which need neither inputs, which pages take out, nor a script.
func TestSortedTablesSurvive(t *testing.T) {
	view, err := os.ReadFile(filepath.Join("..", "..", "..", "viz", "testdata", "golden", "groups-many.html"))
	if err != nil {
		t.Fatal(err)
	}
	clean := HTML(string(view), Options{Scope: "#out", IDPrefix: "out-"})
	if clean.Removed {
		t.Error("something was taken out")
	}
	for _, part := range []string{"<details>", ">Sorted by count, largest first</summary>", "</details>", "<tr>", "<td", `<th scope="col"`, "<table>"} {
		if got, want := strings.Count(clean.HTML, part), strings.Count(string(view), part); got != want || want == 0 {
			t.Errorf("%s stands %d times, want %d", part, got, want)
		}
	}
	radio := HTML(`<input type="radio" name="order" checked><input type="checkbox">`, Options{})
	if strings.Contains(radio.HTML, "radio") || !strings.Contains(radio.HTML, "disabled") {
		t.Errorf("inputs, by which style could choose an order, are kept: %s", radio.HTML)
	}
}
