package frames_test

import (
	"fmt"
	"strings"

	"github.com/dpkit-go/dpnb/frames"
)

// Days as the file writes them, in a span that is public: the loader refuses what is none of these days, and does not repeat it.
func ExampleDate() {
	schema, err := frames.NewSchema(frames.Date("day", "2024-01-01", "2024-12-31").Written("02.01.2006"), frames.Numeric("stay", 0, 30))
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = frames.ParseCSV(strings.NewReader("29.02.2024,3\n30.02.2024,4\n01.01.2025,5\n"), "visits.csv", schema, frames.CSVOptions{})
	fmt.Println(err)
	day, _ := schema.Column("day")
	months, of, err := day.Calendar(frames.Month)
	if err != nil {
		fmt.Println(err)
		return
	}
	x, err := day.ReadDay("29.02.2024")
	fmt.Println(x, err, months.Name, months.Levels[int(of(x))], len(months.Levels))
	// Output:
	// frames: visits.csv: 2 problems
	//   line 2, field 1, column "day": not a day as declared, want a day from 01.01.2024 to 31.12.2024, written so: fix the cell, say how the file writes days by Written, or name the cell's marker in Missing
	//   line 3, field 1, column "day": outside the declared bounds: a day before 2024-01-01 or after 2024-12-31: correct the days if the codebook has others, or declare the column Clamped
	// 59 <nil> day month 2024-02 12
}

// People who are listed, whether they have rows or not, and whose weeks are protected one at a time.
func ExampleColumn_Roster() {
	ward := []string{"ann", "bob", "carl"} // from the register
	schema, err := frames.NewSchema(frames.Person("patient").Roster(ward...).Per(frames.Week, "day"), frames.Date("day", "2024-01-01", "2024-01-28"))
	if err != nil {
		fmt.Println(err)
		return
	}
	frame, err := frames.ParseCSV(strings.NewReader("bob,2024-01-10\nbob,2024-01-11\n"), "visits.csv", schema, frames.CSVOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(frame)
	_, err = frames.ParseCSV(strings.NewReader("bob,2024-01-10\nmallory,2024-01-11\n"), "visits.csv", schema, frames.CSVOptions{})
	fmt.Println(err)
	// Output:
	// frame of the rows of 3 people (private)
	// column   kind    domain                    notes
	// patient  person  3 people, listed          whose rows of each week of day are protected together
	// day      date    2024-01-01 to 2024-01-28
	// frames: visits.csv: line 2, field 1, column "patient": not a person of the roster, want one of the 3 that it lists: correct the cell, or list the person if the register does
}
