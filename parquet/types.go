package parquet

import (
	"fmt"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// physical is how a column's values are stored.
type physical struct {
	kind  format.Type
	width int // bytes of a value; 0: any, or a bit
}

// meaning is what values stand for beyond their bytes.
type meaning uint8

const (
	plain    meaning = iota // numbers, and texts or bytes
	unsigned                // integers without a sign
	decimal
	date
	millis // since 1970, as micros and nanos
	micros
	nanos
	uuid
	float16
	other // what no column of a schema can be: times of day, BSON, geometry
)

// leaf is a column of a file that is not nested.
type leaf struct {
	name     string
	index    int // among the leaves, as row groups have them
	optional bool
	physical
	meaning
	scale  int    // of a decimal: digits behind the point
	spoken string // the type, for errors
}

// spell names the type of the element.
func (l *leaf) spell(e *format.SchemaElement) {
	l.spoken = l.kind.String()
	if e.LogicalType.Value != nil {
		l.spoken += " (" + e.LogicalType.Value.String() + ")"
	} else if e.ConvertedType.Valid {
		l.spoken += fmt.Sprintf(" (converted type %d)", e.ConvertedType.V)
	}
}

// newLeaf reads the declaration of a column.
func newLeaf(e *format.SchemaElement, index int) (leaf, error) {
	l := leaf{name: e.Name, index: index, optional: e.RepetitionType.V == format.Optional}
	l.kind = e.Type.V
	switch l.kind {
	case format.Boolean, format.ByteArray:
	case format.Int32, format.Float:
		l.width = 4
	case format.Int64, format.Double:
		l.width = 8
	case format.Int96:
		l.width, l.meaning = 12, nanos
	case format.FixedLenByteArray:
		l.width = int(e.TypeLength.V)
		if l.width < 1 || l.width > maxPage {
			return l, fmt.Errorf("its values have a length of %d", e.TypeLength.V)
		}
	default:
		return l, fmt.Errorf("it is of the unknown type %d", l.kind)
	}
	l.spell(e)
	l.logical(e)
	sound := true
	switch l.meaning {
	case unsigned:
		sound = l.kind == format.Int32 || l.kind == format.Int64
	case decimal:
		sound = l.kind != format.Boolean && l.kind != format.Float && l.kind != format.Double && l.kind != format.Int96 && l.scale >= 0 && l.scale <= 400
	case date:
		sound = l.kind == format.Int32
	case millis, micros:
		sound = l.kind == format.Int64
	case nanos:
		sound = l.kind == format.Int64 || l.kind == format.Int96
	case uuid:
		sound = l.kind == format.FixedLenByteArray && l.width == 16
	case float16:
		sound = l.kind == format.FixedLenByteArray && l.width == 2
	}
	if !sound {
		return l, fmt.Errorf("its type %s contradicts itself", l.spoken)
	}
	return l, nil
}

// logical reads the logical type, or the converted one that older files have.
func (l *leaf) logical(e *format.SchemaElement) {
	switch t := e.LogicalType.Value.(type) {
	case nil:
		l.converted(e)
	case *format.StringType, *format.EnumType, *format.JsonType:
	case *format.IntType:
		if !t.IsSigned {
			l.meaning = unsigned
		}
	case *format.DecimalType:
		l.meaning, l.scale = decimal, int(t.Scale)
	case *format.DateType:
		l.meaning = date
	case *format.TimestampType:
		switch t.Unit.Value.(type) {
		case *format.MilliSeconds:
			l.meaning = millis
		case *format.MicroSeconds:
			l.meaning = micros
		case *format.NanoSeconds:
			l.meaning = nanos
		default:
			l.meaning = other
		}
	case *format.UUIDType:
		l.meaning = uuid
	case *format.Float16Type:
		l.meaning = float16
	default:
		l.meaning = other
	}
}

func (l *leaf) converted(e *format.SchemaElement) {
	if !e.ConvertedType.Valid {
		return
	}
	switch e.ConvertedType.V {
	case deprecated.UTF8, deprecated.Enum, deprecated.Json, deprecated.Int8, deprecated.Int16, deprecated.Int32, deprecated.Int64:
	case deprecated.Uint8, deprecated.Uint16, deprecated.Uint32, deprecated.Uint64:
		l.meaning = unsigned
	case deprecated.Decimal:
		l.meaning, l.scale = decimal, int(e.Scale.V)
	case deprecated.Date:
		l.meaning = date
	case deprecated.TimestampMillis:
		l.meaning = millis
	case deprecated.TimestampMicros:
		l.meaning = micros
	default:
		l.meaning = other
	}
}

// leaves are the columns of a file that are not nested, by name; of nested and repeated ones the names alone, with no leaf.
func leaves(elements []format.SchemaElement) (flat map[string]leaf, nested map[string]bool, count int, err error) {
	if len(elements) == 0 {
		return nil, nil, 0, fmt.Errorf("it declares no columns")
	}
	flat, nested = map[string]leaf{}, map[string]bool{}
	at := 1
	// pass walks over an element and those below it.
	var pass func(depth int) error
	pass = func(depth int) error {
		if at >= len(elements) || depth > maxDepth {
			return fmt.Errorf("its schema promises more columns than it has, or nests too deep")
		}
		e := &elements[at]
		at++
		children := int(e.NumChildren.V)
		if !e.Type.Valid && children < 1 {
			return fmt.Errorf("its schema has a group without columns")
		}
		if e.Type.Valid {
			count++
			return nil
		}
		for range children {
			if err := pass(depth + 1); err != nil {
				return err
			}
		}
		return nil
	}
	for range int(elements[0].NumChildren.V) {
		if at >= len(elements) {
			return nil, nil, 0, fmt.Errorf("its schema promises more columns than it has")
		}
		e := &elements[at]
		_, twice := flat[e.Name]
		if twice || nested[e.Name] {
			return nil, nil, 0, fmt.Errorf("it has two columns of one name, in place %d", at)
		}
		if e.Type.Valid && e.RepetitionType.V != format.Repeated {
			l, err := newLeaf(e, count)
			if err != nil {
				return nil, nil, 0, fmt.Errorf("column %q: %w", e.Name, err)
			}
			flat[e.Name] = l
		} else {
			nested[e.Name] = true
		}
		if err := pass(1); err != nil {
			return nil, nil, 0, err
		}
	}
	if at != len(elements) {
		return nil, nil, 0, fmt.Errorf("its schema has columns that belong to nothing")
	}
	return flat, nested, count, nil
}
