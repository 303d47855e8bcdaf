package parquet

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

var errUnpack = errors.New("its data does not unpack to the size it declares")

// decompress unpacks data that declares to have so many bytes, which bound what is allocated whatever the data says of itself. The result
// stands in buf where that has room.
func decompress(codec format.CompressionCodec, buf, data []byte, size int) ([]byte, error) {
	if codec == format.Uncompressed {
		if len(data) != size {
			return nil, errUnpack
		}
		return data, nil
	}
	if cap(buf) < size {
		buf = make([]byte, size)
	}
	out := buf[:size:size]
	switch codec {
	case format.Snappy:
		if n, err := snappy.DecodedLen(data); err != nil || n != size {
			return nil, errUnpack
		}
		if _, err := snappy.Decode(out, data); err != nil {
			return nil, errUnpack
		}
		return out, nil
	case format.Gzip:
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil, errUnpack
		}
		return out, readExactly(z, out)
	case format.Brotli:
		return out, readExactly(brotli.NewReader(bytes.NewReader(data)), out)
	case format.Zstd:
		d, err := unzstd()
		if err != nil {
			return nil, err
		}
		if got, err := d.DecodeAll(data, out[:0]); err != nil || len(got) != size {
			return nil, errUnpack
		}
		return out, nil
	case format.Lz4Raw:
		if n, err := lz4.UncompressBlock(data, out); err != nil || n != size {
			return nil, errUnpack
		}
		return out, nil
	}
	return nil, fmt.Errorf("it is packed by %s, want uncompressed, snappy, gzip, brotli, zstd or lz4_raw", codec)
}

// readExactly fills out, behind which the text must end.
func readExactly(r io.Reader, out []byte) error {
	if _, err := io.ReadFull(r, out); err != nil {
		return errUnpack
	}
	var more [1]byte
	if n, err := io.ReadFull(r, more[:]); n != 0 || err != io.EOF {
		return errUnpack
	}
	return nil
}

// unzstd unpacks no more than there is room for.
var unzstd = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxPage))
})
