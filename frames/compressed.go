package frames

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"fmt"
	"io"
)

// unpack returns the text behind a gzip (RFC 1952) or bzip2 stream, and any other stream as it is.
// Neither mark begins a text: gzip's is not UTF-8, bzip2's is ten bytes with the digits of π.
// name stands for the stream in errors.
func unpack(r io.Reader, name string) (io.Reader, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	mark, _ := b.Peek(10) // an error shows again at the first read
	switch {
	case bytes.HasPrefix(mark, []byte("\x1f\x8b\x08")):
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, fmt.Errorf("frames: %s: got a damaged gzip file, want a whole one: copy it again, or unpack it: %w: %w", name, ErrEncoding, err)
		}
		return z, nil
	case len(mark) == 10 && bytes.HasPrefix(mark, []byte("BZh")) && bytes.Equal(mark[4:], []byte("1AY&SY")):
		return bzip2.NewReader(b), nil
	}
	return b, nil
}
