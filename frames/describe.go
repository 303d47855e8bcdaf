package frames

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
)

// Description counts the public facts of a schema. It says nothing about values: no mean, range,
// level or missing cell that occurs.
type Description struct {
	Rows       int // of a frame; -1 for a schema, and where rows are of people. Public under ReplaceOne only
	People     int // of a frame whose rows are of people; else 0. Public as Rows is
	Columns    int
	Numeric    int     // numeric features, dates included
	Categories int     // category features
	OneHot     int     // columns after one-hot encoding of the categories: numeric features and levels
	Ignored    int     // columns that are not read
	MayMiss    int     // features that may miss
	Clamped    int     // columns with clamped bounds
	Unbounded  int     // numeric columns without bounds, the label included
	Texts      int     // columns of texts that no codebook lists
	Period     string  // of a person, whose rows of each are protected by themselves; empty if all are together
	Person     string  // name of the column that says whose row it is; empty if rows are protected one by one
	Label      string  // name of the label; empty if there is none
	Classes    int     // levels of a class label; 0 for a number or no label
	NormBound  float64 // [Schema.NormBound]: +Inf while there are categories or unbounded features

	schema Schema
}

// Describe counts the schema's public facts.
func Describe(s Schema) Description {
	d := Description{Rows: -1, Columns: s.Len(), NormBound: s.NormBound(), schema: s}
	for _, c := range s.Columns() {
		switch c.Kind {
		case KindNumeric:
			d.Numeric++
			d.OneHot++
		case KindCategory:
			d.Categories++
			d.OneHot += len(c.Levels)
		case KindText:
			d.Texts++
		case KindLabel:
			d.Label, d.Classes = c.Name, len(c.Levels)
		case KindIgnored:
			d.Ignored++
		case KindPerson:
			per, _ := c.Period()
			d.Person, d.Period = c.Name, string(per)
		}
		if c.Missing {
			d.MayMiss++
		}
		if c.Clamp {
			d.Clamped++
		}
		if c.NoBounds && c.Kind != KindText {
			d.Unbounded++
		}
	}
	return d
}

// Describe is [Describe] of the frame's schema, with the row count.
func (f *Frame) Describe() Description {
	d := Describe(f.Schema())
	if d.Rows = f.Rows(); d.Person != "" {
		d.Rows, d.People = -1, f.data().people()
	}
	return d
}

// String is a plain text table: the counts, then the columns, those in a row that differ in
// nothing but their names on one line.
func (d Description) String() string {
	var b strings.Builder
	if d.Rows >= 0 {
		fmt.Fprintf(&b, "%s (public under ReplaceOne), ", count(d.Rows, "row"))
	}
	if d.People > 0 {
		fmt.Fprintf(&b, "%s (public under ReplaceOne), ", countPeople(d.People))
	}
	fmt.Fprintf(&b, "%s: %d numeric, %d category, %d ignored; %d may miss, %d clamped", count(d.Columns, "column"), d.Numeric, d.Categories, d.Ignored, d.MayMiss, d.Clamped)
	switch {
	case d.Label == "":
		b.WriteString("; no label\n")
	case d.Classes > 0:
		fmt.Fprintf(&b, "; label %s with %d classes\n", d.Label, d.Classes)
	default:
		fmt.Fprintf(&b, "; label %s, a number\n", d.Label)
	}
	if d.Person != "" {
		fmt.Fprintf(&b, "rows are of people, by %s", d.Person)
		if d.Period != "" {
			fmt.Fprintf(&b, ", each %s by itself", d.Period)
		}
		b.WriteString("\n")
	}
	if d.Texts > 0 {
		fmt.Fprintf(&b, "%s of texts that no codebook lists\n", count(d.Texts, "column"))
	}
	if d.Unbounded > 0 {
		fmt.Fprintf(&b, "%s without bounds\n", count(d.Unbounded, "column"))
	}
	switch {
	case !math.IsInf(d.NormBound, 1):
		fmt.Fprintf(&b, "norm of a row: at most %g\n", d.NormBound)
	case d.unboundedFeatures():
		b.WriteString("norm of a row: none\n")
	default:
		fmt.Fprintf(&b, "norm of a row: none before one-hot encoding, then %s\n", count(d.OneHot, "column"))
	}
	b.WriteString(d.columns())
	for _, w := range d.schema.Warnings() {
		fmt.Fprintf(&b, "warning: %s\n", w)
	}
	return b.String()
}

func (d Description) unboundedFeatures() bool {
	return slices.ContainsFunc(d.schema.Features(), func(c Column) bool { return c.NoBounds })
}

// columns is the table of the columns, with runs of equal ones folded.
func (d Description) columns() string {
	cols := d.schema.Columns()
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "columns\tkind\tdomain\tnotes")
	for i := 0; i < len(cols); {
		c := cols[i]
		n := i + 1
		for n < len(cols) && cols[n].kind() == c.kind() && cols[n].domain() == c.domain() && slices.Equal(cols[n].Levels, c.Levels) && cols[n].notes() == c.notes() {
			n++
		}
		name := c.Name
		if n > i+1 {
			name = fmt.Sprintf("%s … %s (%d)", c.Name, cols[n-1].Name, n-i)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", name, c.kind(), c.domain(), c.notes())
		i = n
	}
	w.Flush() // a strings.Builder does not fail
	lines := strings.Split(b.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}
