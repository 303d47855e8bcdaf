package frames

import (
	"errors"
	"strings"
	"testing"
)

// TestNothingIsNamedAsMissingIs: no level and no text has the name of the group of cells without a value, so that two groups never have one name; the
// error says what to do, and what it says works.
func TestNothingIsNamedAsMissingIs(t *testing.T) {
	for name, c := range map[string]Column{
		"a level": Category("c", "a", MissingLevel), "a class": Label("c", "a", MissingLevel), "one for others": Category("c", "a").Other(MissingLevel),
		"one that may miss": Category("c", "a", "b", MissingLevel).MayMiss(),
	} {
		if _, err := NewSchema(Numeric("x", 0, 1), c); !errors.Is(err, ErrSchema) || !strings.Contains(err.Error(), "MayMiss") {
			t.Errorf("%s: %v", name, err)
		}
	}
	const file = "c\n(missing)\nb\n\n"
	read := func(c Column, o CSVOptions) error {
		s, err := NewSchema(c)
		if err != nil {
			return err
		}
		o.Header = true
		_, err = ParseCSV(strings.NewReader(file), "t", s, o)
		return err
	}
	if err := read(Text("c").MayMiss(), CSVOptions{}); !errors.Is(err, ErrText) || !strings.Contains(err.Error(), "name its marker in Missing") {
		t.Errorf("a text: %v", err)
	}
	for name, c := range map[string]Column{"texts": Text("c").MayMiss(), "levels": Category("c", "a", "b").MayMiss()} {
		if err := read(c, CSVOptions{Missing: []string{"", MissingLevel}}); err != nil {
			t.Errorf("%s with the marker named: %v", name, err)
		}
	}
	if _, err := Text("c").Code(MissingLevel); !errors.Is(err, ErrText) {
		t.Errorf("a text of a caller's source: %v", err)
	}
	if code, err := Text("c").Code("(Missing)"); err != nil || code == 0 {
		t.Errorf("another text: %v", err)
	}
}
