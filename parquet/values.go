package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/parquet-go/parquet-go/format"
)

// values gives the bytes of one value of a page after another, little-endian or as they are; they are valid until the next call.
type values interface {
	next() ([]byte, error)
}

// newValues reads the values of a page, not those of a dictionary's indexes; at most so many.
func newValues(encoding format.Encoding, of physical, data []byte, count int) (values, error) {
	switch {
	case encoding == format.Plain && of.kind == format.Boolean:
		return &plainBits{data: data}, nil
	case encoding == format.Plain && of.kind == format.ByteArray:
		return &plainTexts{data: data}, nil
	case encoding == format.Plain:
		return &plainFixed{data: data, width: of.width}, nil
	case encoding == format.RLE && of.kind == format.Boolean:
		if len(data) < 4 || uint64(binary.LittleEndian.Uint32(data)) > uint64(len(data)-4) {
			return nil, errEncoding
		}
		return &packedBits{runs: runs{data: data[4 : 4+binary.LittleEndian.Uint32(data)], width: 1}}, nil
	case encoding == format.DeltaBinaryPacked && (of.kind == format.Int32 || of.kind == format.Int64):
		d, err := newDeltas(data)
		return &deltaInts{deltas: d, width: of.width}, err
	case encoding == format.DeltaLengthByteArray && of.kind == format.ByteArray:
		return newDeltaTexts(data)
	case encoding == format.DeltaByteArray && (of.kind == format.ByteArray || of.kind == format.FixedLenByteArray):
		return newDeltaPrefixes(data, of)
	case encoding == format.ByteStreamSplit && of.width > 0:
		if len(data)%of.width != 0 {
			return nil, errEncoding
		}
		return &streams{data: data, n: len(data) / of.width, buf: make([]byte, of.width)}, nil
	}
	return nil, fmt.Errorf("it is encoded as %s, which is none of a column of %s", encoding, of.kind)
}

type plainFixed struct {
	data  []byte
	width int
}

func (p *plainFixed) next() ([]byte, error) {
	if len(p.data) < p.width {
		return nil, errEncoding
	}
	v := p.data[:p.width]
	p.data = p.data[p.width:]
	return v, nil
}

type plainTexts struct{ data []byte }

func (p *plainTexts) next() ([]byte, error) {
	if len(p.data) < 4 {
		return nil, errEncoding
	}
	n := binary.LittleEndian.Uint32(p.data)
	if uint64(n) > uint64(len(p.data)-4) {
		return nil, errEncoding
	}
	v := p.data[4 : 4+n]
	p.data = p.data[4+n:]
	return v, nil
}

// plainBits are booleans of a bit each, as bytes 0 and 1.
type plainBits struct {
	data []byte
	at   int
}

var bools = [2][]byte{{0}, {1}}

func (p *plainBits) next() ([]byte, error) {
	if p.at/8 >= len(p.data) {
		return nil, errEncoding
	}
	v := bools[p.data[p.at/8]>>(p.at%8)&1]
	p.at++
	return v, nil
}

type packedBits struct{ runs }

func (p *packedBits) next() ([]byte, error) {
	v, _, err := p.run(1)
	return bools[v&1], err
}

// streams hold the first bytes of all values, then the second ones (BYTE_STREAM_SPLIT = 9).
type streams struct {
	data  []byte
	n, at int
	buf   []byte
}

func (s *streams) next() ([]byte, error) {
	if s.at >= s.n {
		return nil, errEncoding
	}
	for k := range s.buf {
		s.buf[k] = s.data[k*s.n+s.at]
	}
	s.at++
	return s.buf, nil
}

// deltas read integers as differences in packed bits (DELTA_BINARY_PACKED = 5).
type deltas struct {
	data  []byte // behind what was read
	minis int    // parts of a block
	size  int    // values of a part
	left  int    // values
	value uint64 // the last one; sums wrap around

	least  uint64 // difference in the block
	widths []byte // of its parts that are to come
	bits   []byte // of the current part
	width  int
	at, n  int // bit of the next difference, and how many there are
}

var errDelta = fmt.Errorf("%w: the header of differences", errEncoding)

func newDeltas(data []byte) (*deltas, error) {
	var head [4]uint64
	for i := range head {
		v, n := binary.Uvarint(data)
		if n <= 0 {
			return nil, errDelta
		}
		head[i], data = v, data[n:]
	}
	block, minis, count := head[0], head[1], head[2]
	if block == 0 || block > 1<<20 || minis == 0 || minis > 1<<12 || block%minis != 0 || block/minis%8 != 0 || count >= 1<<31 {
		return nil, errDelta
	}
	return &deltas{data: data, minis: int(minis), size: int(block / minis), left: int(count), value: unzigzag(head[3]), n: -1}, nil
}

func unzigzag(v uint64) uint64 { return v>>1 ^ -(v & 1) }

func (d *deltas) next() (uint64, error) {
	if d.left == 0 {
		return 0, errEncoding
	}
	d.left--
	if d.n < 0 { // the first value stands in the header
		d.n = 0
		return d.value, nil
	}
	if d.n == 0 {
		if err := d.part(); err != nil {
			return 0, err
		}
	}
	d.value += d.least + bitsAt(d.bits, d.at, d.width)
	d.at += d.width
	d.n--
	return d.value, nil
}

// part begins the next part of a block, or of the next block.
func (d *deltas) part() error {
	if len(d.widths) == 0 {
		v, n := binary.Uvarint(d.data)
		if n <= 0 || len(d.data) < n+d.minis {
			return errEncoding
		}
		d.least, d.widths, d.data = unzigzag(v), d.data[n:n+d.minis], d.data[n+d.minis:]
	}
	d.width = int(d.widths[0])
	d.widths = d.widths[1:]
	size := d.size / 8 * d.width
	if d.width > 64 || size > len(d.data) {
		return errEncoding
	}
	d.bits, d.data, d.at, d.n = d.data[:size], d.data[size:], 0, d.size
	return nil
}

// rest is what follows behind all values, which it passes.
func (d deltas) rest() ([]byte, error) {
	for left := d.left - 1; left > 0; left -= d.size {
		if err := d.part(); err != nil {
			return nil, err
		}
	}
	return d.data, nil
}

type deltaInts struct {
	deltas *deltas
	width  int
	buf    [8]byte
}

func (d *deltaInts) next() ([]byte, error) {
	v, err := d.deltas.next()
	binary.LittleEndian.PutUint64(d.buf[:], v)
	return d.buf[:d.width], err
}

// deltaTexts have their lengths first (DELTA_LENGTH_BYTE_ARRAY = 6).
type deltaTexts struct {
	lengths *deltas
	data    []byte
}

func newDeltaTexts(data []byte) (*deltaTexts, error) {
	lengths, err := newDeltas(data)
	if err != nil {
		return nil, err
	}
	rest, err := lengths.rest()
	return &deltaTexts{lengths, rest}, err
}

func (d *deltaTexts) next() ([]byte, error) {
	n, err := d.lengths.next()
	if err != nil || n > uint64(len(d.data)) {
		return nil, errEncoding
	}
	v := d.data[:n]
	d.data = d.data[n:]
	return v, nil
}

// deltaPrefixes share beginnings with the text before (DELTA_BYTE_ARRAY = 7).
type deltaPrefixes struct {
	prefixes *deltas
	suffixes *deltaTexts
	last     []byte
	width    int // of each; 0: any
}

func newDeltaPrefixes(data []byte, of physical) (*deltaPrefixes, error) {
	prefixes, err := newDeltas(data)
	if err != nil {
		return nil, err
	}
	rest, err := prefixes.rest()
	if err != nil {
		return nil, err
	}
	suffixes, err := newDeltaTexts(rest)
	return &deltaPrefixes{prefixes: prefixes, suffixes: suffixes, width: of.width}, err
}

func (d *deltaPrefixes) next() ([]byte, error) {
	n, err := d.prefixes.next()
	if err != nil || n > uint64(len(d.last)) {
		return nil, errEncoding
	}
	suffix, err := d.suffixes.next()
	if err != nil {
		return nil, err
	}
	d.last = append(d.last[:n], suffix...)
	if d.width > 0 && len(d.last) != d.width {
		return nil, errors.New("a value has another length than its type")
	}
	return d.last, nil
}
