package frames_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"github.com/dpkit-go/dpnb/frames"
)

func visitsSchema(t testing.TB) frames.Schema {
	t.Helper()
	s, err := frames.NewSchema(frames.Person("patient"), frames.Numeric("stay", 0, 100), frames.Label("back", "no", "yes"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const visits = "patient,stay,back\nann,3,no\nbob,5,yes\nann,4,yes\n\"carl, jr\",1,no\n"

// ids are the people of all rows of a source, in order.
func ids(t testing.TB, src frames.Source) (out []frames.PersonID) {
	t.Helper()
	if err := src.Scan(t.Context(), func(b *frames.Block) error {
		if len(b.Person) != b.Rows {
			return fmt.Errorf("got %d people for %d rows", len(b.Person), b.Rows)
		}
		out = append(out, b.Person...)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestPeople: every way to read a table knows whose row is whose, and how many people there are.
func TestPeople(t *testing.T) {
	s := visitsSchema(t)
	path := writeFile(t, "visits.csv", visits)
	read := must(frames.ReadCSV(path, s, frames.CSVOptions{Header: true}))
	opened := must(frames.OpenCSV(path, s, frames.CSVOptions{Header: true}))
	gota := must(frames.FromGota(dataframe.New(
		series.New([]string{"ann", "bob", "ann", "carl, jr"}, series.String, "patient"),
		series.New([]float64{3, 5, 4, 1}, series.Float, "stay"),
		series.New([]string{"no", "yes", "yes", "no"}, series.String, "back"),
	), s, frames.GotaOptions{}))
	arff := must(frames.ReadARFF(writeFile(t, "visits.arff", "@relation v\n@attribute patient string\n@attribute stay numeric\n@attribute back {no,yes}\n@data\nann,3,no\nbob,5,yes\nann,4,yes\n'carl, jr',1,no\n"), s, frames.ARFFOptions{}))
	want := ids(t, read)
	key := []byte("a key of a ledger, 32 bytes long")
	sum := must(must(frames.ContentOf(t.Context(), read)).Fingerprint(key, "stay", "back", "patient"))
	ordered := read.Fingerprint(key)
	for name, src := range map[string]frames.Source{
		"read": read, "opened": opened, "gota": gota, "arff": arff, "small blocks": read.Blocks(3), "collected": must(frames.Collect(t.Context(), opened)),
		"one part": must(frames.Concat(read)),
	} {
		got := ids(t, src)
		if fmt.Sprintf("%x", rawIDs(got)) != fmt.Sprintf("%x", rawIDs(want)) {
			t.Errorf("%s: other people than those read", name)
		}
		if n := must(frames.People(t.Context(), src)); n != 3 {
			t.Errorf("%s: got %d people, want 3", name, n)
		}
		if got := must(must(frames.ContentOf(t.Context(), src)).Fingerprint(key, "stay", "back", "patient")); got != sum {
			t.Errorf("%s: another content", name)
		}
		if got := must(frames.Fingerprint(t.Context(), src, key)); got != ordered {
			t.Errorf("%s: another fingerprint", name)
		}
	}
	if want[0] != want[2] || want[0] == want[1] || want[1] == want[3] {
		t.Error("rows of one person do not have one ID, or those of two have")
	}
	twice := must(frames.Concat(read, opened))
	if n := must(frames.People(t.Context(), twice)); n != 3 {
		t.Errorf("the same people in two files: got %d, want 3", n)
	}
	other := must(frames.ParseCSV(strings.NewReader(strings.Replace(visits, "bob", "rob", 1)), "v", s, frames.CSVOptions{Header: true}))
	if got := must(must(frames.ContentOf(t.Context(), other)).Fingerprint(key, "stay", "back", "patient")); got == sum {
		t.Error("another person's row is the same content")
	}
	if got := must(must(frames.ContentOf(t.Context(), other)).Fingerprint(key, "stay", "back")); got != must(must(frames.ContentOf(t.Context(), read)).Fingerprint(key, "stay", "back")) {
		t.Error("columns that are the same have another content")
	}
}

// rawIDs are IDs as plain bytes, which print.
func rawIDs(in []frames.PersonID) (out [][16]byte) {
	for _, id := range in {
		out = append(out, id)
	}
	return out
}

func TestPersonPrintsAsNothing(t *testing.T) {
	id := ids(t, must(frames.ParseCSV(strings.NewReader(visits), "v", visitsSchema(t), frames.CSVOptions{Header: true})))[0]
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x", "%d", "%q"} {
		if got := fmt.Sprintf(verb, id); got != "person" {
			t.Errorf("%s: got %q", verb, got)
		}
	}
	if data, err := json.Marshal(id); !errors.Is(err, frames.ErrPrivate) {
		t.Errorf("JSON: got %s, %v", data, err)
	}
}

func TestPersonRefused(t *testing.T) {
	s := visitsSchema(t)
	for _, c := range []struct {
		name, cell string
		trim       bool
		want       error
		says       string
	}{
		{"missing", "", false, frames.ErrMissing, "want the person that the row is of"},
		{"a marker of missing cells", "NA", false, frames.ErrMissing, "a row of nobody has no guarantee"},
		{"blanks", "  ", true, frames.ErrMissing, "line 2"},
		{"space around", " ann", false, frames.ErrMissing, "TrimSpace"},
		{"quoted and empty", `""`, false, frames.ErrMissing, "line 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := frames.ParseCSV(strings.NewReader("patient,stay,back\n"+c.cell+",3,no\n"), "v", s, frames.CSVOptions{Header: true, TrimSpace: c.trim})
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %v with %q", err, c.want, c.says)
			}
		})
	}
	if _, err := frames.ReadLibSVM(writeFile(t, "v.svm", "1 1:2\n"), s, frames.LibSVMOptions{}); !errors.Is(err, frames.ErrSchema) {
		t.Errorf("libsvm: got %v", err)
	}
	f := must(frames.ParseCSV(strings.NewReader(visits), "v", s, frames.CSVOptions{Header: true}))
	if _, _, err := frames.Split(f, 0.5, 1); !errors.Is(err, frames.ErrOptions) {
		t.Errorf("split: got %v", err)
	}
	if _, err := frames.FromBlock(s, &frames.Block{Rows: 1, Cols: 1, X: []float64{1}, Y: []float64{0}}); !errors.Is(err, frames.ErrRagged) {
		t.Errorf("a block without people: got %v", err)
	}
	if _, err := frames.People(context.Background(), must(frames.FromBlock(must(frames.NewSchema(frames.Numeric("a", 0, 1))), &frames.Block{Rows: 1, Cols: 1, X: []float64{1}}))); !errors.Is(err, frames.ErrSchema) {
		t.Errorf("people of a table that names none: got %v", err)
	}
	for name, cols := range map[string][]frames.Column{
		"two":         {frames.Person("a"), frames.Person("b"), frames.Numeric("x", 0, 1)},
		"with bounds": {{Name: "a", Kind: frames.KindPerson, Hi: 1}},
		"may miss":    {frames.Person("a").MayMiss()},
	} {
		if _, err := frames.NewSchema(cols...); !errors.Is(err, frames.ErrSchema) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestPersonInSchemas(t *testing.T) {
	s := visitsSchema(t)
	data := must(json.Marshal(s))
	var back frames.Schema
	if err := json.Unmarshal(data, &back); err != nil || back.Hash() != s.Hash() {
		t.Errorf("%s: read back %v, %v", data, back, err)
	}
	if len(s.Features()) != 1 {
		t.Error("the person is a feature")
	}
	f := must(frames.ParseCSV(strings.NewReader(visits), "v", s, frames.CSVOptions{Header: true}))
	opened := must(frames.OpenCSV(writeFile(t, "visits.csv", visits), s, frames.CSVOptions{Header: true}))
	for _, text := range []string{f.String(), opened.String(), f.Describe().String()} {
		if !strings.Contains(text, "3 people") || strings.Contains(text, "4 rows") {
			t.Errorf("counts rows, whose number is private, in place of people:\n%s", text)
		}
	}
	for _, text := range []string{s.String(), frames.Describe(s).String()} {
		if !strings.Contains(text, "patient") || !strings.Contains(text, "person") {
			t.Errorf("does not say that rows are of people:\n%s", text)
		}
	}
	if got := strings.Join(frames.Public(f).Names(), " "); got != "stay back" {
		t.Errorf("names of a public frame: got %q", got)
	}
	if text := frames.Public(f).String(); strings.Contains(text, "ann") {
		t.Errorf("a name is in a public frame:\n%s", text)
	}
	if df := frames.Public(f).Gota(); df.Err != nil || df.Ncol() != 2 {
		t.Errorf("gota: got %v", df)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
