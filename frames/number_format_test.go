package frames_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// TestNumberFormats: what each format reads, and what it refuses where a guess would be needed.
func TestNumberFormats(t *testing.T) {
	german := frames.NumberFormat{Decimal: ',', Group: '.'}
	french := frames.NumberFormat{Decimal: ',', Group: ' '}
	swiss := frames.NumberFormat{Group: '\''}
	english := frames.NumberFormat{Group: ','}
	euro := frames.NumberFormat{Decimal: ',', Group: '.', Currency: []string{"€", "EUR"}}
	dollar := frames.NumberFormat{Group: ',', Currency: []string{"$", "US$"}}
	percent := frames.NumberFormat{Decimal: ',', Percent: true}
	refused := math.Inf(1)
	for _, c := range []struct {
		f    frames.NumberFormat
		cell string
		want float64
	}{
		{german, "1.234,5", 1234.5},
		{german, "1234,5", 1234.5},
		{german, "-1.234.567", -1234567},
		{german, "−0,5", -0.5},
		{german, "+12", 12},
		{german, "1,5e3", 1500},
		{german, ",5", 0.5},
		{german, "5,", 5},
		{german, "0,1", 0.1},
		{german, "12345678901234567,25", 12345678901234567.25},
		{german, "1.5", refused},
		{german, "1.23.456", refused},
		{german, "1234.567", refused},
		{german, ".123", refused},
		{german, "123.", refused},
		{german, "1..234", refused},
		{german, "1,234.5", refused},
		{german, "1,2,3", refused},
		{german, "1.234,5.6", refused},
		{german, "", refused},
		{german, "-", refused},
		{german, ",", refused},
		{german, "--1", refused},
		{german, "e5", refused},
		{german, "0x10", refused},
		{german, "1e999", refused},
		{german, "nan", refused},
		{french, "1 234,5", 1234.5},
		{french, "1\u00a0234\u202f567", 1234567},
		{french, "1  234", refused},
		{french, "1\t234", refused},
		{swiss, "1'234.5", 1234.5},
		{english, "1,234.5", 1234.5},
		{english, "1,234,5", refused},
		{euro, "1.234,50 €", 1234.5},
		{euro, "€1.234,50", 1234.5},
		{euro, "-€ 5", -5},
		{euro, "€-5", -5},
		{euro, "EUR 5", 5},
		{euro, "5", 5},
		{euro, "(5,25 €)", -5.25},
		{euro, "(-5)", refused},
		{euro, "-€-5", refused},
		{euro, "€5€", refused},
		{euro, "€", refused},
		{euro, "5 $", refused},
		{dollar, "US$1,000.25", 1000.25},
		{dollar, "$1,000.25", 1000.25},
		{percent, "12,5 %", 0.125},
		{percent, "12,5%", 0.125},
		{percent, "-0,1\u00a0%", -0.001},
		{percent, "12,5", refused},
		{percent, "12,5 %%", refused},
		{percent, "1e2%", refused},
		{percent, "%", refused},
	} {
		s := mustSchema(t, frames.Unbounded("a"), frames.Person("b"))
		f, err := parse(s, "\""+c.cell+"\";p\n", frames.CSVOptions{Comma: ';', Number: c.f, Missing: []string{}})
		if c.want == refused {
			if !errors.Is(err, frames.ErrNumber) || c.cell != "" && c.cell != "-" && c.cell != "," && c.cell != "%" && c.cell != "€" && strings.Contains(err.Error(), c.cell+" ") {
				t.Errorf("%s as %s: got %v, want ErrNumber", c.cell, c.f, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s as %s: %v", c.cell, c.f, err)
			continue
		}
		if x, _ := rows(t, f); x[0] != c.want {
			t.Errorf("%s as %s: got %v, want %v", c.cell, c.f, x[0], c.want)
		}
	}
}

// TestNumberIn: formats of single columns, in a file, its guess of a schema, and the text of an error.
func TestNumberIn(t *testing.T) {
	s := mustSchema(t, frames.Numeric("pay", 0, 1e6), frames.Numeric("rate", 0, 1).MayMiss(), frames.Numeric("age", 0, 120), frames.Category("c", "1,5", "2"))
	text := "pay;rate;age;c\n1.234,50 €;12,5 %;30.5;1,5\n5 €;;41;2\n"
	o := frames.CSVOptions{Header: true, Comma: ';', NumberIn: map[string]frames.NumberFormat{
		"pay": {Decimal: ',', Group: '.', Currency: []string{"€"}}, "rate": {Decimal: ',', Percent: true},
	}}
	f, err := parse(s, text, o)
	if err != nil || cells(f) != "1234.5|0.125|30.5|1,5\n5|NA|41|2\n" {
		t.Fatalf("got %v and\n%s", err, cells(f))
	}
	want, err := parse(s, "1234.5,0.125,30.5,\"1,5\"\n5,,41,2\n", frames.CSVOptions{})
	if err != nil || fingerprintOf(t, want, "pay", "rate", "age", "c") != fingerprintOf(t, f, "pay", "rate", "age", "c") {
		t.Errorf("another fingerprint than plain numbers, or %v", err)
	}
	_, err = parse(s, strings.Replace(text, "5 €", "5 $", 1), o)
	if !errors.Is(err, frames.ErrNumber) || !strings.Contains(err.Error(), `line 3, field 1, column "pay": not a finite decimal number, want one written as 1.234,5 €`) {
		t.Errorf("got %v", err)
	}
	path := filepath.Join(t.TempDir(), "p.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	guess, err := frames.InferPublicSchema(path, o)
	if c, _ := guess.Column("pay"); err != nil || c.Lo != 5 || c.Hi != 1234.5 {
		t.Errorf("guessed %v, %v", guess, err)
	}
	file, err := frames.OpenCSV(path, s, o)
	if err != nil {
		t.Fatal(err)
	}
	delete(o.NumberIn, "pay") // the caller's own
	if err := file.Scan(t.Context(), func(*frames.Block) error { return nil }); err != nil {
		t.Error(err)
	}
	for name, bad := range map[string]frames.CSVOptions{
		"one sign for two":    {Number: frames.NumberFormat{Decimal: ',', Group: ','}},
		"the default for two": {Number: frames.NumberFormat{Group: '.'}},
		"a digit":             {Number: frames.NumberFormat{Decimal: '1'}},
		"a letter":            {Number: frames.NumberFormat{Group: 'e'}},
		"a sign":              {Number: frames.NumberFormat{Group: '-'}},
		"a space":             {Number: frames.NumberFormat{Decimal: ' '}},
		"no currency":         {Number: frames.NumberFormat{Currency: []string{""}}},
		"a numeric currency":  {Number: frames.NumberFormat{Currency: []string{"1x"}}},
		"both":                {Number: frames.NumberFormat{Percent: true, Currency: []string{"€"}}},
		"no column":           {NumberIn: map[string]frames.NumberFormat{"x": {Decimal: ','}}},
		"no numbers":          {NumberIn: map[string]frames.NumberFormat{"c": {Decimal: ','}}},
		"a bad one":           {NumberIn: map[string]frames.NumberFormat{"pay": {Decimal: '%'}}},
	} {
		if _, err := parse(s, text, bad); !errors.Is(err, frames.ErrOptions) {
			t.Errorf("%s: got %v, want ErrOptions", name, err)
		}
	}
}

// FuzzNumberFormat: a number that is written in a format is that number, and no text makes a number of what strconv would refuse
// once its groups are taken out.
func FuzzNumberFormat(f *testing.F) {
	f.Add("1.234,5")
	f.Add("-12,")
	f.Add("(1 €)")
	f.Fuzz(func(t *testing.T, cell string) {
		if strings.ContainsAny(cell, "\r\n\"") {
			return
		}
		s := mustSchema(t, frames.Unbounded("a"), frames.Person("b"))
		got, err := parse(s, fmt.Sprintf("\"%s\";p\n", cell), frames.CSVOptions{Comma: ';', Number: frames.NumberFormat{Decimal: ',', Group: '.'}, Missing: []string{}})
		if err != nil {
			return
		}
		plain := strings.NewReplacer(".", "", ",", ".", "−", "-").Replace(cell)
		want, bad := strconv.ParseFloat(plain, 64)
		if x, _ := rows(t, got); bad != nil || x[0] != want {
			t.Errorf("%q: got %v, want %v, %v", cell, x[0], want, bad)
		}
	})
}
