package frames_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/dpkit-go/dpnb/frames"
)

func parse(s frames.Schema, text string, o frames.CSVOptions) (*frames.Frame, error) {
	return frames.ParseCSV(strings.NewReader(text), "test.csv", s, o)
}

// cells prints the rows of a frame for comparison.
func cells(f *frames.Frame) string {
	var b strings.Builder
	p := frames.Public(f)
	for i := range p.Rows() {
		fmt.Fprintln(&b, strings.Join(p.Row(i), "|"))
	}
	return b.String()
}

const peopleRows = "30|clerk|5|low\n41.5|NA|NA|high\n0|smith|-3|low\n"

func TestParseCSV(t *testing.T) {
	const plain = "30,clerk,x1,5,low\n41.5,?,x2,NA,high\n0,smith,x3,-3,low\n"
	header := "age,job,id,gain,income\n"
	for name, tc := range map[string]struct {
		text string
		o    frames.CSVOptions
	}{
		"plain":               {plain, frames.CSVOptions{}},
		"no last line end":    {strings.TrimSuffix(plain, "\n"), frames.CSVOptions{}},
		"CRLF":                {strings.ReplaceAll(plain, "\n", "\r\n"), frames.CSVOptions{}},
		"byte order mark":     {"\ufeff" + plain, frames.CSVOptions{}},
		"mark and header":     {"\ufeff" + header + plain, frames.CSVOptions{Header: true}},
		"blank lines":         {"\n\n" + strings.ReplaceAll(plain, "\n", "\n\r\n"), frames.CSVOptions{}},
		"semicolon":           {strings.ReplaceAll(plain, ",", ";"), frames.CSVOptions{Comma: ';'}},
		"tab":                 {strings.ReplaceAll(plain, ",", "\t"), frames.CSVOptions{Comma: '\t', TrimSpace: true}},
		"two-byte separator":  {strings.ReplaceAll(plain, ",", "§"), frames.CSVOptions{Comma: '§'}},
		"space trimmed":       {"  " + strings.ReplaceAll(plain, ",", " ,\t "), frames.CSVOptions{TrimSpace: true}},
		"space and quotes":    {` 30 , "clerk" ,x1, " 5" ,low` + "\n   \n41.5,?,x2,?,high\n0, smith,x3,-3,low", frames.CSVOptions{TrimSpace: true}},
		"comments":            {"# made by hand\n" + plain + "#\n", frames.CSVOptions{Comment: '#'}},
		"quoted":              {"\"30\",\"clerk\",\"a\n\"\"b\"\",c\",5,\"low\"\n41.5,?,x2,\"\",high\n0,smith,x3,-3,low\n", frames.CSVOptions{}},
		"own markers":         {strings.NewReplacer("?", "none", "NA", "none").Replace(plain), frames.CSVOptions{Missing: []string{"none"}}},
		"number as marker":    {strings.NewReplacer("?", "-9", "NA", "-9").Replace(plain), frames.CSVOptions{Missing: []string{"-9"}}},
		"header":              {header + plain, frames.CSVOptions{Header: true}},
		"header, other order": {"income,gain,job,id,age\nlow,5,clerk,,30\nhigh,,NA,,41.5\nlow,-3,smith,,0", frames.CSVOptions{Header: true}},
		"header, no ignored":  {"income,gain,job,age\nlow,5,clerk,30\nhigh,,,41.5\nlow,-3,smith,0", frames.CSVOptions{Header: true}},
		"header, space":       {"age , job, id , gain , income\n" + plain, frames.CSVOptions{Header: true, TrimSpace: true}},
		"exponents and signs": {"3e1,clerk,,+5.0,low\n4.15E1,?,,?,high\n-0,smith,,-3.,low\n", frames.CSVOptions{}},
		"long ignored field":  {strings.Replace(plain, "x1", strings.Repeat("z", 1<<18), 1), frames.CSVOptions{}},
		"long quoted field":   {strings.Replace(plain, "x1", `"`+strings.Repeat("z\n", 1<<16)+`"`, 1), frames.CSVOptions{}},
	} {
		t.Run(name, func(t *testing.T) {
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

func TestParseCSVRefuses(t *testing.T) {
	const good = "30,clerk,x,5,low\n"
	head := "age,job,id,gain,income\n"
	withHeader := frames.CSVOptions{Header: true}
	type place struct{ line, field int }
	for name, tc := range map[string]struct {
		text  string
		o     frames.CSVOptions
		is    error
		at    place
		wants []string // parts of the message
	}{
		"below":                   {good + "-1,clerk,x,5,low\n", frames.CSVOptions{}, frames.ErrBounds, place{2, 1}, []string{`"age"`, "[0, 120]", "Clamped"}},
		"above":                   {good + "120.1,clerk,x,5,low\n", frames.CSVOptions{}, frames.ErrBounds, place{2, 1}, nil},
		"NaN":                     {"NaN,clerk,x,5,low\n", frames.CSVOptions{}, frames.ErrNumber, place{1, 1}, nil},
		"Inf in a clamped column": {"3,clerk,x,Inf,low\n", frames.CSVOptions{}, frames.ErrNumber, place{1, 4}, []string{`"gain"`}},
		"overflow":                {"3,clerk,x,1e999,low\n", frames.CSVOptions{}, frames.ErrNumber, place{1, 4}, nil},
		"hexadecimal":             {"0x10,clerk,x,5,low\n", frames.CSVOptions{}, frames.ErrNumber, place{1, 1}, nil},
		"underscore":              {"1_0,clerk,x,5,low\n", frames.CSVOptions{}, frames.ErrNumber, place{1, 1}, nil},
		"no digits":               {"-.,clerk,x,5,low\n", frames.CSVOptions{}, frames.ErrNumber, place{1, 1}, nil},
		"text":                    {"eldest,clerk,x,5,low\n", frames.CSVOptions{}, frames.ErrNumber, place{1, 1}, []string{"Missing"}},
		"unknown level":           {"3,baker,x,5,low\n", frames.CSVOptions{}, frames.ErrLevel, place{1, 2}, []string{`"job"`, "3 (clerk | nurse | smith)"}},
		"unknown class":           {"3,clerk,x,5,mid\n", frames.CSVOptions{}, frames.ErrLevel, place{1, 5}, []string{`"income"`}},
		"missing number":          {",clerk,x,5,low\n", frames.CSVOptions{}, frames.ErrMissing, place{1, 1}, []string{"MayMiss"}},
		"missing label":           {"3,clerk,x,5,?\n", frames.CSVOptions{}, frames.ErrMissing, place{1, 5}, []string{"label in every row"}},
		"marker not declared":     {"3,?,x,5,low\n", frames.CSVOptions{Missing: []string{}}, frames.ErrLevel, place{1, 2}, nil},
		"space around a level":    {"3, clerk,x,5,low\n", frames.CSVOptions{}, frames.ErrLevel, place{1, 2}, []string{"TrimSpace"}},
		"space around a number":   {"3 ,clerk,x,5,low\n", frames.CSVOptions{}, frames.ErrNumber, place{1, 1}, []string{"TrimSpace"}},
		"one field too few":       {good + "\n3,clerk,x,5\n", frames.CSVOptions{}, frames.ErrRagged, place{3, 0}, []string{"got 4, want 5"}},
		"one field too many":      {good + "3,clerk,x,5,low,\n", frames.CSVOptions{}, frames.ErrRagged, place{2, 0}, []string{"got 6, want 5"}},
		"first line ragged":       {"3,clerk\n" + good, frames.CSVOptions{}, frames.ErrRagged, place{1, 0}, []string{"got 2, want 5"}},
		"bare quote":              {good + "3,cl\"erk,x,5,low\n", frames.CSVOptions{}, frames.ErrQuote, place{2, 0}, nil},
		"text after a quote":      {good + "3,\"clerk\"s,x,5,low\n", frames.CSVOptions{}, frames.ErrQuote, place{2, 0}, nil},
		"quote never closed":      {good + "3,\"clerk,x,5,low\n" + good, frames.CSVOptions{}, frames.ErrQuote, place{2, 0}, []string{"closed"}},
		"line after a quoted one": {"3,clerk,\"a\nb\n\",5,low\n4,baker,x,5,low\n", frames.CSVOptions{}, frames.ErrLevel, place{4, 2}, nil},
		"field after its newline": {"3,clerk,\"a\nb\n\",5,mid\n", frames.CSVOptions{}, frames.ErrLevel, place{3, 5}, nil},
		"line after CRLF":         {"\r\n" + "3,clerk,x,5,low\r\n4,baker,x,5,low\r\n", frames.CSVOptions{}, frames.ErrLevel, place{3, 2}, nil},
		"line after comments":     {"#\n#\n4,baker,x,5,low\n", frames.CSVOptions{Comment: '#'}, frames.ErrLevel, place{3, 2}, nil},
		"empty":                   {"", frames.CSVOptions{}, frames.ErrEmpty, place{}, []string{"file is empty"}},
		"blank":                   {"\n\r\n\n", frames.CSVOptions{}, frames.ErrEmpty, place{}, []string{"file is empty"}},
		"header only":             {head, withHeader, frames.ErrEmpty, place{}, []string{"no rows"}},
		"separator":               {strings.ReplaceAll(good, ",", ";"), frames.CSVOptions{}, frames.ErrSeparator, place{}, []string{"1 field, want 5", `';'`, `','`}},
		"separator is ragged":     {strings.ReplaceAll(good, ",", "\t"), frames.CSVOptions{}, frames.ErrRagged, place{}, []string{`'\t'`}},
		"separator and quotes":    {"\"3\";\"clerk\";\"x\";\"5\";\"low\"\n", frames.CSVOptions{}, frames.ErrSeparator, place{}, []string{`';'`}},
		"separator of a header":   {strings.ReplaceAll(head+good, ",", "|"), withHeader, frames.ErrSeparator, place{}, []string{`'|'`}},
		"header not announced":    {head + good, frames.CSVOptions{}, frames.ErrHeader, place{}, []string{"set Header"}},
		"header absent":           {good + good, withHeader, frames.ErrHeader, place{}, []string{`"age", "job", "gain", "income"`, "5 fields not in the schema, at position 1, 2, 3, 4, 5", "unset Header"}},
		"header lacks":            {"age,job,id,income\n3,clerk,x,low\n", withHeader, frames.ErrHeader, place{}, []string{`no field is named "gain"`}},
		"header has more":         {"age,job,id,gain,income,shoe\n" + good, withHeader, frames.ErrHeader, place{}, []string{"1 field not in the schema, at position 6", "Ignored"}},
		"header twice":            {"age,job,id,gain,income,age\n3,clerk,x,5,low,3\n", withHeader, frames.ErrHeader, place{}, []string{`fields 1 and 6 are both "age"`}},
		"header in capitals":      {"Age,job,id,gain,income\n" + good, withHeader, frames.ErrHeader, place{}, []string{`field 1 is "age" up to case`}},
		"header with a quote":     {"a\"ge,job,id,gain,income\n" + good, withHeader, frames.ErrQuote, place{}, []string{"header"}},
		"spreadsheet":             {"PK\x03\x04\x14\x00\n", frames.CSVOptions{Header: true}, frames.ErrEncoding, place{}, []string{"save the sheet as CSV"}},
		"gzip":                    {"\x1f\x8b\x08\x00\n", frames.CSVOptions{}, frames.ErrEncoding, place{}, []string{"unpack"}},
		"UTF-16":                  {"\xff\xfe3\x00,\x00", frames.CSVOptions{}, frames.ErrEncoding, place{}, []string{"UTF-8"}},
		"separator is a quote":    {good, frames.CSVOptions{Comma: '"'}, frames.ErrOptions, place{}, nil},
		"comment is separator":    {good, frames.CSVOptions{Comment: ','}, frames.ErrOptions, place{}, nil},
		"marker is not UTF-8":     {good, frames.CSVOptions{Missing: []string{"\xff"}}, frames.ErrOptions, place{}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := parse(people(t), tc.text, tc.o)
			if !errors.Is(err, tc.is) || f != nil {
				t.Fatalf("got a frame: %v, error %v, want %v", f != nil, err, tc.is)
			}
			for _, want := range tc.wants {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want %s in it", err, want)
				}
			}
			var cell *frames.CellError
			if tc.at != (place{}) && (!errors.As(err, &cell) || cell.Line != tc.at.line || cell.Field != tc.at.field) {
				t.Errorf("got %+v (%v), want %+v", cell, err, tc.at)
			}
			for _, secret := range []string{"baker", "mid", "eldest", "cl\"erk", "120.1", "shoe"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("the error repeats the cell: %v", err)
				}
			}
		})
	}
}

func TestParseCSVListsTenProblemsAndCountsTheRest(t *testing.T) {
	var b strings.Builder
	for i := range 12 {
		fmt.Fprintf(&b, "%d,clerk,x,5,low\n", 200+i)
	}
	b.WriteString("3,clerk,x,5,mid\n3,clerk\n3,clerk\n")
	_, err := parse(people(t), b.String(), frames.CSVOptions{})
	var load *frames.LoadError
	if !errors.As(err, &load) || len(load.Problems) != 10 || load.More != 5 {
		t.Fatalf("got %v, want ten problems and five more", err)
	}
	for _, sentinel := range []error{frames.ErrBounds, frames.ErrLevel, frames.ErrRagged} {
		if !errors.Is(err, sentinel) {
			t.Errorf("errors.Is does not find %v", sentinel)
		}
	}
	if errors.Is(err, frames.ErrQuote) {
		t.Error("errors.Is finds a problem that is not there")
	}
	want := "15 problems\n  column \"age\", field 1: 10 cells: outside the declared bounds [0, 120]"
	end := "and 5 more: 2 × outside the declared bounds, 1 × not a declared level, 2 × wrong number of fields"
	if msg := err.Error(); !strings.Contains(msg, want) || !strings.HasSuffix(msg, end) {
		t.Errorf("got\n%v", err)
	}
}

func TestParseCSVClamps(t *testing.T) {
	f, err := parse(people(t), "3,clerk,x,100.5,low\n3,clerk,x,-1e300,low\n3,clerk,x,100,low\n3,clerk,x,?,low\n", frames.CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Clamped(); len(got) != 1 || got["gain"] != 2 {
		t.Errorf("got %v, want 2 clamped cells in gain", got)
	}
	if got, want := cells(f), "3|clerk|100|low\n3|clerk|-10|low\n3|clerk|100|low\n3|clerk|NA|low\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	f.Clamped()["gain"] = 7
	if f.Clamped()["gain"] != 2 {
		t.Error("Clamped is not a copy")
	}
}

func TestDeclaredLevelWinsOverMarker(t *testing.T) {
	s := mustSchema(t, frames.Category("country", "NA", "ZA").MayMiss())
	f, err := parse(s, "NA\n?\n", frames.CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	x, _ := rows(t, f)
	if x[0] != 0 || !math.IsNaN(x[1]) {
		t.Errorf("got %v, want code 0 and missing", x)
	}
}

func TestBlockOfColumns(t *testing.T) {
	a, b := frames.Numeric("a", 0, 1).MayMiss(), frames.Numeric("b", 0, 1).MayMiss()
	a.Block, b.Block = "k", "k"
	s := mustSchema(t, a, b)
	for text, ok := range map[string]bool{"1,0": true, "0,1": true, "0,0": true, "0.5,0.5": true, "?,?": true, "1,?": false, "?,0": false, "1,1": false, "0.9,0.9": false, "1,1e-300": false} {
		if _, err := parse(s, text, frames.CSVOptions{}); ok != (err == nil) || !ok && !errors.Is(err, frames.ErrBounds) {
			t.Errorf("%s: got %v, want acceptance %v", text, err, ok)
		}
	}
}

// A long mismatch is shortened, and a line that is like UTF-16 is not tried as another separator.
func TestHeaderMismatchIsShortened(t *testing.T) {
	text := strings.TrimSuffix(strings.Repeat("f,", 30), ",") + "\n"
	_, err := parse(people(t), text, frames.CSVOptions{Header: true})
	if !errors.Is(err, frames.ErrHeader) || !strings.Contains(err.Error(), "9, 10 and 20 more") {
		t.Errorf("got %v, want ten positions and a count", err)
	}
	if _, err := parse(people(t), "\ufeff\xff\xfe;;;;\n", frames.CSVOptions{}); !errors.Is(err, frames.ErrRagged) {
		t.Errorf("got %v, want ErrRagged", err)
	}
}

func TestReadCSV(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.csv")
	text := []byte("30,clerk,x1,5,low\n41.5,?,x2,NA,high\n0,smith,x3,-3,low\n")
	if err := os.WriteFile(path, text, 0o400); err != nil {
		t.Fatal(err)
	}
	f, err := frames.ReadCSV(path, people(t), frames.CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := cells(f); got != peopleRows {
		t.Errorf("got\n%s", got)
	}
	if _, err := frames.ReadCSV(path, people(t), frames.CSVOptions{Header: true}); !errors.Is(err, frames.ErrHeader) || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v, want ErrHeader and the path", err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, text) {
		t.Errorf("the file changed, or %v", err)
	}
	if _, err := frames.ReadCSV(path+"x", people(t), frames.CSVOptions{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist", err)
	}
	if _, err := frames.ReadCSV(filepath.Dir(path), people(t), frames.CSVOptions{}); !errors.Is(err, frames.ErrOptions) || !strings.Contains(err.Error(), "got a folder") {
		t.Errorf("a folder: got %v, want ErrOptions", err)
	}
	if _, err := frames.ReadCSV(path, frames.Schema{}, frames.CSVOptions{}); !errors.Is(err, frames.ErrSchema) {
		t.Errorf("got %v, want ErrSchema", err)
	}
}

func TestParseCSVPassesReadErrorsOn(t *testing.T) {
	broken := errors.New("broken pipe")
	r := io.MultiReader(strings.NewReader("30,clerk,x,5,low\n"), iotest.ErrReader(broken))
	if f, err := frames.ParseCSV(r, "pipe", people(t), frames.CSVOptions{}); !errors.Is(err, broken) || f != nil {
		t.Errorf("got %v, want the reader's error", err)
	}
}
