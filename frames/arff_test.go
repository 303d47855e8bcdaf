package frames_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

const peopleARFF = `% people
@relation people

@attribute age numeric
@attribute job {clerk,nurse,smith}
@attribute id string
@attribute gain real
@attribute income {low,high}

@data
`

func TestParseARFF(t *testing.T) {
	const plain = "30,clerk,x1,5,low\n41.5,?,x2,?,high\n0,smith,x3,-3,low\n"
	for name, tc := range map[string]struct {
		text string
		o    frames.ARFFOptions
	}{
		"plain":            {text: peopleARFF + plain},
		"CRLF":             {text: strings.ReplaceAll(peopleARFF+plain, "\n", "\r\n")},
		"byte order mark":  {text: "\ufeff" + peopleARFF + plain},
		"upper case":       {text: strings.NewReplacer("@relation", "@RELATION", "@attribute", "@Attribute", "numeric", "NUMERIC", "real", "Integer", "@data", "@DATA").Replace(peopleARFF) + plain},
		"stray blanks":     {text: peopleARFF + "30 ,\tclerk, x1,5\t,low\t\n\t41.5,\t?,x2, ? ,\thigh \n0,smith,x3,-3,low"},
		"comments":         {text: strings.ReplaceAll(peopleARFF, "\n", "\n% c\n") + "%\n" + strings.ReplaceAll(plain, "\n", "\n  % c ,'\n\n")},
		"quoted names":     {text: strings.NewReplacer(" age ", " 'age' ", " job ", ` "job"`+"\t", " income ", "\t'income'").Replace(peopleARFF) + plain},
		"names at a brace": {text: strings.ReplaceAll(peopleARFF, "job {", "job{ ") + plain},
		"quoted levels":    {text: strings.ReplaceAll(peopleARFF, "{clerk,nurse,smith}", `{ 'clerk' , "nurse",smith } % jobs`) + plain},
		"quoted values":    {text: peopleARFF + "'30',\"clerk\" ,'x, 1', 5,'low'\n41.5,?,'it\\'s',?,\"high\"\n0,'s\\mith',\"{%\",-3,low\n"},
		"date":             {text: strings.ReplaceAll(peopleARFF, "id string", `id date "yyyy-MM-dd"`) + plain},
		"other order":      {text: "@relation r\n@attribute income {low,high}\n@attribute gain numeric\n@attribute job {smith,clerk}\n@attribute age numeric\n@data\nlow,5,clerk,30\nhigh,?,?,41.5\nlow,-3,smith,0\n"},
		"own markers":      {text: peopleARFF + strings.ReplaceAll(plain, "?", "NA"), o: frames.ARFFOptions{Missing: []string{"NA"}}},
		"sparse":           {text: peopleARFF + "{0 30, 2 x1,\t3 5}\n{0 41.5,1 ?,3 ?,4 'high'}\n{1 smith,3 -3 }\n"},
		"sparse and dense": {text: peopleARFF + "30,clerk,'}',5,low\n{0 41.5,1 ?,2 \"a}\",3 ?,4 high} \n{1 smith,3 -3}"},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := frames.ParseARFF(strings.NewReader(tc.text), "test.arff", people(t), tc.o)
			if err != nil {
				t.Fatal(err)
			}
			if got := cells(f); got != peopleRows {
				t.Errorf("got\n%s\nwant\n%s", got, peopleRows)
			}
		})
	}
}

func TestParseARFFRefuses(t *testing.T) {
	const good = "30,clerk,x,5,low\n"
	header := func(old, repl string) string { return strings.Replace(peopleARFF, old, repl, 1) + good }
	type place struct{ line, field int }
	for name, tc := range map[string]struct {
		text  string
		is    error
		at    place
		wants []string
	}{
		"bounds":                 {peopleARFF + "-1,clerk,x,5,low\n", frames.ErrBounds, place{11, 1}, []string{`"age"`, "[0, 120]"}},
		"level":                  {peopleARFF + good + "3,baker,x,5,low\n", frames.ErrLevel, place{12, 2}, []string{`"job"`, "3 (clerk | nurse | smith)"}},
		"missing number":         {peopleARFF + "?,clerk,x,5,low\n", frames.ErrMissing, place{11, 1}, []string{"MayMiss"}},
		"missing label":          {peopleARFF + "3,clerk,x,5,?\n", frames.ErrMissing, place{11, 5}, nil},
		"empty cell":             {peopleARFF + "3,,x,5,low\n", frames.ErrLevel, place{11, 2}, nil},
		"quoted marker":          {peopleARFF + "3,'?',x,5,low\n", frames.ErrLevel, place{11, 2}, nil},
		"quoted marker, number":  {peopleARFF + "3,clerk,x,'?',low\n", frames.ErrNumber, place{11, 4}, nil},
		"too few":                {peopleARFF + "3,clerk,x,5\n", frames.ErrRagged, place{11, 0}, []string{"got 4, want 5"}},
		"too many":               {peopleARFF + "3,clerk,'x',5,low,\n", frames.ErrRagged, place{11, 0}, []string{"got 6, want 5"}},
		"weight":                 {peopleARFF + "3,clerk,x,5,low,{2}\n", frames.ErrRagged, place{11, 0}, []string{"weight"}},
		"weight of a sparse row": {peopleARFF + "{0 3},{2}\n", frames.ErrRagged, place{11, 0}, []string{"weight"}},
		"bare quote":             {peopleARFF + "3,cl'erk,x,5,low\n", frames.ErrQuote, place{11, 0}, nil},
		"quote never closed":     {peopleARFF + "3,'clerk,x,5,low\n" + good, frames.ErrQuote, place{11, 0}, nil},
		"text after a quote":     {peopleARFF + "3,'clerk's,x,5,low\n", frames.ErrQuote, place{11, 0}, nil},
		"per cent":               {peopleARFF + "3,clerk,x,5%,low\n", frames.ErrQuote, place{11, 0}, []string{"per cent"}},
		"sparse never closed":    {peopleARFF + "{0 3\n", frames.ErrQuote, place{11, 0}, nil},
		"sparse index":           {peopleARFF + "{5 3}\n", frames.ErrIndex, place{11, 0}, []string{"0 to 4"}},
		"sparse index overflow":  {peopleARFF + "{18446744073709551616 3}\n", frames.ErrIndex, place{11, 0}, nil},
		"sparse descends":        {peopleARFF + "{1 smith,0 3}\n", frames.ErrIndex, place{11, 0}, nil},
		"sparse repeats":         {peopleARFF + "{1 smith,1 smith}\n", frames.ErrIndex, place{11, 0}, nil},
		"sparse without value":   {peopleARFF + "{1}\n", frames.ErrIndex, place{11, 0}, nil},
		"sparse trailing comma":  {peopleARFF + "{1 smith,}\n", frames.ErrIndex, place{11, 0}, nil},
		"empty":                  {"", frames.ErrEmpty, place{}, nil},
		"no data line":           {"@relation r\n@attribute age numeric\n", frames.ErrHeader, place{}, []string{"no @data"}},
		"no rows":                {peopleARFF + "% none\n", frames.ErrEmpty, place{}, nil},
		"no attributes":          {"@relation r\n@data\n1\n", frames.ErrHeader, place{}, []string{"line 2"}},
		"not ARFF":               {good, frames.ErrHeader, place{}, []string{"line 1"}},
		"relational":             {header("id string", "bag relational"), frames.ErrHeader, place{}, []string{"line 6", "relational"}},
		"unknown type":           {header("id string", "id text"), frames.ErrHeader, place{}, []string{"line 6"}},
		"no type":                {header("id string", "id"), frames.ErrHeader, place{}, []string{"line 6"}},
		"text after the type":    {header("id string", "id string x"), frames.ErrHeader, place{}, []string{"line 6"}},
		"levels not closed":      {header("smith}", "smith"), frames.ErrHeader, place{}, []string{"line 5"}},
		"name not closed":        {header("age", "'age"), frames.ErrHeader, place{}, []string{"line 4"}},
		"attribute lacks":        {strings.Replace(header("@attribute gain real\n", ""), ",5,", ",", 1), frames.ErrHeader, place{}, []string{`"gain"`}},
		"attribute too many":     {header("@attribute gain real\n", "@attribute gain real\n@attribute secretname real\n"), frames.ErrHeader, place{}, []string{"position 5"}},
		"UTF-16":                 {"\xff\xfe@\x00", frames.ErrEncoding, place{}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := frames.ParseARFF(strings.NewReader(tc.text), "test.arff", people(t), frames.ARFFOptions{})
			if !errors.Is(err, tc.is) || f != nil {
				t.Fatalf("got %v, want %v", err, tc.is)
			}
			var at *frames.CellError
			if errors.As(err, &at) != (tc.at.line > 0) || at != nil && (at.Line != tc.at.line || at.Field != tc.at.field) {
				t.Errorf("got place %+v, want %+v in %v", at, tc.at, err)
			}
			for _, want := range append(tc.wants, "test.arff") {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v lacks %q", err, want)
				}
			}
			for _, secret := range []string{"baker", "secretname", "'erk", "5%"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("%v repeats %q", err, secret)
				}
			}
		})
	}
}

// In a sparse row an omitted nominal value is the header's first level, not the schema's, and an omitted string has none.
func TestSparseARFFDefaults(t *testing.T) {
	const text = "@relation r\n@attribute c {b,a}\n@attribute s string\n@attribute n {7,8}\n@data\n{}\n{0 a,1 u,2 8}\n"
	s := mustSchema(t, frames.Category("c", "a", "b"), frames.Category("s", "u", "v").MayMiss(), frames.Numeric("n", 0, 9))
	f, err := frames.ParseARFF(strings.NewReader(text), "t", s, frames.ARFFOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := cells(f), "b|NA|7\na|u|8\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestARFFSchema(t *testing.T) {
	path := writeFile(t, "p.arff", peopleARFF+"this is not a row\n")
	d, err := frames.ARFFSchema(path, frames.ARFFOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := d.Unbounded(), []string{"age", "gain"}; !slices.Equal(got, want) {
		t.Errorf("got unbounded %v, want %v", got, want)
	}
	_, err = d.With(frames.Numeric("age", 0, 120))
	if !errors.Is(err, frames.ErrSchema) || !strings.Contains(err.Error(), "1 numeric column without bounds: gain") {
		t.Errorf("got %v, want an error that names gain", err)
	}
	if _, err := d.With(frames.Numeric("wage", 0, 1)); !errors.Is(err, frames.ErrSchema) || !strings.Contains(err.Error(), `"wage"`) {
		t.Errorf("got %v, want an error that names wage", err)
	}
	job := d.Columns[1]
	s, err := d.With(frames.Numeric("age", 0, 120), job.MayMiss(), frames.Numeric("gain", -10, 100).Clamped().MayMiss(), frames.Label("income", "low", "high"))
	if err != nil {
		t.Fatal(err)
	}
	if want := people(t); s.Hash() != want.Hash() {
		t.Errorf("got\n%v\nwant\n%v", s, want)
	}
	if d.Columns[0].Hi != 0 {
		t.Error("With changed the draft")
	}
	if _, err := frames.ARFFSchema(path+"x", frames.ARFFOptions{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want os.ErrNotExist", err)
	}
	for name, text := range map[string]string{"not ARFF": "1,2,3\n", "UTF-16": "\xfe\xff\x00@", "empty": ""} {
		if _, err := frames.ARFFSchema(writeFile(t, "bad", text), frames.ARFFOptions{}); !errors.Is(err, frames.ErrHeader) && !errors.Is(err, frames.ErrEncoding) && !errors.Is(err, frames.ErrEmpty) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestOpenARFF(t *testing.T) {
	text, x, y := manyPeople(2500)
	text = peopleARFF + strings.ReplaceAll(text, ",,", ",?,")
	path := writeFile(t, "p.arff", text)
	o := frames.ARFFOptions{}
	f, err := frames.ReadARFF(path, people(t), o)
	if err != nil {
		t.Fatal(err)
	}
	src, err := frames.OpenARFF(path, people(t), o)
	if err != nil {
		t.Fatal(err)
	}
	checkFile(t, src, f, x, y, path)
	if _, err := frames.OpenARFF(path, frames.Schema{}, o); !errors.Is(err, frames.ErrSchema) {
		t.Errorf("got %v, want ErrSchema", err)
	}
}

func writeFile(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// checkFile holds a file's source and frame to the same values, and the source to noticing a change of the file.
func checkFile(t *testing.T, src *frames.File, f *frames.Frame, x, y []float64, path string) {
	t.Helper()
	for name, s := range map[string]frames.Source{"file": src, "frame": f} {
		gotX, gotY := rows(t, s)
		if !same(gotX, x) || !same(gotY, y) {
			t.Errorf("%s: other values", name)
		}
	}
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"half": old[:len(old)/2], "empty": nil, "twice": append(slices.Clone(old), old...)} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := src.Scan(t.Context(), func(*frames.Block) error { return nil }); !errors.Is(err, frames.ErrChanged) {
			t.Errorf("%s: got %v, want ErrChanged", name, err)
		}
	}
	if err := os.WriteFile(path, old, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := src.Scan(t.Context(), func(*frames.Block) error { return nil }); err != nil {
		t.Errorf("the file is back: got %v", err)
	}
}
