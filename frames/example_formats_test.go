package frames_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dpkit-go/dpnb/frames"
)

func ExampleARFFSchema() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "k.arff")
	text := "@relation k\n@attribute age numeric\n@attribute rbc {normal,abnormal}\n@attribute class {ckd,notckd}\n@data\n48,?,ckd\n7,normal,\tnotckd\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		fmt.Println(err)
		return
	}

	draft, err := frames.ARFFSchema(path, frames.ARFFOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("bounds wanted:", draft.Unbounded())
	s, err := draft.With(
		frames.Numeric("age", 0, 120), // from the codebook, not from the rows
		draft.Columns[1].MayMiss(),
		frames.Label("class", "notckd", "ckd"),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := frames.ReadARFF(path, s, frames.ARFFOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(f.Describe())
	// Output:
	// bounds wanted: [age]
	// 2 rows (public under ReplaceOne), 3 columns: 1 numeric, 1 category, 0 ignored; 1 may miss, 0 clamped; label class with 2 classes
	// norm of a row: none before one-hot encoding, then 3 columns
	// columns  kind      domain             notes
	// age      numeric   [0, 120]
	// rbc      category  normal | abnormal  may miss
	// class    label     notckd | ckd
}

func ExampleLibSVMSchema() {
	s, err := frames.LibSVMSchema(frames.LibSVMDomain{Features: 22, Lo: -1, Hi: 1, Clamp: true, Labels: []string{"-1", "1"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(frames.Describe(s))
	// Output:
	// 23 columns: 22 numeric, 0 category, 0 ignored; 0 may miss, 22 clamped; label label with 2 classes
	// norm of a row: at most 4.69041575982343
	// columns        kind     domain   notes
	// f1 … f22 (22)  numeric  [-1, 1]  clamped
	// label          label    -1 | 1
}

// readings are rows that a program makes, or gets from elsewhere: a source of the caller's own.
type readings struct{ schema frames.Schema }

func (r readings) Schema() frames.Schema { return r.schema }

func (r readings) Rows() int { return 3 }

func (r readings) Scan(_ context.Context, fn func(*frames.Block) error) error {
	return fn(&frames.Block{Rows: 3, Cols: 2, X: []float64{20.5, 0, 21, 1, 300, 1}})
}

func ExampleCheck() {
	s, err := frames.NewSchema(frames.Numeric("temperature", -40, 60), frames.Category("room", "hall", "attic"))
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := frames.Check(context.Background(), readings{s}); err != nil {
		fmt.Println(err)
	}
	s, err = frames.NewSchema(frames.Numeric("temperature", -40, 60).Clamped(), frames.Category("room", "hall", "attic"))
	if err != nil {
		fmt.Println(err)
		return
	}
	src, err := frames.Check(context.Background(), readings{s})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(src)
	// Output:
	// frames: check: row 3, column "temperature": outside the declared bounds [-40, 60]: correct the bounds if the codebook has wider ones, or declare the column Clamped
	// source of 3 rows (private)
	// column       kind      domain        notes
	// temperature  numeric   [-40, 60]     clamped
	// room         category  hall | attic
}

func ExampleFromRows() {
	type visit struct {
		Patient string `dpnb:"patient"`
		Age     *int   `dpnb:"age"` // nil: nobody asked
		Reason  string `dpnb:"reason"`
	}
	s, err := frames.NewSchema(frames.Person("patient"), frames.Numeric("age", 0, 120).MayMiss(), frames.Category("reason", "check-up", "accident"))
	if err != nil {
		fmt.Println(err)
		return
	}
	age := 41
	f, err := frames.FromRows(s, slices.Values([]visit{{"p7", &age, "accident"}, {"p7", &age, "check-up"}, {"p9", nil, "check-up"}}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(f)
	_, err = frames.FromRows(s, slices.Values([]visit{{"p7", &age, "accidental"}}))
	fmt.Println(err)
	// Output:
	// frame of the rows of 2 people (private)
	// column   kind      domain               notes
	// patient  person    -                    whose rows are protected together
	// age      numeric   [0, 120]             may miss
	// reason   category  check-up | accident
	// frames: rows: row 1, column "reason": not a declared level, want one of 2 (check-up | accident): add the level if the codebook has it, name its marker in Missing, or take what no codebook lists by Other; the field is Reason of type string
}

func ExampleOpen() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{"part-1.csv": "age;smokes\n41;no\n", "part-2.csv": "smokes;age\nyes;67\n", "part-3.csv": "age;smoker\n30;no\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			fmt.Println(err)
			return
		}
	}
	s, err := frames.NewSchema(frames.Numeric("age", 0, 120), frames.Category("smokes", "no", "yes"))
	if err != nil {
		fmt.Println(err)
		return
	}
	src, err := frames.Open(filepath.Join(dir, "part-[12].csv"), s)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(src.Rows(), "rows")
	_, err = frames.Open(filepath.Join(dir, "part-*.csv"), s)
	fmt.Println(strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), ""))
	// Output:
	// 2 rows
	// frames: part-3.csv: line 1: header mismatch: got 2 fields, want the schema's 2 columns: no field is named "smokes"; 1 field not in the schema, at position 2: rename the columns, declare extra ones Ignored
}

func ExampleNumberFormat() {
	s, err := frames.NewSchema(frames.Numeric("Umsatz", 0, 1e6), frames.Numeric("Anteil", 0, 1))
	if err != nil {
		fmt.Println(err)
		return
	}
	text := "Umsatz;Anteil\n1.234,50 €;12,5 %\n-;3 %\n"
	_, err = frames.ParseCSV(strings.NewReader(text), "umsatz.csv", s, frames.CSVOptions{Header: true, Comma: ';', NumberIn: map[string]frames.NumberFormat{
		"Umsatz": {Decimal: ',', Group: '.', Currency: []string{"€"}},
		"Anteil": {Decimal: ',', Percent: true},
	}})
	fmt.Println(err)
	// Output: frames: umsatz.csv: line 3, field 1, column "Umsatz": not a finite decimal number, want one written as 1.234,5 €: fix the cell, change the column's NumberFormat, or name the cell's marker in Missing
}
