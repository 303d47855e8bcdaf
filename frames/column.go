package frames

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind says what a column is for.
type Kind uint8

const (
	KindNumeric  Kind = iota + 1 // a feature in [Lo, Hi]
	KindCategory                 // a feature with one of finitely many levels
	KindLabel                    // what a model predicts: a class (Levels) or a number in [Lo, Hi]
	KindIgnored                  // may stand in a file; never read into memory
	KindPerson                   // whose row it is: the unit of privacy
	KindText                     // a text that no codebook lists
)

func (k Kind) String() string {
	switch k {
	case KindNumeric:
		return "numeric"
	case KindCategory:
		return "category"
	case KindLabel:
		return "label"
	case KindIgnored:
		return "ignored"
	case KindPerson:
		return "person"
	case KindText:
		return "text"
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// The legal sizes of a public domain. Fourth powers of sizes in this range, quotients of their squares, and sums of 2⁶⁴ of
// those, are normal numbers of float64, so that no sensitivity need underflow or overflow. Every [Schema] keeps to them, those
// behind the steps of a chain too; a column outside is given in another unit.
const (
	MaxBound = 1e60  // the largest |Lo| and |Hi| of a column with bounds, and the largest guessed scale
	MinWidth = 1e-60 // the least Hi − Lo of a column with bounds, and the least guessed scale
)

// Column is the public domain of one column. All of it must be known without looking at the rows.
type Column struct {
	Name    string
	Kind    Kind
	Missing bool // a feature's cell may be missing
	Clamp   bool // a number outside [Lo, Hi] becomes the nearer bound (and is counted) instead of refused
	Ordered bool // Levels stand in an order that means something, as sizes and months do
	// NoBounds says that nobody can bound the column's numbers: Lo and Hi are then ±∞. See [Unbounded].
	NoBounds bool
	Lo, Hi   float64  // public bounds in ±[MaxBound], at least [MinWidth] apart: numeric features and numeric labels
	Levels   []string // public levels of categories and class labels; a level's code is its index
	Rest     string   // the one of Levels that a text of none of them becomes, instead of refused; "": none

	// Block names the category that this numeric column encodes together with the other columns of
	// the same Block, which stand together, all with the same bounds [0, Hi]; in a row they miss
	// together or not at all. The Euclidean norm of each row's block is
	// at most Hi (one-hot rows with Hi = 1, rows on the simplex such as imputed frequencies, and
	// both scaled by a public factor); loaders check it.
	Block string

	more *rare // what few columns have; nil: nothing

	// Scale is a public guess of the size of the values of an unbounded column, in [MinWidth, MaxBound]; 0: none.
	// Accuracy may rest on it, privacy never does.
	Scale float64
}

// Numeric is a feature with values in [lo, hi], within ±[MaxBound] and at least [MinWidth] apart.
func Numeric(name string, lo, hi float64) Column {
	return Column{Name: name, Kind: KindNumeric, Lo: lo, Hi: hi}
}

// Category is a feature with one of the given levels.
func Category(name string, levels ...string) Column {
	return Column{Name: name, Kind: KindCategory, Levels: slices.Clone(levels)}
}

// Label is a class label with one of the given levels; for two classes the second is the positive one.
func Label(name string, levels ...string) Column {
	return Column{Name: name, Kind: KindLabel, Levels: slices.Clone(levels)}
}

// NumericLabel is a label with values in [lo, hi], as those of [Numeric].
func NumericLabel(name string, lo, hi float64) Column {
	return Column{Name: name, Kind: KindLabel, Lo: lo, Hi: hi}
}

// Unbounded is a feature whose values nobody can bound: any finite number. Its bounds are ±∞. Steps and mechanisms that
// rest on bounds refuse it; those for unbounded covariates (second moments, their regression, quantiles) read it.
func Unbounded(name string) Column {
	return Column{Name: name, Kind: KindNumeric, Lo: math.Inf(-1), Hi: math.Inf(1), NoBounds: true}
}

// UnboundedLabel is a numeric label whose values nobody can bound.
func UnboundedLabel(name string) Column {
	return Column{Name: name, Kind: KindLabel, Lo: math.Inf(-1), Hi: math.Inf(1), NoBounds: true}
}

// Guess returns the unbounded column with a public guess of the size of its values, not taken from the rows.
func (c Column) Guess(scale float64) Column { c.Scale = scale; return c }

// Ignored is a column that a file may hold and that is never read into memory.
func Ignored(name string) Column { return Column{Name: name, Kind: KindIgnored} }

// MayMiss returns the column with missing cells allowed.
func (c Column) MayMiss() Column { c.Missing = true; return c }

// Clamped returns the column with values outside its bounds clamped instead of refused.
func (c Column) Clamped() Column { c.Clamp = true; return c }

// Other returns the column of levels with one for all that the codebook does not list, which is declared with it unless it is among
// them: a text that is no level becomes it, where a loader would refuse the row. A missing cell stays missing, whose marker is
// no level. How many cells that were is a fact of the rows, which nobody is told: release the level's count.
func (c Column) Other(level string) Column {
	c = c.clone()
	if !slices.Contains(c.Levels, level) {
		c.Levels = append(c.Levels, level)
	}
	c.Rest = level
	return c
}

// InOrder returns the column of levels with their order declared to mean something, as that of sizes, grades and months does. It changes
// nothing of what is released; views draw such levels in a line.
func (c Column) InOrder() Column { c.Ordered = true; return c }

// classes reports whether the column's values are codes of levels.
func (c Column) classes() bool {
	return c.Kind == KindCategory || c.Kind == KindLabel && len(c.Levels) > 0
}

// number reports whether the column's cells are numbers, dates apart.
func (c Column) number() bool {
	return !c.IsDate() && (c.Kind == KindNumeric || c.Kind == KindLabel && !c.classes())
}

// feature reports whether the column is one of Features.
func (c Column) feature() bool {
	return c.Kind == KindNumeric || c.Kind == KindCategory || c.Kind == KindText
}

func (c Column) clone() Column { c.Levels = slices.Clone(c.Levels); return c }

func (c Column) validate() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("column %q: %s", c.Name, fmt.Sprintf(format, args...))
	}
	if err := validateText(c.Name); err != nil {
		return bad("name %v", err)
	}
	switch c.Kind {
	case KindNumeric, KindCategory, KindLabel, KindIgnored, KindPerson, KindText:
	default:
		return bad("got kind %d, want one of numeric, category, label, ignored, person, text: use the constructors", uint8(c.Kind))
	}
	if c.IsSingle() {
		if err := c.validateSingle(); err != nil {
			return bad("%v", err)
		}
	}
	switch {
	case c.Kind == KindText:
		return c.validateTexts(bad)
	case c.parts().texts != nil:
		return bad("got texts and kind %v, want a column that Text makes", c.Kind)
	case c.Kind != KindPerson && (c.parts().people != nil || c.parts().per != ""):
		return bad("got a roster or a period, and kind %v, want one of a person: drop it, or declare the column with Person", c.Kind)
	case c.Kind == KindIgnored || c.Kind == KindPerson:
		if c.Lo != 0 || c.Hi != 0 || len(c.Levels) > 0 || c.Missing || c.Clamp || c.Rest != "" || c.Ordered || c.parts().dated() || c.Block != "" || c.NoBounds || c.Scale != 0 {
			return bad("a column of kind %v is no feature: drop its bounds, levels and flags", c.Kind)
		}
		if r := c.parts().people; r != nil && r.err != nil {
			return bad("%v", r.err)
		}
		if err := c.parts().validatePer(); err != nil {
			return bad("%v", err)
		}
		return nil
	case c.Kind == KindLabel && c.Missing:
		return bad("a label cannot be missing: drop MayMiss, and drop rows without a label before loading")
	case c.Kind == KindNumeric && len(c.Levels) > 0:
		return bad("a numeric column has bounds, got %s: use Category, or drop the levels", count(len(c.Levels), "level"))
	}
	if c.Kind == KindCategory || c.classes() {
		return c.validateLevels(bad)
	}
	return c.validateBounds(bad)
}

func (c Column) validateLevels(bad func(string, ...any) error) error {
	if c.Lo != 0 || c.Hi != 0 || c.Clamp || c.parts().dated() || c.Block != "" || c.NoBounds || c.Scale != 0 {
		return bad("a column with levels has no bounds, days, clamping, block or guessed scale: drop them")
	}
	if c.Rest != "" && !slices.Contains(c.Levels, c.Rest) {
		return bad("level %q for what is no level is none of the column's: declare it, or use Other", c.Rest)
	}
	if len(c.Levels) < 2 {
		return bad("got %s, want at least 2: list every level of the codebook", count(len(c.Levels), "level"))
	}
	seen := make(map[string]bool, len(c.Levels))
	for _, l := range c.Levels {
		if err := validateLevel(l); err != nil {
			return bad("level %q %v", l, err)
		}
		if seen[l] {
			return bad("level %q appears twice: list each level once", l)
		}
		seen[l] = true
	}
	return nil
}

func (c Column) validateBounds(bad func(string, ...any) error) error {
	if c.Rest != "" {
		return bad("a column of numbers has no other level: drop Other, declare bounds and Clamped, or make it a Category")
	}
	if c.Ordered {
		return bad("a column of numbers has no levels to stand in an order: drop InOrder")
	}
	if c.parts().dated() {
		if err := c.validateDate(); err != nil {
			return bad("%v", err)
		}
	}
	if c.NoBounds {
		return c.validateUnbounded(bad)
	}
	if c.Scale != 0 {
		return bad("got a guessed scale %g beside bounds, want it on an unbounded column alone: drop Guess", c.Scale)
	}
	if !(c.Lo <= c.Hi) || math.IsInf(c.Lo, 0) || math.IsInf(c.Hi, 0) || c.Lo == 0 && c.Hi == 0 { // [0, 0] says nothing
		if c.Kind == KindLabel {
			return bad("got bounds [%g, %g] and no levels, want finite lo < hi (NumericLabel) or at least 2 levels (Label)", c.Lo, c.Hi)
		}
		return bad("got bounds [%g, %g], want finite lo < hi: take them from the codebook, or declare the column Unbounded", c.Lo, c.Hi)
	}
	if err := c.validateSizes(); err != nil {
		return bad("%v", err)
	}
	if c.Block == "" {
		return nil
	}
	if err := validateText(c.Block); err != nil {
		return bad("block name %v", err)
	}
	if c.Kind != KindNumeric || c.Lo != 0 {
		return bad("got kind %v and bounds [%g, %g] in block %q, want a numeric column with bounds [0, hi]: drop the block", c.Kind, c.Lo, c.Hi, c.Block)
	}
	return nil
}

// validateSizes holds finite lo <= hi to the legal sizes.
func (c Column) validateSizes() error {
	switch {
	case !(max(math.Abs(c.Lo), math.Abs(c.Hi)) <= MaxBound):
		return fmt.Errorf("got bounds [%g, %g], want at most %g in size: give the column in a larger unit", c.Lo, c.Hi, MaxBound)
	case c.Lo == c.Hi:
		return fmt.Errorf("got bounds [%g, %g], which hold one value, want lo < hi: take them from the codebook, or make the column Ignored, since a constant tells nothing", c.Lo, c.Hi)
	case !(c.Hi-c.Lo >= MinWidth):
		return fmt.Errorf("got bounds [%g, %g] of width %.3g, want a width of at least %g: give the column in a smaller unit", c.Lo, c.Hi, c.Hi-c.Lo, MinWidth)
	}
	return nil
}

func (c Column) validateUnbounded(bad func(string, ...any) error) error {
	switch {
	case !math.IsInf(c.Lo, -1) || !math.IsInf(c.Hi, 1):
		return bad("got bounds [%g, %g] of an unbounded column, want [-Inf, +Inf]: use Unbounded, or drop NoBounds", c.Lo, c.Hi)
	case c.IsDate():
		return bad("a column of dates has a first and a last day, got none: declare it with Date")
	case c.Clamp:
		return bad("an unbounded column has no bounds to clamp to: drop Clamped, or declare bounds with Numeric")
	case c.Block != "":
		return bad("an unbounded column is in block %q, want bounds [0, hi]: drop the block", c.Block)
	case c.Scale != 0 && !(c.Scale >= MinWidth && c.Scale <= MaxBound):
		return bad("got a guessed scale %g, want a number in [%g, %g]: fix Guess, or give the column in another unit", c.Scale, MinWidth, MaxBound)
	}
	return nil
}

// validateText holds names and levels to what a table can print and a CSV cell can hold.
// MissingLevel is what released tables and histograms call cells without a value. No level and no text is named so: two groups would have one name.
const MissingLevel = "(missing)"

// validateLevel is validateText of what groups are named by.
func validateLevel(s string) error {
	if s == MissingLevel {
		return fmt.Errorf("is what tables call a cell without a value: declare the column MayMiss, and name this marker in Missing of the loader, or give the level another name")
	}
	return validateText(s)
}

func validateText(s string) error {
	switch {
	case s == "":
		return fmt.Errorf("is empty: give it text")
	case !utf8.ValidString(s):
		return fmt.Errorf("is not UTF-8: re-encode it")
	case strings.ContainsFunc(s, unicode.IsControl):
		return fmt.Errorf("holds a control character: remove it")
	}
	return nil
}
