package frames

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// String is a plain text table of the public facts, one column per line.
func (s Schema) String() string {
	if s.Len() == 0 {
		return "schema without columns\n"
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "column\tkind\tdomain\tnotes")
	for _, c := range s.Columns() {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", c.Name, c.kind(), c.domain(), c.notes())
	}
	w.Flush() // a strings.Builder does not fail
	lines := strings.Split(b.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// kind is the word for the column in texts.
func (c Column) kind() string {
	if c.IsDate() {
		return "date"
	}
	return c.Kind.String()
}

func (c Column) domain() string {
	const shown = 4
	switch {
	case c.parts().people != nil:
		return countPeople(c.Listed()) + ", listed"
	case c.Kind == KindIgnored, c.Kind == KindPerson:
		return "-"
	case c.Kind == KindText:
		return "unlisted"
	case c.NoBounds:
		return "unbounded"
	case c.IsDate():
		return c.firstDay() + " to " + c.lastDay()
	case !c.classes():
		return fmt.Sprintf("[%g, %g]", c.Lo, c.Hi)
	case len(c.Levels) <= shown:
		return strings.Join(c.Levels, " | ")
	}
	return fmt.Sprintf("%s | … (%d levels)", strings.Join(c.Levels[:shown-1], " | "), len(c.Levels))
}

func (c Column) notes() string {
	var n []string
	if c.Kind == KindPerson {
		if per, day := c.Period(); per != "" {
			n = append(n, fmt.Sprintf("whose rows of each %s of %s are protected together", per, day))
		} else {
			n = append(n, "whose rows are protected together")
		}
	}
	if c.Missing {
		n = append(n, "may miss")
	}
	if c.Clamp {
		n = append(n, "clamped")
	}
	if layout := c.parts().layout; layout != "" {
		n = append(n, "written "+layout)
	}
	if c.IsSingle() {
		n = append(n, "of single precision")
	}
	if c.Ordered {
		n = append(n, "in order")
	}
	if c.Rest != "" {
		n = append(n, "others are "+c.Rest)
	}
	if c.Scale != 0 {
		n = append(n, fmt.Sprintf("scale guessed as %g", c.Scale))
	}
	if c.Block != "" {
		n = append(n, "block "+c.Block)
	}
	return strings.Join(n, ", ")
}
