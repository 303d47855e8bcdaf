package frames

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// everyColumn has a column of each kind and flag.
func everyColumn(t testing.TB) Schema {
	t.Helper()
	s, err := NewSchema(
		Numeric("age", 17, 90).Clamped(),
		Numeric("pay", -1.5, 0).MayMiss(),
		Category("work", "a", "b", "é").MayMiss(),
		Column{Name: "b1", Kind: KindNumeric, Hi: 0.5, Block: "b"},
		Column{Name: "b2", Kind: KindNumeric, Hi: 0.5, Block: "b"},
		Ignored("id"),
		NumericLabel("price", 0, 50),
	)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSchemaJSON(t *testing.T) {
	classes, err := NewSchema(Numeric("x", 0, 1), Label("y", "no", "yes"))
	if err != nil {
		t.Fatal(err)
	}
	unbounded, err := NewSchema(Unbounded("x").Guess(3), Unbounded("z"), UnboundedLabel("y"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []Schema{everyColumn(t), classes, unbounded, {}} {
		raw, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var back Schema
		if err := json.Unmarshal(raw, &back); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		if back.Hash() != s.Hash() {
			t.Errorf("%s became\n%v", raw, back)
		}
	}
}

func TestSchemaJSONRefuses(t *testing.T) {
	for _, c := range []struct{ name, raw, want string }{
		{"not an array", `{"name":"x"}`, "array of columns"},
		{"unknown kind", `[{"name":"x","kind":"number","lo":0,"hi":1}]`, `kind "number"`},
		{"unknown field", `[{"name":"x","kind":"numeric","min":0,"hi":1}]`, `"min"`},
		{"no bounds", `[{"name":"x","kind":"numeric"}]`, "bounds [0, 0]"},
		{"two labels", `[{"name":"x","kind":"label","hi":1},{"name":"y","kind":"label","hi":1}]`, "both labels"},
		{"a name twice", `[{"name":"x","kind":"ignored"},{"name":"x","kind":"ignored"}]`, "unique names"},
	} {
		var s Schema
		err := json.Unmarshal([]byte(c.raw), &s)
		if !errors.Is(err, ErrSchema) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want ErrSchema and %q", c.name, err, c.want)
		}
		if s.Len() != 0 {
			t.Errorf("%s: left a schema", c.name)
		}
	}
}
