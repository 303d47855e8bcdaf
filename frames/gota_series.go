package frames

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-gota/gota/series"
)

// asStrings is how a gota frame keeps every cell as the file spells it.
const asStrings = "read the frame as strings, by dataframe.DetectTypes(false) and dataframe.DefaultType(series.String), or make the series of []string"

// gotaText spells an element that is not missing: a float in its shortest form without a power of
// ten.
func gotaText(e series.Element) []byte {
	if e.Type() == series.Float { // gota would print six decimals
		return strconv.AppendFloat(nil, e.Float(), 'f', -1, 64)
	}
	return []byte(e.String())
}

// isWhole reports an integer that no other one has the float of: of a day such as 20240131.
func isWhole(v float64) bool { return v == math.Trunc(v) && math.Abs(v) < 1<<53 }

// gotaColumns holds whole series to their columns. The error names columns and types of series, and
// no cell.
func (p *csvParser) gotaColumns(cols []series.Series, empty []string) error {
	for _, name := range empty {
		if i, ok := p.schema.s.byName[name]; !ok || !p.schema.s.cols[i].Missing {
			return fmt.Errorf("frames: options: Empty holds %q, want names of columns that may miss: fix the name, or declare the column with MayMiss: %w", name, ErrOptions)
		}
	}
	for i, c := range p.cells {
		if c == nil {
			continue
		}
		of := cols[i]
		sentinel, err := c.suits(&of, slices.Contains(empty, c.col.Name))
		if err != nil {
			p.errs.add(sentinel, func() error {
				return &CellError{Column: c.col.Name, Err: fmt.Errorf("%w: %w; the gota series is of type %s", sentinel, err, of.Type())}
			})
		}
	}
	return p.errs.err()
}

// suits says why a series cannot be the column: its cells no longer tell apart what the column
// tells apart, or are lost.
func (p *cellParser) suits(of *series.Series, empty bool) (sentinel, err error) {
	missing := 0
	for i := range of.Len() {
		if of.Elem(i).IsNA() {
			missing++
		}
	}
	t, c := of.Type(), p.col
	switch {
	case missing == of.Len() && !empty:
		return ErrMissing, lostError(c)
	case missing == of.Len():
		return nil, nil
	case c.Kind == KindPerson && t != series.Int && t != series.String:
		return ErrOptions, fmt.Errorf("want strings or integers for a person: of two identifiers a float or a boolean may be both, as of integers beyond 2^53; %s", asStrings)
	case c.Kind == KindPerson && t == series.String:
		return ErrOptions, spelledFloat(of)
	case c.Kind == KindText && t != series.Int && t != series.String:
		return ErrOptions, fmt.Errorf("want strings or integers for a column of texts: a float or a boolean has many spellings; %s", asStrings)
	case c.classes():
		return ErrOptions, p.suitsLevels(of, missing > 0)
	}
	return nil, nil
}

// lostError is that of a column without a cell.
func lostError(c *Column) error {
	const lost = "no row has a cell: gota keeps none of int64, int32, float32, pointers and the like, and no text in a series of numbers; " +
		"convert such slices and fields of structs to int, float64 or string, or read the frame as strings"
	if c.Missing {
		return fmt.Errorf("%s; if the column is empty, name it in GotaOptions.Empty", lost)
	}
	return fmt.Errorf("%s", lost)
}

// suitsLevels says why a series cannot tell the levels of a column apart.
func (p *cellParser) suitsLevels(of *series.Series, missing bool) error {
	t := of.Type()
	for _, level := range p.col.Levels {
		switch kept, ok := gotaKeeps(t, level); {
		case ok && kept != level:
			return fmt.Errorf("no series of type %s keeps level %q as the schema spells it, so that other cells may have become it: %s", t, level, asStrings)
		case !ok && level == p.col.Rest: // which a cell hardly spells
		case !ok && missing && t == series.String:
			return fmt.Errorf("level %q is a missing cell in every gota series, and some cell misses: rename the level, or read the file by ReadCSV of package frames", level)
		case !ok && missing:
			return fmt.Errorf("level %q is a missing cell in a series of type %s, and some cell misses: %s", level, t, asStrings)
		case t == series.String && missing && slices.Contains(gotaMissing, level) && !occurs(of, level):
			return fmt.Errorf("gota's readers take level %q for a missing cell, and some cell misses: read the frame with dataframe.NaNValues([]string{})", level)
		}
	}
	return nil
}

// gotaMissing are texts that gota's readers take for a missing cell unless dataframe.NaNValues
// names others.
var gotaMissing = []string{"NA", "<nil>"}

// gotaKeeps is what a series of the type keeps of a text: nothing where it keeps as much of another
// one; false where the cell is missing.
func gotaKeeps(t series.Type, text string) (string, bool) {
	e := series.New([]string{text}, t, "").Elem(0)
	if e.IsNA() {
		return "", false
	}
	if t == series.Float && !(math.Abs(e.Float()) < 1<<53) { // of integers from there on another has the same float
		return "", true
	}
	return string(gotaText(e)), true
}

func occurs(of *series.Series, text string) bool {
	for i := range of.Len() {
		if e := of.Elem(i); !e.IsNA() && e.String() == text {
			return true
		}
	}
	return false
}

// spelledFloat refuses identifiers that gota or package fmt made of floats: with six decimals, or
// beyond 2^53 with a power of ten.
func spelledFloat(of *series.Series) error {
	for i := range of.Len() {
		e := of.Elem(i)
		if e.IsNA() {
			continue
		}
		text := e.String()
		v, err := strconv.ParseFloat(text, 64)
		switch {
		case err != nil:
			continue
		case strconv.FormatFloat(v, 'f', 6, 64) == text:
		case math.Abs(v) >= 1<<53 && strings.Contains(text, "e+") && strconv.FormatFloat(v, 'g', -1, 64) == text:
		default:
			continue
		}
		return fmt.Errorf("want identifiers of a person that were never floats, as those of the strings here: of two, one float may be both; %s", asStrings)
	}
	return nil
}
