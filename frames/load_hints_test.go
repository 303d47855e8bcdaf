package frames

import (
	"errors"
	"strings"
	"testing"
)

func TestHintsOfTheLoader(t *testing.T) {
	schema, err := NewSchema(Numeric("age", 17, 60), Numeric("pay", 0, 9))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		text string
		is   error
		want []string
		not  string
	}{
		"space around names": {"age, pay\n20, 3\n", ErrHeader, []string{"set TrimSpace"}, "rename"},
		"case and space":     {"Age, pay\n20, 3\n", ErrHeader, []string{"set TrimSpace, rename"}, ""},
		"no header":          {"20,3\n30,4\n", ErrHeader, []string{"line 1: no field has a column's name: does the file have a header? If not, unset Header"}, "20"},
		"one name differs":   {"age,wage\n20,3\n", ErrHeader, []string{"rename the columns"}, "unset Header"},
		"many cells":         {"age,pay\n99,3\n98,3\n20,77\n97,3\n", ErrBounds, []string{`column "age", field 1: 3 cells: outside the declared bounds [17, 60]: correct`, "lines 2, 3, 5", `line 4, field 2, column "pay"`}, "99"},
	} {
		_, err := ParseCSV(strings.NewReader(c.text), "t.csv", schema, CSVOptions{Header: true})
		if !errors.Is(err, c.is) {
			t.Errorf("%s: got %v", name, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: no %q in %v", name, want, err)
			}
		}
		if c.not != "" && strings.Contains(err.Error(), c.not) || strings.Count(err.Error(), "correct the bounds") > 2 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
