package frames

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"math"
)

// Fingerprint is the HMAC-SHA-256 (RFC 2104) under key of the source's schema hash and of its
// rows in order: two sources agree exactly if schema, values and order do, whatever file,
// separator or block size they came from. The key must be secret: without one, a guess at the
// rows could be tested against a stored fingerprint.
func Fingerprint(ctx context.Context, src Source, key []byte) ([32]byte, error) {
	mac := hmac.New(sha256.New, key)
	schema := src.Schema().Hash()
	mac.Write([]byte("dpnb/frames.Fingerprint/1"))
	mac.Write(schema[:])
	var buf []byte
	var rows uint64
	err := src.Scan(ctx, func(b *Block) error {
		for i := range b.Rows {
			buf = buf[:0]
			for _, v := range b.Row(i) {
				buf = appendValue(buf, v)
			}
			if b.Y != nil {
				buf = appendValue(buf, b.Y[i])
			}
			mac.Write(buf)
		}
		rows += uint64(b.Rows)
		return nil
	})
	if err != nil {
		return [32]byte{}, err
	}
	mac.Write(binary.LittleEndian.AppendUint64(nil, rows))
	return [32]byte(mac.Sum(nil)), nil
}

// Fingerprint is [Fingerprint] of the frame.
func (f *Frame) Fingerprint(key []byte) [32]byte {
	sum, err := Fingerprint(context.Background(), f, key)
	if err != nil {
		panic("frames: a scan in memory failed: " + err.Error()) // impossible: no file, no deadline
	}
	return sum
}

// appendValue writes one float64 per cell; every NaN is the same missing cell.
func appendValue(b []byte, v float64) []byte {
	if math.IsNaN(v) {
		return binary.LittleEndian.AppendUint64(b, 0x7ff8_0000_0000_0001)
	}
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
}
