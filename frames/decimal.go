package frames

import (
	"bytes"
	"strconv"
)

// appendDecimal appends the one spelling of a decimal number that [parseNumber] reads: its digits
// without zeros at either end, and the power of ten. Two texts have the same if they are the same
// number, where float64 may have one number for both.
func appendDecimal(b, text []byte) []byte {
	negative := len(text) > 0 && text[0] == '-'
	text = bytes.TrimLeft(text, "+-")
	power := 0
	if i := bytes.IndexAny(text, "eE"); i >= 0 {
		n, err := strconv.Atoi(string(text[i+1:]))
		if err != nil { // a power beyond all of float64: the text is its own spelling
			return append(b, text...)
		}
		text, power = text[:i], n
	}
	whole, decimals, _ := bytes.Cut(text, []byte{'.'})
	var room [64]byte
	digits := bytes.TrimLeft(append(append(room[:0], whole...), decimals...), "0")
	power -= len(decimals)
	short := bytes.TrimRight(digits, "0")
	power += len(digits) - len(short)
	if len(short) == 0 {
		return append(b, '0')
	}
	if negative {
		b = append(b, '-')
	}
	return strconv.AppendInt(append(append(b, short...), 'e'), int64(power), 10)
}
