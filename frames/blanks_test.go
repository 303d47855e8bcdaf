package frames_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

func TestBlanks(t *testing.T) {
	const plain = "30,clerk,x1,5,low\n41.5,?,x2,NA,high\n0,smith,x3,-3,low\n"
	const header = "age,job,id,gain,income\n"
	wide := strings.NewReplacer(",", "  \t ")
	for name, tc := range map[string]struct {
		text string
		o    frames.CSVOptions
	}{
		"one blank":    {strings.ReplaceAll(plain, ",", " "), frames.CSVOptions{}},
		"runs":         {wide.Replace(plain), frames.CSVOptions{}},
		"at the ends":  {"  " + strings.ReplaceAll(wide.Replace(plain), "\n", " \t\r\n \t"), frames.CSVOptions{}},
		"blank lines":  {"\n  \n" + strings.ReplaceAll(wide.Replace(plain), "\n", "\n \n"), frames.CSVOptions{}},
		"header":       {wide.Replace(header + plain), frames.CSVOptions{Header: true}},
		"other order":  {"income gain job  age\nlow 5 clerk 30\nhigh ? NA 41.5\nlow -3 smith 0\n", frames.CSVOptions{Header: true}},
		"quoted":       {`"30" "clerk"  "x ""1"""	5 low` + "\n41.5 \"\" x2 \"\" high\n0 smith \"\"\"\" -3 \"low\"", frames.CSVOptions{}},
		"comments":     {"# by hand\n" + wide.Replace(plain), frames.CSVOptions{Comment: '#'}},
		"packed":       {packed(t, wide.Replace(plain)), frames.CSVOptions{}},
		"aligned":      {"  30.00 clerk  x1   5 low \n  41.50 NA     x2  NA high\n   0    smith  x3  -3 low \n", frames.CSVOptions{}},
		"byte order":   {"\ufeff" + wide.Replace(plain), frames.CSVOptions{}},
		"trim as well": {wide.Replace(plain), frames.CSVOptions{TrimSpace: true}},
	} {
		t.Run(name, func(t *testing.T) {
			tc.o.Blanks = true
			f, err := parse(people(t), tc.text, tc.o)
			if err != nil {
				t.Fatal(err)
			}
			if got := cells(f); got != peopleRows {
				t.Errorf("got\n%s\nwant\n%s", got, peopleRows)
			}
		})
	}
}

func TestBlanksRefuses(t *testing.T) {
	blanks := frames.CSVOptions{Blanks: true}
	const good = "30 clerk x 5 low\n"
	for name, tc := range map[string]struct {
		text string
		o    frames.CSVOptions
		is   error
		want string
	}{
		"ragged":             {good + "30 clerk x 5\n", blanks, frames.ErrRagged, "line 2: wrong number of fields: got 4, want 5"},
		"level":              {good + "\n 30   baker x 5 low\n", blanks, frames.ErrLevel, "line 3, field 2"},
		"quote in a field":   {good + "30 cl\"erk x 5 low\n", blanks, frames.ErrQuote, "line 2"},
		"quote not closed":   {good + "30 \"clerk x 5 low\n" + good, blanks, frames.ErrQuote, "line 2"},
		"doubled, not close": {good + "30 \"clerk\"\" x 5 low\n" + good, blanks, frames.ErrQuote, "line 2"},
		"text after a quote": {good + "30 \"clerk\"s x 5 low\n", blanks, frames.ErrQuote, "line 2"},
		"commas":             {strings.ReplaceAll(good, " ", ","), blanks, frames.ErrSeparator, "wrong separator of blanks: line 1 gives 1 field, want 5 (wrong number of fields): set Comma to ','"},
		"blanks unset":       {strings.ReplaceAll(good, " ", "   "), frames.CSVOptions{}, frames.ErrSeparator, "set Blanks"},
		"blanks in a header": {"age  job  id  gain  income\n" + good, frames.CSVOptions{Header: true}, frames.ErrSeparator, "set Blanks"},
		"with Comma":         {good, frames.CSVOptions{Blanks: true, Comma: ';'}, frames.ErrOptions, "drop one"},
		"header not set":     {"age job id gain income\n" + good, blanks, frames.ErrHeader, "set Header"},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := parse(people(t), tc.text, tc.o)
			if !errors.Is(err, tc.is) || f != nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("got %v, want %v and %q", err, tc.is, tc.want)
			}
			if strings.Contains(err.Error(), "baker") {
				t.Errorf("%v repeats a cell", err)
			}
		})
	}
}

func TestOpenBlanks(t *testing.T) {
	text, x, y := manyPeople(2500)
	path := writeFile(t, "p.txt", strings.NewReplacer(",,", " ? ", ",", "   ").Replace(text))
	o := frames.CSVOptions{Blanks: true}
	f, err := frames.ReadCSV(path, people(t), o)
	if err != nil {
		t.Fatal(err)
	}
	src, err := frames.OpenCSV(path, people(t), o)
	if err != nil {
		t.Fatal(err)
	}
	checkFile(t, src, f, x, y, path)
}

// The header of the UCI wine files: quoted names with blanks, semicolons.
func TestQuotedHeaderWithSemicolons(t *testing.T) {
	s := mustSchema(t, frames.Numeric("fixed acidity", 0, 20), frames.Numeric("pH", 0, 14), frames.NumericLabel("quality", 0, 10))
	o := frames.CSVOptions{Comma: ';', Header: true}
	f, err := parse(s, "\"fixed acidity\";\"pH\";\"quality\"\n7.4;3.51;5\n", o)
	if err != nil || cells(f) != "7.4|3.51|5\n" {
		t.Errorf("got %v and %v", f, err)
	}
	if _, err := parse(s, "\"fixed acidity\";\"ph\";\"quality\"\n7.4;3.51;5\n", o); !errors.Is(err, frames.ErrHeader) || !strings.Contains(err.Error(), `field 2 is "pH" up to case`) {
		t.Errorf("got %v, want ErrHeader and the near name", err)
	}
}

func TestMissingIn(t *testing.T) {
	s := mustSchema(t, frames.Numeric("births", 0, 20), frames.Numeric("glucose", 1, 300).MayMiss(), frames.Numeric("bmi", 0, 80).MayMiss())
	o := frames.CSVOptions{MissingIn: map[string][]string{"glucose": {"0"}, "bmi": nil}}
	const text = "0,0,NA\n1,148,0\n"
	f, err := parse(s, text, o)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := cells(f), "0|NA|NA\n1|148|0\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	src, err := frames.OpenCSV(writeFile(t, "p.csv", text), s, o)
	if err != nil {
		t.Fatal(err)
	}
	delete(o.MissingIn, "glucose")
	if err := src.Scan(t.Context(), func(*frames.Block) error { return nil }); err != nil {
		t.Errorf("the source shares the caller's map: %v", err)
	}
	for name, m := range map[string]map[string][]string{"other column": {"weight": {"0"}}, "not UTF-8": {"bmi": {"\xff"}}} {
		if _, err := parse(s, text, frames.CSVOptions{MissingIn: m}); !errors.Is(err, frames.ErrOptions) {
			t.Errorf("%s: got %v, want ErrOptions", name, err)
		}
	}
}
