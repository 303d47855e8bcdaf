package accountant

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// TestUnits: every unit has a word of its own, which reads back, and what n counts.
func TestUnits(t *testing.T) {
	for u, counted := range map[Unit]string{
		PerRow: "rows", PerPerson: "people", PerPersonDay: "person-days", PerPersonWeek: "person-weeks", PerPersonMonth: "person-months", PerPersonYear: "person-years",
	} {
		data, err := json.Marshal(map[string]Unit{"unit": u})
		var back map[string]Unit
		if err == nil {
			err = json.Unmarshal(data, &back)
		}
		if err != nil || back["unit"] != u || u.Counted() != counted || u.Validate() != nil {
			t.Errorf("%v: got %s, %v, %q, %v", u, data, back, u.Counted(), err)
		}
		g := Guarantee{Budget: Budget{Epsilon: 1, Delta: 1e-6}, Neighbours: ReplaceOne, Scope: Scope{Kind: Unconditional}, Unit: u}
		if got := g.String(); u != PerRow && !strings.Contains(got, "-DP per "+u.String()+", replace-one") {
			t.Errorf("%v: %s", u, got)
		}
	}
	var u Unit
	for _, text := range []string{"", "people", "person and fortnight", "Unit(9)"} {
		if err := u.UnmarshalText([]byte(text)); !errors.Is(err, ErrParameter) {
			t.Errorf("%q: got %v", text, err)
		}
	}
	if Unit(len(units)).Validate() == nil {
		t.Error("a unit of a newer version is valid")
	}
}
