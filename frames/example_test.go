package frames_test

import (
	"fmt"
	"strings"

	"github.com/dpkit-go/dpnb/frames"
)

// The schema comes from a codebook; the loader holds the file to it.
func ExampleParseCSV() {
	schema, err := frames.NewSchema(
		frames.Numeric("age", 17, 90),
		frames.Category("job", "clerk", "nurse", "smith").MayMiss(),
		frames.Label("income", "low", "high"),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	file := "job;age;income\nnurse;31;high\n?;52;low\n"
	frame, err := frames.ParseCSV(strings.NewReader(file), "people.csv", schema, frames.CSVOptions{Header: true, Comma: ';'})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(frame)

	file = "job;age;income\nnurse;131;high\nbaker;52;low\n"
	_, err = frames.ParseCSV(strings.NewReader(file), "people.csv", schema, frames.CSVOptions{Header: true, Comma: ';'})
	fmt.Println(err)
	// Output:
	// frame of 2 rows (private)
	// column  kind      domain                 notes
	// age     numeric   [17, 90]
	// job     category  clerk | nurse | smith  may miss
	// income  label     low | high
	// frames: people.csv: 2 problems
	//   line 2, field 2, column "age": outside the declared bounds [17, 90]: correct the bounds if the codebook has wider ones, or declare the column Clamped
	//   line 3, field 1, column "job": not a declared level, want one of 3 (clerk | nurse | smith): add the level if the codebook has it, name its marker in Missing, or take what no codebook lists by Other
}

// Rows that their owner declares public can be shown.
func ExamplePublic() {
	schema, err := frames.NewSchema(frames.Numeric("x", 0, 1), frames.NumericLabel("y", 0, 9))
	if err != nil {
		fmt.Println(err)
		return
	}
	frame, err := frames.FromBlock(schema, &frames.Block{Rows: 2, Cols: 1, X: []float64{0.25, 1}, Y: []float64{3, 4}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(frames.Public(frame).Head(2))
	// Output:
	// x     y
	// 0.25  3
	// 1     4
}
