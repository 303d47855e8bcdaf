package parquet_test

import (
	"fmt"
	"os"
	"path/filepath"

	pq "github.com/parquet-go/parquet-go"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/parquet"
)

func ExampleOpen() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	type visit struct {
		Patient int64    `parquet:"patient"`
		Age     *float64 `parquet:"age,optional"`
		Notes   string   `parquet:"notes"` // which the schema does not name: it is not read
	}
	age := 41.0
	if err := pq.WriteFile(filepath.Join(dir, "visits.parquet"), []visit{{7, &age, "x"}, {7, &age, "y"}, {9, nil, "z"}}); err != nil {
		fmt.Println(err)
		return
	}
	s, err := frames.NewSchema(frames.Person("patient"), frames.Numeric("age", 0, 120).MayMiss())
	if err != nil {
		fmt.Println(err)
		return
	}
	src, err := parquet.Open(filepath.Join(dir, "visits.parquet"), s)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(src)
	// Output:
	// source of the rows of 2 people (private)
	// column   kind     domain    notes
	// patient  person   -         whose rows are protected together
	// age      numeric  [0, 120]  may miss
}
