package pgcopy

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/sqlsource"
	"github.com/dpkit-go/dpnb/sqlsource/internal/cells"
	"github.com/dpkit-go/dpnb/sqlsource/internal/shape"
)

// types are the names of those that are read.
var types = map[uint32]string{
	pgtype.BoolOID: "BOOL", pgtype.Int2OID: "INT2", pgtype.Int4OID: "INT4", pgtype.Int8OID: "INT8", pgtype.OIDOID: "OID", pgtype.Float4OID: "FLOAT4", pgtype.Float8OID: "FLOAT8",
	pgtype.NumericOID: "NUMERIC", pgtype.DateOID: "DATE", pgtype.TimestampOID: "TIMESTAMP", pgtype.TimestamptzOID: "TIMESTAMPTZ", pgtype.UUIDOID: "UUID", pgtype.ByteaOID: "BYTEA",
	pgtype.TextOID: "TEXT", pgtype.VarcharOID: "VARCHAR", pgtype.BPCharOID: "BPCHAR", pgtype.NameOID: "NAME", pgtype.UnknownOID: "TEXT",
}

// sizes are how many bytes a value has, of types of one size.
var sizes = map[string]int{"BOOL": 1, "INT2": 2, "INT4": 4, "INT8": 8, "OID": 4, "FLOAT4": 4, "FLOAT8": 8, "DATE": 4, "TIMESTAMP": 8, "TIMESTAMPTZ": 8, "UUID": 16}

// value returns what reads the values of a column.
func (t *table) value(ctx context.Context, in pgx.Tx, c *shape.Column, oid uint32) (value, error) {
	if c.Cell == nil {
		return nil, nil
	}
	name, known := types[oid]
	if !known { // an enumeration, whose values come as text
		var kind, called string
		if err := in.QueryRow(ctx, "SELECT typtype::text, typname::text FROM pg_catalog.pg_type WHERE oid = $1", oid).Scan(&kind, &called); err != nil {
			return nil, withhold("look a type up", err)
		}
		if kind != "e" && called != "citext" {
			return nil, fmt.Errorf("sqlsource: column %q: got type %s, want %s: cast it in the query: %w", c.Name, called, c.Cell.Wants(), sqlsource.ErrType)
		}
		name = "TEXT"
	}
	read, err := valueOf(c.Cell, name)
	if err != nil || sizes[name] == 0 {
		return read, err
	}
	size, want := sizes[name], c.Cell.Wants()
	return func(b []byte) (float64, frames.PersonID, cells.Fault) {
		if len(b) != size {
			return 0, frames.PersonID{}, cells.Fault{Got: "a value of another size", Want: want, Of: sqlsource.ErrType}
		}
		return read(b)
	}, nil
}

// number makes a value of what reads numbers.
func number(read func(b []byte) float64) value {
	return func(b []byte) (float64, frames.PersonID, cells.Fault) {
		return read(b), frames.PersonID{}, cells.Fault{}
	}
}

// valueOf reads a type as the cell of a column. What takes no fast way is given to the cell as a driver would give it.
func valueOf(c *cells.Cell, name string) (value, error) {
	switch name {
	case "INT2":
		return integer(c, func(b []byte) int64 { return int64(int16(binary.BigEndian.Uint16(b))) }), nil
	case "INT4":
		return integer(c, func(b []byte) int64 { return int64(int32(binary.BigEndian.Uint32(b))) }), nil
	case "INT8":
		return integer(c, func(b []byte) int64 { return int64(binary.BigEndian.Uint64(b)) }), nil
	case "OID":
		return integer(c, func(b []byte) int64 { return int64(binary.BigEndian.Uint32(b)) }), nil
	case "FLOAT4":
		return float(c, func(b []byte) float64 { return float64(math.Float32frombits(binary.BigEndian.Uint32(b))) })
	case "FLOAT8":
		return float(c, func(b []byte) float64 { return math.Float64frombits(binary.BigEndian.Uint64(b)) })
	case "BOOL":
		return func(b []byte) (float64, frames.PersonID, cells.Fault) { return c.Of(b[0] != 0) }, nil
	case "NUMERIC":
		if !c.Numeric() {
			return nil, refused(c, name)
		}
		return decimal(c), nil
	case "DATE":
		if !c.Column.IsDate() {
			return nil, refused(c, name)
		}
		return day(c, func(b []byte) (int64, bool) {
			v := int32(binary.BigEndian.Uint32(b))
			return int64(v), v != math.MaxInt32 && v != math.MinInt32
		}), nil
	case "TIMESTAMP", "TIMESTAMPTZ":
		if !c.Column.IsDate() {
			return nil, refused(c, name)
		}
		return day(c, func(b []byte) (int64, bool) {
			v := int64(binary.BigEndian.Uint64(b)) // microseconds since 2000-01-01
			const perDay = 86_400_000_000
			days := v / perDay
			if v%perDay < 0 {
				days--
			}
			return days, v != math.MaxInt64 && v != math.MinInt64
		}), nil
	case "UUID":
		return func(b []byte) (float64, frames.PersonID, cells.Fault) {
			h := hex.EncodeToString(b)
			return c.Of(h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:])
		}, nil
	}
	if c.Levels() {
		return number(c.Level), nil
	}
	if c.Column.Kind == frames.KindPerson {
		return func(b []byte) (float64, frames.PersonID, cells.Fault) { return 0, c.Person(b), cells.Fault{} }, nil
	}
	return func(b []byte) (float64, frames.PersonID, cells.Fault) { return c.Of(b) }, nil
}

func refused(c *cells.Cell, name string) error {
	return fmt.Errorf("sqlsource: column %q: got type %s, want %s: cast it in the query, or declare the column as what it is: %w", c.Column.Name, name, c.Wants(), sqlsource.ErrType)
}

func integer(c *cells.Cell, read func(b []byte) int64) value {
	if c.Numeric() {
		return number(func(b []byte) float64 { return float64(read(b)) })
	}
	return func(b []byte) (float64, frames.PersonID, cells.Fault) { return c.Of(read(b)) }
}

func float(c *cells.Cell, read func(b []byte) float64) (value, error) {
	if !c.Numeric() {
		return nil, refused(c, "of floats")
	}
	return number(read), nil
}

// epoch is how many days 2000-01-01 is behind 1970-01-01.
const epoch = 10957

func day(c *cells.Cell, read func(b []byte) (int64, bool)) value {
	return func(b []byte) (float64, frames.PersonID, cells.Fault) {
		days, finite := read(b)
		if !finite {
			return c.Of("infinity")
		}
		return c.Day(days + epoch), frames.PersonID{}, cells.Fault{}
	}
}

// decimal reads numeric: the number of digits of base 10000, the weight of the first, the sign, how many decimals are shown, and the digits.
func decimal(c *cells.Cell) value {
	return func(b []byte) (float64, frames.PersonID, cells.Fault) {
		bad := cells.Fault{Got: "a decimal number in another form", Want: c.Wants(), Of: sqlsource.ErrType}
		if len(b) < 8 {
			return 0, frames.PersonID{}, bad
		}
		n, weight := int(binary.BigEndian.Uint16(b)), int(int16(binary.BigEndian.Uint16(b[2:])))
		negative := false
		switch sign := binary.BigEndian.Uint16(b[4:]); sign {
		case 0:
		case 0x4000:
			negative = true
		case 0xC000:
			return math.NaN(), frames.PersonID{}, cells.Fault{}
		case 0xD000, 0xF000:
			return math.Inf(1), frames.PersonID{}, cells.Fault{}
		default:
			return 0, frames.PersonID{}, bad
		}
		digits := b[8:]
		if len(digits) != 2*n {
			return 0, frames.PersonID{}, bad
		}
		v, exact := short(digits, weight)
		if !exact {
			text := append(make([]byte, 0, 64), '0')
			for ; len(digits) > 0; digits = digits[2:] {
				d := binary.BigEndian.Uint16(digits)
				text = append(text, byte('0'+d/1000), byte('0'+d/100%10), byte('0'+d/10%10), byte('0'+d%10))
			}
			text = strconv.AppendInt(append(text, 'e'), int64(4*(weight+1-n)), 10)
			v, _ = cells.Number(string(text))
		}
		if negative {
			v = -v
		}
		return v, frames.PersonID{}, cells.Fault{}
	}
}

// short is a number of few digits: one division or product of two exact numbers rounds correctly (Clinger 1990).
func short(digits []byte, weight int) (v float64, ok bool) {
	n := len(digits) / 2
	exponent := 4 * (weight + 1 - n)
	if n > 4 || exponent < -20 || exponent > 20 {
		return 0, n == 0
	}
	var whole uint64
	for ; len(digits) > 0; digits = digits[2:] {
		whole = 10000*whole + uint64(binary.BigEndian.Uint16(digits))
	}
	switch {
	case whole > 1<<53:
		return 0, false
	case exponent < 0:
		return float64(whole) / math.Pow10(-exponent), true
	}
	return float64(whole) * math.Pow10(exponent), true
}
