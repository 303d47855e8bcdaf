package frames

import (
	"fmt"
	"math"
	"slices"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
)

// GotaOptions says how a gota frame marks missing cells.
type GotaOptions struct {
	// Missing lists the markers of a missing cell in string columns, as in [CSVOptions]. What
	// gota itself holds as missing (NaN) is missing too.
	Missing []string
	// TrimSpace removes the space around the cells of string columns.
	TrimSpace bool
	// Empty names columns whose cells may all be missing. Without it such a column is refused,
	// since gota makes missing cells of slices that it has no type for.
	Empty []string
}

// FromGota holds a gota frame to the schema and copies it. Columns are matched by name as for a CSV
// header.
//
// Gota's readers may have lost what a file says before: they turn "01234" into 1234, and a column
// with one large integer into floats. [ReadCSV] does not. FromGota refuses what such a frame can no
// longer tell apart. A [Person] and a [Text] come from strings or from integers, never from floats
// or booleans. Levels come from any series that can hold each of them as the schema spells it:
// "007" is no integer, and "9007199254740993" no float. A column that is missing in every row is
// refused unless GotaOptions.Empty names it: gota makes such columns of []int64, []int32 and
// []float32, and of fields of structs of these types. What is left to the caller is an integer
// series whose identifiers had leading zeros in the file: 007 and 7 are one person there.
//
// The way out is a frame of strings, dataframe.ReadCSV(r, dataframe.DetectTypes(false),
// dataframe.DefaultType(series.String)), or slices of int, float64 and string. Errors are
// [*LoadError] with rows counted from 1, which name column, what it wants, and the type of the
// series; they repeat no cell. A type that cannot be read is mended where the gota frame is made
// (dataframe.WithTypes), or by another kind of column in the schema.
func FromGota(df dataframe.DataFrame, s Schema, o GotaOptions) (*Frame, error) {
	if df.Err != nil {
		// gota's error may repeat a cell
		return nil, fmt.Errorf("frames: gota: got a frame that carries an error, want one that loaded: look at its Err: %w", ErrOptions)
	}
	p, err := newCSVParser("gota", s, CSVOptions{Header: true, Missing: missingMarkers(o.Missing), TrimSpace: o.TrimSpace})
	if err != nil {
		return nil, err
	}
	names := df.Names()
	header := make([][]byte, len(names))
	for i, n := range names {
		header[i] = []byte(n)
	}
	targets, err := p.matchNames(header, o.TrimSpace)
	if err != nil {
		return nil, p.fatal(err)
	}
	if df.Nrow() == 0 {
		return nil, p.fatal(fmt.Errorf("got 0 rows, want at least 1: check the frame: %w", ErrEmpty))
	}
	t := newTable(s)
	cols := make([]series.Series, s.Len())
	for i, col := range targets {
		if p.cells[col] != nil {
			cols[col] = df.Col(names[i])
		}
	}
	if err := p.gotaColumns(cols, o.Empty); err != nil {
		return nil, err
	}
	for row := range df.Nrow() {
		if p.gotaRow(cols, row) && len(p.errs.Problems) == 0 {
			if p.stamp != nil {
				p.stamp(&p.rowValues)
			}
			t.push(p.rowValues)
		}
	}
	if err := p.errs.err(); err != nil {
		return nil, err
	}
	t.clamped = p.clamped()
	return newFrame(t), nil
}

// gotaRow parses one row into p.x and p.y and reports whether every cell was accepted.
func (p *csvParser) gotaRow(cols []series.Series, row int) bool {
	ok := true
	for col, c := range p.cells {
		if c == nil {
			continue
		}
		v, f := c.element(cols[col].Elem(row))
		if f != fine {
			ok = false
			p.errs.add(c.sentinel(f), func() error {
				return &CellError{Row: row + 1, Column: c.col.Name, Err: fmt.Errorf("%w; the gota series is of type %s", c.explain(f), cols[col].Type())}
			})
		} else {
			p.set(col, v)
		}
	}
	if ok && !p.blocks.ok(p.x) {
		p.errs.add(ErrBounds, func() error {
			return &CellError{Row: row + 1, Err: fmt.Errorf("%w: %s", ErrBounds, p.blocks.explain(p.x))}
		})
		return false
	}
	return ok
}

// element is parse for a cell of a gota frame, whose series suits the column.
func (p *cellParser) element(e series.Element) (float64, fault) {
	switch {
	case e.IsNA():
		return p.absent()
	case e.Type() == series.String:
		return p.parse([]byte(e.String()))
	case p.col.number():
		return p.number(e.Float())
	case p.isDate && e.Type() == series.Float && !isWhole(e.Float()):
		return 0, faultDate
	}
	return p.parse(gotaText(e))
}

// Gota returns the rows as a gota frame: numbers as floats with NaN for missing, levels and days as strings
// with gota's NaN for missing (so a level spelled "NaN" reads as missing there).
func (p *PublicFrame) Gota() dataframe.DataFrame {
	t := p.f.data()
	var out []series.Series
	for i, c := range t.schema.Columns() {
		j := slices.Index(t.schema.s.features, i)
		switch {
		case c.Kind == KindIgnored, c.Kind == KindPerson:
		case c.IsDate():
			days := make([]string, t.rows)
			for r := range days {
				if days[r] = "NaN"; !math.IsNaN(t.value(r, j)) {
					days[r] = c.DayText(t.value(r, j))
				}
			}
			out = append(out, series.New(days, series.String, c.Name))
		case c.Kind == KindText:
			texts := make([]string, t.rows)
			for r := range texts {
				if texts[r] = "NaN"; !math.IsNaN(t.value(r, j)) {
					texts[r], _ = c.TextOf(t.value(r, j))
				}
			}
			out = append(out, series.New(texts, series.String, c.Name))
		case !c.classes():
			numbers := make([]float64, t.rows)
			t.column(j).read(numbers, 1, 0, t.rows)
			out = append(out, series.New(numbers, series.Float, c.Name))
		default:
			levels := make([]string, t.rows)
			for r := range levels {
				v := t.value(r, j)
				if levels[r] = "NaN"; !math.IsNaN(v) {
					levels[r] = c.Levels[int(v)]
				}
			}
			out = append(out, series.New(levels, series.String, c.Name))
		}
	}
	return dataframe.New(out...)
}
