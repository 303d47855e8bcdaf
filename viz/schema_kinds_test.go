package viz

import (
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// TestSchemaOfDatesAndPeople: days are shown as days, a roster by its number of people and never by its names, and an ignored column that
// is named like a person warns.
func TestSchemaOfDatesAndPeople(t *testing.T) {
	listed, err := frames.NewSchema(frames.Person("patient").Roster("ann", "bob"), frames.Date("day", "2024-01-01", "2024-12-31").Written("02.01.2006"))
	if err != nil {
		t.Fatal(err)
	}
	text := Schema(listed).Text()
	for _, want := range []string{"date", "01.01.2024 to 31.12.2024", "one of 2 people, who are listed"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "ann") || strings.Contains(text, "warning") {
		t.Errorf("got\n%s", text)
	}
	ignored, err := frames.NewSchema(frames.Ignored("userId"), frames.Numeric("stay", 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	if text := Schema(ignored).Text(); !strings.Contains(text, `the ignored column "userId" is named like a person`) {
		t.Errorf("got\n%s", text)
	}
}
