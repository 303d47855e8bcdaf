package parquet

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/parquet-go/parquet-go/format"

	"github.com/dpkit-go/dpnb/frames"
)

// noLevel is the code of what is no level, which the check refuses with its place.
const noLevel = -1

// noNumber is what stands for a text that is no day: a number that no column accepts.
var noNumber = math.Inf(1)

// cellOf returns what turns the bytes of a value into the cell of a column that is no person, or says why no value of that type is one.
func cellOf(l leaf, c frames.Column) (func([]byte) float64, error) {
	switch {
	case l.meaning == other:
		return nil, fmt.Errorf("got %s, which no column of a schema is: convert it, or declare it Ignored", l.spoken)
	case c.IsDate():
		return dayOf(l, c)
	case len(c.Levels) > 0:
		return levelOf(l, c)
	}
	n := numberOf(l)
	if n == nil {
		return nil, fmt.Errorf("got %s, want numbers for a column with bounds: declare it as what it is, or convert it", l.spoken)
	}
	return n, nil
}

// numberOf reads numbers; nil: they are none.
func numberOf(l leaf) func([]byte) float64 {
	switch l.meaning {
	case decimal:
		return decimals(l)
	case float16:
		return func(b []byte) float64 { return half(binary.LittleEndian.Uint16(b)) }
	case unsigned:
		if l.kind == format.Int32 {
			return func(b []byte) float64 { return float64(binary.LittleEndian.Uint32(b)) }
		}
		return func(b []byte) float64 { return float64(binary.LittleEndian.Uint64(b)) }
	case plain:
	default:
		return nil
	}
	switch l.kind {
	case format.Boolean:
		return func(b []byte) float64 { return float64(b[0]) }
	case format.Int32:
		return func(b []byte) float64 { return float64(int32(binary.LittleEndian.Uint32(b))) }
	case format.Int64:
		return func(b []byte) float64 { return float64(int64(binary.LittleEndian.Uint64(b))) }
	case format.Float:
		return func(b []byte) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))) }
	case format.Double:
		return func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }
	}
	return nil
}

// half is a number of 16 bits (IEEE 754 binary16).
func half(h uint16) float64 {
	sign := 1.0
	if h>>15 == 1 {
		sign = -1
	}
	exponent, fraction := int(h>>10&31), float64(h&1023)
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -24)
	case 31:
		if fraction != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}

// decimals reads unscaled integers as the nearest number of float64: the one that its decimal text is.
func decimals(l leaf) func([]byte) float64 {
	power := math.Pow10(min(l.scale, 22)) // exact
	of := func(v int64) float64 {
		if l.scale <= 22 && v > -1<<53 && v < 1<<53 {
			return float64(v) / power // of two exact numbers, so that the one division rounds correctly (Clinger 1990)
		}
		return parsed(strconv.FormatInt(v, 10), l.scale)
	}
	switch l.kind {
	case format.Int32:
		return func(b []byte) float64 { return of(int64(int32(binary.LittleEndian.Uint32(b)))) }
	case format.Int64:
		return func(b []byte) float64 { return of(int64(binary.LittleEndian.Uint64(b))) }
	}
	return func(b []byte) float64 { // two's complement, the highest byte first
		if len(b) == 0 || len(b) > 256 {
			return noNumber
		}
		if len(b) <= 8 {
			v := int64(int8(b[0]))
			for _, c := range b[1:] {
				v = v<<8 | int64(c)
			}
			return of(v)
		}
		v := new(big.Int).SetBytes(b)
		if b[0] >= 0x80 {
			v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
		return parsed(v.String(), l.scale)
	}
}

func parsed(digits string, scale int) float64 {
	v, err := strconv.ParseFloat(digits+"e-"+strconv.Itoa(scale), 64)
	if err != nil {
		return noNumber
	}
	return v
}

// dayOf reads days, and of times their day in UTC.
func dayOf(l leaf, c frames.Column) (func([]byte) float64, error) {
	epoch, err := c.DayNumber("1970-01-01")
	if err != nil {
		return nil, err
	}
	perDay := map[meaning]int64{millis: 86_400_000, micros: 86_400_000_000, nanos: 86_400_000_000_000}[l.meaning]
	switch {
	case l.meaning == date:
		return func(b []byte) float64 { return epoch + float64(int32(binary.LittleEndian.Uint32(b))) }, nil
	case l.kind == format.Int96: // nanoseconds of the day, then the day of the Julian period, of which 2440588 is 1970-01-01
		return func(b []byte) float64 {
			if binary.LittleEndian.Uint64(b) >= 86_400_000_000_000 {
				return noNumber
			}
			return epoch + float64(int64(binary.LittleEndian.Uint32(b[8:]))-2440588)
		}, nil
	case perDay > 0:
		return func(b []byte) float64 {
			v := int64(binary.LittleEndian.Uint64(b))
			day := v / perDay
			if v%perDay < 0 {
				day--
			}
			return epoch + float64(day)
		}, nil
	case l.meaning == plain && l.kind == format.ByteArray:
		return func(b []byte) float64 {
			v, err := c.ReadDay(string(b))
			if err != nil {
				return noNumber
			}
			return v
		}, nil
	}
	return nil, fmt.Errorf("got %s, want DATE, TIMESTAMP or text for a column of dates: convert it", l.spoken)
}

// levelOf reads levels from texts, integers and booleans.
func levelOf(l leaf, c frames.Column) (func([]byte) float64, error) {
	text := textOf(l)
	if text == nil {
		return nil, fmt.Errorf("got %s, want text, integers or booleans for a column of levels: declare it as what it is, or convert it", l.spoken)
	}
	codes := make(map[string]float64, len(c.Levels))
	for i, level := range c.Levels {
		codes[level] = float64(i)
	}
	rest := float64(noLevel)
	if c.Rest != "" {
		rest = codes[c.Rest]
	}
	return func(b []byte) float64 {
		level := text(b)
		if code, ok := codes[string(level)]; ok {
			return code
		}
		if _, ok := codes[string(bytes.TrimSpace(level))]; ok { // "7 " may be the level "7", or be none
			return noLevel
		}
		return rest
	}, nil
}

// personOf reads whose a row is from texts, integers and UUIDs.
func personOf(l leaf) (func([]byte) frames.PersonID, error) {
	text := textOf(l)
	if text == nil || l.kind == format.Boolean {
		return nil, fmt.Errorf("got %s, want text or integers for the person that a row is of: convert it", l.spoken)
	}
	return func(b []byte) frames.PersonID { return frames.NewPersonID(text(b)) }, nil
}

// textOf spells values as a text file would; nil: they have no one spelling.
func textOf(l leaf) func([]byte) []byte {
	switch {
	case l.meaning == uuid:
		return func(b []byte) []byte {
			h := hex.EncodeToString(b)
			return []byte(h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:])
		}
	case l.meaning == unsigned && l.kind == format.Int32:
		return func(b []byte) []byte { return strconv.AppendUint(nil, uint64(binary.LittleEndian.Uint32(b)), 10) }
	case l.meaning == unsigned:
		return func(b []byte) []byte { return strconv.AppendUint(nil, binary.LittleEndian.Uint64(b), 10) }
	case l.meaning != plain:
		return nil
	}
	switch l.kind {
	case format.ByteArray, format.FixedLenByteArray:
		return func(b []byte) []byte { return b }
	case format.Boolean:
		return func(b []byte) []byte { return strconv.AppendBool(nil, b[0] == 1) }
	case format.Int32:
		return func(b []byte) []byte { return strconv.AppendInt(nil, int64(int32(binary.LittleEndian.Uint32(b))), 10) }
	case format.Int64:
		return func(b []byte) []byte { return strconv.AppendInt(nil, int64(binary.LittleEndian.Uint64(b)), 10) }
	}
	return nil
}
