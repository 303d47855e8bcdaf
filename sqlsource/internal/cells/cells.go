package cells

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/sqlsource/internal/fault"
)

// noLevel is the code of what is no level, which the check refuses with its place.
const noLevel = -1

// noNumber stands for an infinity: a number that no column accepts.
var noNumber = math.Inf(1)

// A Cell turns the values of a column of the database into those of the schema's column, the same whichever way they come.
type Cell struct {
	Column frames.Column
	codes  map[string]float64 // of levels
	rest   float64            // what is no level
	epoch  float64            // 1970-01-01 in a column of dates
	padded bool               // text is padded with spaces that mean nothing
	texts  bool               // cells are texts that no codebook lists

	decimal, float, boolean bool // the declared type
}

// New serves a column; declared is the type that the database declares, "" for none.
func New(c frames.Column, declared string) Cell {
	r := Cell{Column: c, rest: noLevel, texts: c.Kind == frames.KindText, padded: declared == "BPCHAR", decimal: slices.Contains(decimals, declared), float: slices.Contains(floats, declared), boolean: slices.Contains(booleans, declared)}
	switch {
	case c.IsDate():
		r.epoch, _ = c.DayNumber("1970-01-01") // a column of dates has one
	case len(c.Levels) > 0:
		r.codes = make(map[string]float64, len(c.Levels))
		for i, level := range c.Levels {
			r.codes[level] = float64(i)
		}
		if c.Rest != "" {
			r.rest = r.codes[c.Rest]
		}
	}
	return r
}

// Level is the code of a text.
func (r *Cell) Level(text []byte) float64 {
	if r.padded {
		text = []byte(strings.TrimRight(string(text), " "))
	}
	if code, ok := r.codes[string(text)]; ok {
		return code
	}
	if _, ok := r.codes[string(bytes.TrimSpace(text))]; ok { // "7 " may be the level "7", or be none
		return noLevel
	}
	return r.rest
}

// Person is whose row a text says that it is.
func (r *Cell) Person(text []byte) frames.PersonID {
	if r.padded {
		text = bytes.TrimRight(text, " ")
	}
	return frames.NewPersonID(text)
}

// Day is the number of a day so many days behind 1970-01-01.
func (r *Cell) Day(sinceEpoch int64) float64 { return r.epoch + float64(sinceEpoch) }

// Number is that of the text of a number of the database: the nearest float64. False: it is none.
func Number(text string) (float64, bool) {
	switch text {
	case "NaN":
		return math.NaN(), true
	case "Infinity", "-Infinity", "inf", "-inf", "Inf", "-Inf":
		return noNumber, true
	}
	if text == "" || strings.Trim(text, "0123456789+-.eE") != "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil && !math.IsInf(v, 0) {
		return 0, false
	}
	return v, true
}

// A Fault is a value that is no cell of its column.
type Fault struct {
	Got, Want string
	Of        error // a sentinel; nil: none
}

// Of is the cell of a driver's value that is not NULL, and of a person whose row it is.
func (r *Cell) Of(value any) (cell float64, who frames.PersonID, f Fault) {
	c := r.Column
	var got string
	switch v := value.(type) {
	case int64:
		switch {
		case r.boolean && (v == 0 || v == 1): // as SQLite keeps them
			return r.Of(v == 1)
		case c.Kind == frames.KindPerson:
			return 0, r.Person(strconv.AppendInt(nil, v, 10)), f
		case r.codes != nil:
			return r.Level(strconv.AppendInt(nil, v, 10)), who, f
		case r.texts:
			return r.text(strconv.AppendInt(nil, v, 10))
		case !c.IsDate():
			return float64(v), who, f
		}
		got = "an integer"
	case float64:
		if r.Numeric() {
			return v, who, f
		}
		got = "a number that is no integer by its type"
	case bool:
		switch {
		case r.codes != nil:
			return r.Level(strconv.AppendBool(nil, v)), who, f
		case r.texts:
			return r.text(strconv.AppendBool(nil, v))
		case r.Numeric() && v:
			return 1, who, f
		case r.Numeric():
			return 0, who, f
		}
		got = "a boolean"
	case time.Time:
		if c.IsDate() {
			seconds := v.Unix()
			day := seconds / 86400
			if seconds%86400 < 0 {
				day--
			}
			return r.Day(day), who, f
		}
		got = "a time"
	case string:
		return r.text([]byte(v))
	case []byte:
		return r.text(v)
	default:
		got = fmt.Sprintf("a %T", value)
	}
	return 0, who, Fault{got, r.Wants(), fault.ErrType}
}

// text is Of for values that come as text.
func (r *Cell) text(text []byte) (cell float64, who frames.PersonID, f Fault) {
	switch {
	case r.Numeric():
		v, ok := Number(string(text))
		if !ok {
			f = Fault{"a text that is no number", r.Wants(), fault.ErrType}
		}
		return v, who, f
	case r.decimal:
		return 0, who, Fault{"a decimal number", r.Wants(), fault.ErrType}
	case r.Column.IsDate():
		v, err := r.Column.ReadDay(strings.TrimRight(string(text), " "))
		if err != nil {
			f = Fault{"a text that is no day", "one written as " + r.Column.DayText(r.Column.Lo), frames.ErrDate}
		}
		return v, who, f
	case r.float: // of a driver that sends all as text
		return 0, who, Fault{"a number that is no integer by its type", r.Wants(), fault.ErrType}
	case r.codes != nil:
		return r.Level(text), who, f
	case r.texts:
		if r.padded {
			text = bytes.TrimRight(text, " ")
		}
		code, err := r.Column.Code(string(text))
		if err != nil {
			f = Fault{"a text that is none of the column", "one of 1 to 1000 bytes, without control characters and space around it, and not \"(missing)\", which is a cell without a value: name it in Missing", frames.ErrText}
		}
		return code, who, f
	}
	return 0, r.Person(text), f
}

// Numeric reports a column of numbers that are no days.
func (r *Cell) Numeric() bool {
	return r.codes == nil && !r.texts && r.Column.Kind != frames.KindPerson && !r.Column.IsDate()
}

// Levels reports a column of levels.
func (r *Cell) Levels() bool { return r.codes != nil }

// Wants says what a column is read from.
func (r *Cell) Wants() string {
	switch {
	case r.Column.Kind == frames.KindPerson:
		return "text or integers for the person that a row is of"
	case r.Column.IsDate():
		return "dates, timestamps or text for a column of dates"
	case r.codes != nil:
		return "text, integers or booleans for a column of levels"
	case r.texts:
		return "text, integers or booleans for a column of texts"
	}
	return "numbers for a column with bounds"
}

// Types as databases name them: decimal numbers have no one spelling, and floats have one for
// several numbers.
var (
	decimals = []string{"NUMERIC", "DECIMAL"}
	floats   = []string{"FLOAT", "FLOAT4", "FLOAT8", "DOUBLE", "DOUBLE PRECISION", "REAL"}
	booleans = []string{"BOOLEAN", "BOOL"}
	texts    = []string{"TEXT", "VARCHAR", "BPCHAR", "CHAR", "CHARACTER", "NVARCHAR", "NCHAR", "CLOB", "NAME", "CITEXT", "BYTEA", "BLOB", "JSON", "JSONB", "UUID"}
)

// Suits reports a declared type of which no value is a cell of the column; values are looked at one by one beside.
func (r *Cell) Suits(declared string) error {
	if r.Numeric() && slices.Contains(texts, declared) {
		return fmt.Errorf("sqlsource: column %q: got type %s, want %s: cast it in the query, or declare the column as what it is: %w", r.Column.Name, declared, r.Wants(), fault.ErrType)
	}
	return nil
}

// TypeName is the name of a type without its length.
func TypeName(declared string) string {
	name, _, _ := strings.Cut(strings.ToUpper(declared), "(")
	return strings.TrimSpace(name)
}
