package steps

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// What each step changes of what is counted (docs/theory/tables.md#what-is-counted). Words complete "counted: …", and stand below every number that is released.

// Counted is the bound, with the parts of it that drop rows.
func (b Bound) Counted(stage.Stage) stage.Counted {
	to, err := b.To.settle()
	if err != nil {
		return stage.Counted{}
	}
	words := "at most " + counted(to.Rows, "row") + " a person"
	by := " by " + strings.Join(kind.QuoteAll(to.By), " and ")
	switch groups := counted(to.Groups, "group") + by; {
	case to.PerGroup < to.Rows && (to.Groups < to.Rows || to.Groups*to.PerGroup == to.Rows):
		words += fmt.Sprintf(", at most %d in each of at most %s", to.PerGroup, groups)
	case to.PerGroup < to.Rows:
		words += fmt.Sprintf(", at most %d in each group%s", to.PerGroup, by)
	case to.Groups < to.Rows:
		words += ", in at most " + groups
	}
	return stage.Counted{Rows: words + "; rows beyond are not counted", Lost: "the rows of a person that Bound drops"}
}

// Counted says that rows are people, and what is clamped of each.
func (p PerPerson) Counted(stage.Stage) stage.Counted {
	out := stage.Counted{Rows: "people, one row each"}
	var lost []string
	for _, s := range p.Of {
		if l, ok := s.(PersonLabel); ok {
			s = l.Of
		}
		switch s := s.(type) {
		case CountRows:
			name, _ := s.made()
			out.Rows += fmt.Sprintf("; %q counts at most %d of a person", name, s.Max)
			lost = append(lost, fmt.Sprintf("rows beyond %d of a person", s.Max))
		case SumOf:
			if s.As != "" {
				out.Rows += fmt.Sprintf("; %q, the sum of %q, is clamped to [%g, %g]", s.As, s.Column, s.Lo, s.Hi)
			} else {
				out.Rows += fmt.Sprintf("; the sum of %q is clamped to [%g, %g]", s.Column, s.Lo, s.Hi)
			}
			lost = append(lost, fmt.Sprintf("what a person's sum of %q has beyond [%g, %g]", s.Column, s.Lo, s.Hi))
		}
	}
	out.Lost = strings.Join(lost, ", ")
	return out
}

func (w Where) Counted(stage.Stage) stage.Counted {
	var all []string
	for _, c := range w.Conditions {
		all = append(all, c.Text())
	}
	return stage.Counted{Rows: "rows that meet " + strings.Join(all, " and ")}
}

func (h Holdout) Counted(st stage.Stage) stage.Counted {
	if st.Contributions.Rows > 0 {
		return h.CountedOf(st, "people")
	}
	return h.CountedOf(st, "places")
}

// CountedOf is Counted where the places are those of people, or of rows that may be empty: what the step's own stage does not say.
func (h Holdout) CountedOf(st stage.Stage, what string) stage.Counted {
	people, _ := h.sizes(st)
	return stage.Counted{Rows: fmt.Sprintf("the %s side of Holdout(%g), %d of %d %s", h.Of, h.Share, h.left(st), people, what)}
}

// Counted says what a row of the second table stands beside.
func (j JoinPeople) Counted(st stage.Stage) stage.Counted {
	var before []string
	for _, step := range j.With.Steps {
		if c, ok := step.(stage.Counter); ok {
			if words := c.Counted(stage.Stage{}).Rows; words != "" && !isPerPerson(step) {
				before = append(before, words)
			}
		}
	}
	of := fmt.Sprintf("table %q", j.With.Table)
	if len(before) > 0 {
		of += " (" + strings.Join(before, "; ") + ")"
	}
	if kept, err := j.Keeps(); err == nil && j.Product() {
		return stage.Counted{
			Rows: fmt.Sprintf("at most %s a person, each joined with each of at most %s of the same person in %s; rows beyond are not counted",
				counted(kept.First, "row"), counted(kept.Second, "row"), of),
			Lost: "the rows of a person that JoinPeople drops",
		}
	}
	if len(before) == 0 {
		return stage.Counted{} // the columns that it adds say what they are
	}
	return stage.Counted{Rows: "each row with its person's cells of " + of}
}

func isPerPerson(step stage.Preprocessor) bool { _, ok := step.(PerPerson); return ok }

func (e ExactDedup) Counted(stage.Stage) stage.Counted {
	return stage.Counted{Rows: "the first of rows that agree" + inKeys(e.Keys)}
}

func (g GridDedup) Counted(stage.Stage) stage.Counted {
	words := fmt.Sprintf("one row for each cell of width %g that has rows%s", g.Width, inKeys(g.Keys))
	if g.Representative == CellCenter {
		words += ", moved to its centre"
	}
	return stage.Counted{Rows: words}
}

func (b BallDedup) Counted(stage.Stage) stage.Counted {
	return stage.Counted{Rows: fmt.Sprintf("one row for each cluster of rows within %g%s", b.Eta, inKeys(b.Keys))}
}

// inKeys are the columns in which rows are compared.
func inKeys(keys []string) string {
	if len(keys) == 0 {
		return ""
	}
	return " in " + strings.Join(kind.QuoteAll(keys), ", ")
}

func (c ClipColumns) Counted(stage.Stage) stage.Counted {
	return clampedTo(c.Columns, fmt.Sprintf("[%g, %g]", c.Lo, c.Hi))
}

func (w PublicWinsor) Counted(stage.Stage) stage.Counted {
	var words []string
	for _, c := range w.each() {
		words = append(words, c.Counted(stage.Stage{}).Values)
	}
	out := clampedTo(w.Columns, "public bounds")
	out.Values = strings.Join(words, ", ")
	return out
}

func (w PrivateWinsor) Counted(stage.Stage) stage.Counted {
	return clampedTo(w.Columns, "bounds that were drawn with noise")
}

func (s SmoothWinsor) Counted(st stage.Stage) stage.Counted {
	return clampedTo(numbersOf(st.In, s.Columns), fmt.Sprintf("their quantiles %g and %g, averaged over %g", s.Q, 1-s.Q, s.Window))
}

// clampedTo says of columns that their values were.
func clampedTo(columns []string, to string) stage.Counted {
	return stage.Counted{
		Values: fmt.Sprintf("%s clamped to %s", named(columns), to), Columns: columns,
		Lost: fmt.Sprintf("what values of %s have beyond %s", named(columns), to),
	}
}

func (c ClipNorm) Counted(st stage.Stage) stage.Counted {
	out := changed(st.In, nil, fmt.Sprintf("scaled down in rows of a norm above %g", c.R))
	out.Lost = fmt.Sprintf("what rows have beyond the norm %g", c.R)
	return out
}

func (m MidpointImpute) Counted(st stage.Stage) stage.Counted {
	return filled(st, m.Columns, "the middle of the bounds")
}

func (f FixedImpute) Counted(st stage.Stage) stage.Counted {
	return filled(st, f.Columns, fmt.Sprint(f.Value))
}

func (m MeanImpute) Counted(st stage.Stage) stage.Counted {
	return filled(st, m.Columns, "the mean of the others")
}

func (m MedianImpute) Counted(st stage.Stage) stage.Counted {
	return filled(st, m.Columns, "the median of the others")
}

func (m TrimmedImpute) Counted(st stage.Stage) stage.Counted {
	return filled(st, m.Columns, "the trimmed mean of the others")
}

func (m PrivateMeanImpute) Counted(st stage.Stage) stage.Counted {
	return filled(st, m.Columns, "a mean of the others, with noise")
}

func (r RidgeImpute) Counted(st stage.Stage) stage.Counted {
	return filled(st, r.Columns, "predictions of a ridge regression")
}

// filled says of missing cells that they were; nothing where no cell of the columns may miss.
func filled(st stage.Stage, columns []string, with string) stage.Counted {
	var of []string
	for _, c := range st.In.Features() {
		if c.Missing && (len(columns) == 0 || slices.Contains(columns, c.Name) || slices.Contains(columns, c.Block)) {
			of = append(of, domain.UnitName(c))
		}
	}
	if of = slices.Compact(of); len(of) == 0 {
		return stage.Counted{}
	}
	return stage.Counted{Values: fmt.Sprintf("missing cells of %s filled with %s", named(of), with), Columns: of}
}

func (q Quantize) Counted(st stage.Stage) stage.Counted {
	return changed(st.In, q.Columns, fmt.Sprintf("rounded to cells of width %g", q.Width))
}

func (m CellMeans) Counted(st stage.Stage) stage.Counted {
	return changed(st.In, m.Columns, fmt.Sprintf("moved to the means of cells of width %g", m.Width))
}

func (b BallQuantize) Counted(st stage.Stage) stage.Counted {
	return changed(st.In, nil, fmt.Sprintf("moved to those of one row of each cluster of rows within %g", b.Eta))
}

func (Centering) Counted(st stage.Stage) stage.Counted {
	return changed(st.In, nil, "with their means taken off")
}

func (Scale) Counted(st stage.Stage) stage.Counted {
	return changed(st.In, nil, "in units of their bounds")
}

func (m MaxAbs) Counted(st stage.Stage) stage.Counted {
	return changed(st.In, nil, "in units of their largest size")
}

func (s Standardize) Counted(st stage.Stage) stage.Counted {
	return changed(st.In, s.Columns, "standardized")
}

func (r RankTransform) Counted(st stage.Stage) stage.Counted {
	return changed(st.In, r.Columns, "replaced by their ranks")
}

func (s SoftSelection) Counted(st stage.Stage) stage.Counted {
	return changed(st.In, nil, "shrunk by SelectFeatures")
}

func (f FrequencyEncode) Counted(st stage.Stage) stage.Counted {
	return replaced(levelled(st.In, f.Columns), "replaced by how frequent their levels are")
}

func (e TargetEncode) Counted(st stage.Stage) stage.Counted {
	return replaced(levelled(st.In, e.Columns), "replaced by means of the label")
}

func (o Ordinal) Counted(st stage.Stage) stage.Counted {
	return replaced(levelled(st.In, o.Columns), "replaced by the places of their levels")
}

func (m Mutation) Counted(st stage.Stage) stage.Counted {
	if _, there := st.In.Column(m.Name); !there {
		return stage.Counted{}
	}
	return replaced([]string{m.Name}, fmt.Sprintf("made by the function %q", m.Func))
}

func (s SpectralFit) Counted(st stage.Stage) stage.Counted {
	return changed(st.In, nil, "filtered by PCA")
}

func (Projector) Counted(st stage.Stage) stage.Counted {
	return changed(st.In, nil, "projected by PCA")
}

func (PrivatePCA) Counted(st stage.Stage) stage.Counted {
	return changed(st.In, nil, "projected by PCA")
}

func (q QuantileBin) Counted(st stage.Stage) stage.Counted {
	return changed(st.In, q.Columns, fmt.Sprintf("cut into %d bins of about as many rows", q.Bins))
}

// replaced says what the named columns hold; all of them where none is named.
func replaced(columns []string, by string) stage.Counted {
	return stage.Counted{Values: named(columns) + " " + by, Columns: columns}
}

// changed is replaced of numeric columns.
func changed(in frames.Schema, columns []string, how string) stage.Counted {
	return stage.Counted{Values: named(columns) + " " + how, Columns: numbersOf(in, columns)}
}

// numbersOf are the named columns, or all numeric ones.
func numbersOf(in frames.Schema, columns []string) []string {
	if len(columns) > 0 {
		return columns
	}
	var all []string
	for _, c := range in.Features() {
		if len(c.Levels) == 0 && c.Kind != frames.KindText {
			all = append(all, c.Name)
		}
	}
	return all
}

// levelled are the named columns, or all categories.
func levelled(in frames.Schema, columns []string) []string {
	if len(columns) > 0 {
		return columns
	}
	var all []string
	for _, c := range in.Features() {
		if c.Kind == frames.KindCategory {
			all = append(all, c.Name)
		}
	}
	return all
}

// named are columns in words: of many of them their number.
func named(columns []string) string {
	const most = 4
	switch {
	case len(columns) == 0:
		return "columns"
	case len(columns) > most:
		return counted(len(columns), "column")
	}
	return strings.Join(kind.QuoteAll(columns), ", ")
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
