package viz

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/tag"
)

// Schema shows the public facts of a table: what its columns may hold. Nothing in it comes from rows.
func Schema(s frames.Schema) View {
	d := frames.Describe(s)
	g := grid{Columns: []column{
		{Head: "#", Right: true},
		{Head: "column", Least: 12},
		{Head: "kind"},
		{Head: "may hold", Least: 24},
		{Head: "may miss"},
		{Head: "outside its bounds"},
	}}
	for i, c := range s.Columns() {
		row := []string{strconv.Itoa(i + 1), clean(c.Name), c.Kind.String(), domain(c), "no", "refused"}
		if c.IsDate() {
			row[2] = "date"
		}
		if c.Missing {
			row[4] = "yes"
		}
		switch {
		case c.Kind == frames.KindIgnored:
			row[4], row[5] = "", ""
		case c.Kind == frames.KindPerson:
			row[4], row[5] = "no", ""
		case c.Rest != "":
			row[5] = clean(c.Rest)
		case c.Clamp:
			row[5] = "clamped"
		}
		g.Rows = append(g.Rows, row)
	}
	categories := "categories"
	if d.Categories == 1 {
		categories = "category"
	}
	features := fmt.Sprintf("%d numeric, %d %s", d.Numeric, d.Categories, categories)
	list := facts{
		{Name: "features", Value: features + fmt.Sprintf("; %s once one-hot encoded", plural(d.OneHot, "column"))},
		{Name: "may miss", Value: plural(d.MayMiss, "feature")},
	}
	if d.Label != "" {
		list = append(list, fact{Name: "label", Value: clean(d.Label)})
	}
	if d.Person != "" {
		list = append(list, fact{Name: "person", Value: clean(d.Person) + ": guarantees protect people, " + protected(d.Period)})
	}
	if d.Ignored > 0 {
		list = append(list, fact{Name: "ignored", Value: plural(d.Ignored, "column") + ", never read"})
	}
	for _, w := range s.Warnings() {
		list = append(list, fact{Name: "warning", Value: clean(w)})
	}
	if d.Categories == 0 && d.MayMiss == 0 && !math.IsInf(d.NormBound, 1) {
		list = append(list, fact{Name: "row norm", Value: "at most " + up(d.NormBound)})
	}
	return View{title: "Schema: " + plural(s.Len(), "column") + ", what is public", blocks: []block{g, list}}
}

// protected says with which of their rows people are protected.
func protected(period string) string {
	if period != "" {
		return "each with all of their rows of one " + period + " at a time"
	}
	return "each with all of their rows"
}

// domain is what a column may hold.
func domain(c frames.Column) string {
	switch {
	case c.Listed() > 0:
		return fmt.Sprintf("one of %d people, who are listed", c.Listed())
	case c.Kind == frames.KindIgnored, c.Kind == frames.KindPerson:
		return "–"
	case c.IsDate():
		return clean(c.DayText(c.Lo) + " to " + c.DayText(c.Hi))
	case c.Kind == frames.KindText:
		return "texts that no codebook lists"
	case c.NoBounds && c.Scale > 0:
		return "unbounded, of about " + exactly(c.Scale)
	case c.NoBounds:
		return "unbounded"
	case len(c.Levels) == 0:
		s := "[" + exactly(c.Lo) + ", " + exactly(c.Hi) + "]"
		if c.Block != "" {
			s += ", encodes " + clean(c.Block)
		}
		return s
	}
	const shown = 8
	list := cleanAll(c.Levels[:min(shown, len(c.Levels))])
	s := strings.Join(list, ", ")
	if len(c.Levels) > shown {
		s += fmt.Sprintf(", … (%d levels)", len(c.Levels))
	}
	return s
}

func exactly(x float64) string {
	return strings.Replace(tag.Plain(strconv.FormatFloat(x, 'g', -1, 64)), "-", "−", 1)
}

// Rows shows the first n rows of a frame whose rows the caller declared public.
func Rows(f *frames.PublicFrame, n int) View {
	n = max(0, min(n, f.Rows()))
	rows := make([][]string, n)
	for i := range rows {
		rows[i] = f.Row(i)
	}
	v := Table(f.Names(), rows)
	v.title = fmt.Sprintf("%d of %s, declared public", n, plural(f.Rows(), "row"))
	return v
}

// Missing plots how many cells of each column are missing, of a frame whose rows the caller declared public. Of
// a private table only what [Schema] shows is public: which columns may miss.
func Missing(f *frames.PublicFrame) View {
	missing, rows := f.Missing(), f.Rows()
	c := BarChart{Title: "Missing cells", Axis: Axis{Name: "share of the column's cells", Unit: "%"}}
	complete := 0
	for i, name := range f.Names() {
		if missing[i] == 0 {
			complete++
			continue
		}
		c.Bars = append(c.Bars, Bar{Label: name, Value: 100 * float64(missing[i]) / float64(rows)})
	}
	c.Note = fmt.Sprintf("%s without missing cells; %s, declared public.", plural(complete, "column"), plural(rows, "row"))
	return Bars(c)
}
