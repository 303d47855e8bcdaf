package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/parquet-go/parquet-go/encoding/thrift"
)

// What a file declares is bounded by these numbers before anything is made of it: the pages of a file of a kilobyte can claim terabytes.
const (
	maxFooter   = 64 << 20 // bytes of the footer
	maxElements = 1 << 22  // elements of all lists of a footer
	maxHeader   = 1 << 20  // bytes of the header of a page
	maxPage     = 64 << 20 // bytes of a page, unpacked; what is held of a column at a time
	maxDepth    = 32       // of structs in structs
)

// errShort says that a struct goes on behind the bytes.
var errShort = errors.New("it ends in the middle")

// decodeStruct reads a struct of Thrift's compact protocol from the beginning of bytes, and says how many it takes. The library that decodes
// it allocates what lists and texts claim to hold, so that these are held to the bytes that are there first.
func decodeStruct(b []byte, to any) (int, error) {
	w := wire{b: b, elements: maxElements}
	if err := w.structure(0); err != nil {
		return 0, err
	}
	n := len(b) - len(w.b)
	if err := thrift.Unmarshal(new(thrift.CompactProtocol), b[:n], to); err != nil {
		return 0, fmt.Errorf("it does not hold what it should: %w", err)
	}
	return n, nil
}

// wire walks over Thrift's compact protocol (Apache Thrift, doc/specs/thrift-compact-protocol.md).
type wire struct {
	b        []byte
	elements int // that lists may still have
}

func (w *wire) take(n uint64) error {
	if n > uint64(len(w.b)) {
		return errShort
	}
	w.b = w.b[n:]
	return nil
}

func (w *wire) byte() (byte, error) {
	if len(w.b) == 0 {
		return 0, errShort
	}
	c := w.b[0]
	w.b = w.b[1:]
	return c, nil
}

func (w *wire) varint() (uint64, error) {
	v, n := binary.Uvarint(w.b)
	switch {
	case n == 0:
		return 0, errShort
	case n < 0:
		return 0, errors.New("it holds a number of more than 64 bits")
	}
	w.b = w.b[n:]
	return v, nil
}

func (w *wire) structure(depth int) error {
	if depth > maxDepth {
		return errors.New("it nests too deep")
	}
	for {
		head, err := w.byte()
		if err != nil || head == 0 {
			return err
		}
		if head>>4 == 0 { // the field's number follows
			if _, err := w.varint(); err != nil {
				return err
			}
		}
		if kind := head & 15; kind > 2 { // 1 and 2 are true and false
			if err := w.value(kind, depth); err != nil {
				return err
			}
		}
	}
}

func (w *wire) value(kind byte, depth int) error {
	switch kind {
	case 1, 2, 3: // in lists a boolean is a byte
		return w.take(1)
	case 4, 5, 6:
		_, err := w.varint()
		return err
	case 7:
		return w.take(8)
	case 8:
		n, err := w.varint()
		if err != nil {
			return err
		}
		return w.take(n)
	case 9, 10:
		head, err := w.byte()
		if err != nil {
			return err
		}
		n := uint64(head >> 4)
		if n == 15 {
			if n, err = w.varint(); err != nil {
				return err
			}
		}
		return w.list(n, depth, head&15)
	case 11:
		n, err := w.varint()
		if err != nil || n == 0 {
			return err
		}
		kinds, err := w.byte()
		if err != nil {
			return err
		}
		return w.list(n, depth, kinds>>4, kinds&15)
	case 12:
		return w.structure(depth + 1)
	}
	return errors.New("it holds a field of an unknown kind")
}

// list walks over n elements, or pairs of them, each of which has a byte at least.
func (w *wire) list(n uint64, depth int, kinds ...byte) error {
	if n > uint64(len(w.b)) {
		return errShort
	}
	if w.elements -= int(n); w.elements < 0 {
		return fmt.Errorf("it has more than %d elements", maxElements)
	}
	for range n {
		for _, kind := range kinds {
			if err := w.value(kind, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}
