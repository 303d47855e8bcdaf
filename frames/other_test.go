package frames_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"github.com/dpkit-go/dpnb/frames"
)

// otherSchema has a category and a label that take what their codebook does not list.
func otherSchema(t *testing.T) frames.Schema {
	t.Helper()
	s, err := frames.NewSchema(
		frames.Category("school", "graduate", "university").Other("other").MayMiss(),
		frames.Numeric("age", 0, 100),
		frames.Label("paid", "no", "yes", "other").Other("other"),
	)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestOtherLevels(t *testing.T) {
	for _, c := range []struct {
		name, school, paid string
		want               string // levels
		err                error
	}{
		{"declared", "graduate", "no", "graduate no", nil},
		{"undeclared", "0", "maybe", "other other", nil},
		{"the level itself", "other", "other", "other other", nil},
		{"quoted", `"a, b"`, `"yes"`, "other yes", nil},
		{"missing", "?", "yes", "NaN yes", nil},
		{"a level but for the space around it", " graduate", "yes", "", frames.ErrLevel},
		{"a missing label", "graduate", "?", "", frames.ErrMissing},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := frames.ReadCSV(writeFile(t, "rows.csv", "school,age,paid\n"+c.school+",3,"+c.paid+"\n"), otherSchema(t), frames.CSVOptions{Header: true})
			if c.err != nil {
				if !errors.Is(err, c.err) {
					t.Fatalf("got %v, want %v", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			df := frames.Public(f).Gota()
			if got := df.Col("school").Elem(0).String() + " " + df.Col("paid").Elem(0).String(); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestOtherLevelsOfOtherFormats(t *testing.T) {
	s := otherSchema(t)
	df := dataframe.New(
		series.New([]string{"graduate", "5"}, series.String, "school"),
		series.New([]float64{1, 2}, series.Float, "age"),
		series.New([]string{"yes", "6"}, series.String, "paid"),
	)
	f, err := frames.FromGota(df, s, frames.GotaOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := frames.Public(f).Gota().Col("school").Records(); !slices.Equal(got, []string{"graduate", "other"}) {
		t.Errorf("gota: got %v", got)
	}
	numbers, err := frames.NewSchema(frames.Numeric("a", 0, 9), frames.Label("class", "-1", "1").Other("other"))
	if err != nil {
		t.Fatal(err)
	}
	f, err = frames.ReadLibSVM(writeFile(t, "rows.svm", "1 1:3\n-1 1:2\n7 1:1\n"), numbers, frames.LibSVMOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := frames.Public(f).Gota().Col("class").Records(); !slices.Equal(got, []string{"1", "-1", "other"}) {
		t.Errorf("libsvm: got %v", got)
	}
}

func TestOtherInSchemas(t *testing.T) {
	plain := frames.Category("a", "x", "y", "z")
	if got := frames.Category("a", "x", "y").Other("z").Levels; !slices.Equal(got, plain.Levels) {
		t.Errorf("levels: got %v, want %v", got, plain.Levels)
	}
	hash := func(c frames.Column) [32]byte {
		s, err := frames.NewSchema(c)
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var back frames.Schema
		if err := json.Unmarshal(data, &back); err != nil || back.Hash() != s.Hash() {
			t.Errorf("%s: read back %v, %v", data, back, err)
		}
		return s.Hash()
	}
	if a, b, c := hash(plain), hash(plain.Other("z")), hash(plain.Other("y")); a == b || b == c || a == c {
		t.Error("schemas that read rows in other ways have one hash")
	}
	s, _ := frames.NewSchema(plain.Other("z"))
	if !strings.Contains(s.String(), "others are z") {
		t.Errorf("the schema does not say it:\n%s", s)
	}
	for name, c := range map[string]frames.Column{
		"number":         frames.Numeric("a", 0, 1).Other("z"),
		"numeric label":  frames.NumericLabel("a", 0, 1).Other("z"),
		"ignored":        {Name: "a", Kind: frames.KindIgnored, Rest: "z"},
		"not a level":    {Name: "a", Kind: frames.KindCategory, Levels: []string{"x", "y"}, Rest: "z"},
		"control in it":  frames.Category("a", "x", "y").Other("z\n"),
		"empty and more": frames.Category("a", "x", "").Other("z"),
	} {
		if _, err := frames.NewSchema(c); !errors.Is(err, frames.ErrSchema) {
			t.Errorf("%s: got %v, want ErrSchema", name, err)
		}
	}
}
