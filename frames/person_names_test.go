package frames_test

import (
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// TestNamesOfPeople: an ignored column that is named like a person warns, from its name alone.
func TestNamesOfPeople(t *testing.T) {
	warned := func(cols ...frames.Column) string {
		s := must(frames.NewSchema(append(cols, frames.Numeric("stay", 0, 1))...))
		text := strings.Join(s.Warnings(), "\n")
		if described := frames.Describe(s).String(); strings.Contains(described, "warning: ") != (text != "") || !strings.Contains(described, text) {
			t.Errorf("described as\n%s, which does not have %q", described, text)
		}
		return text
	}
	for _, name := range []string{"id", "ID", "Id", "patient", "patient_id", "PatientID", "patientId", "IDNumber", "user name", "e-mail/email", "customer.id", "household2", "SSN", "Subject"} {
		if !strings.Contains(warned(frames.Ignored(name)), name) {
			t.Errorf("%q does not warn", name)
		}
	}
	for _, name := range []string{"idle", "paid", "width", "solid", "userful", "membership", "notes", "Identity", "personal", "accounting", "valid", "GRID", "ü", ""} {
		if name == "" {
			continue
		}
		if text := warned(frames.Ignored(name)); text != "" {
			t.Errorf("%q: %s", name, text)
		}
	}
	if text := warned(frames.Ignored("user"), frames.Ignored("id")); !strings.Contains(text, `"user", "id" are named`) {
		t.Errorf("two: %s", text)
	}
	if text := warned(frames.Person("user"), frames.Ignored("id")); text != "" {
		t.Errorf("beside a person: %s", text)
	}
	if text := warned(frames.Category("user", "a", "b")); text != "" {
		t.Errorf("a feature: %s", text)
	}
}
