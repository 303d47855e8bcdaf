package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"github.com/parquet-go/parquet-go/format"
)

// chunk is where the pages of a column in a row group lie.
type chunk struct {
	at, end int64
	codec   format.CompressionCodec
	rows    int64
}

// column reads the cells of a chunk in order, from pages that are unpacked one at a time. A T is a number or a person.
type column[T any] struct {
	leaf
	file    io.ReaderAt
	cell    func([]byte) T
	missing T // what stands for NULL
	chunk

	left    int // rows of the current page
	page    int // its place, from 1
	levels  *runs
	values  values
	doubles *plainFixed // values, where they are the cells
	indexes *runs       // of a page that refers to the dictionary
	table   []T         // the dictionary
	known   bool        // the chunk has one

	head, packed, buf []byte
}

// enter goes to a chunk.
func (c *column[T]) enter(at chunk) {
	c.chunk, c.left, c.page, c.table, c.known = at, 0, 0, nil, false
}

// fill reads n cells into dst, so many places apart.
func (c *column[T]) fill(dst []T, apart, n int) error {
	for i := 0; i < n; {
		if c.left == 0 {
			if err := c.nextPage(); err != nil {
				return fmt.Errorf("page %d: %w", c.page, err)
			}
			continue
		}
		m, there := min(n-i, c.left), true
		if c.levels != nil {
			level, k, err := c.levels.run(m)
			if err != nil || level > 1 {
				return fmt.Errorf("page %d: %w", c.page, errEncoding)
			}
			m, there = k, level == 1
		}
		if !there {
			for k := range m {
				dst[(i+k)*apart] = c.missing
			}
		} else if err := c.read(dst[i*apart:], apart, m); err != nil {
			return fmt.Errorf("page %d: %w", c.page, err)
		}
		i += m
		c.left -= m
	}
	return nil
}

// read reads n values that are not NULL.
func (c *column[T]) read(dst []T, apart, n int) error {
	if c.indexes != nil {
		for i := 0; i < n; {
			index, m, err := c.indexes.run(n - i)
			if err != nil {
				return err
			}
			if uint64(index) >= uint64(len(c.table)) {
				return errors.New("a value is not in its dictionary")
			}
			v := c.table[index]
			for range m {
				dst[i*apart] = v
				i++
			}
		}
		return nil
	}
	if to, ok := any(dst).([]float64); ok && c.doubles != nil {
		if len(c.doubles.data) < 8*n {
			return errEncoding
		}
		for i := range n {
			to[i*apart] = math.Float64frombits(binary.LittleEndian.Uint64(c.doubles.data[8*i:]))
		}
		c.doubles.data = c.doubles.data[8*n:]
		return nil
	}
	for i := range n {
		b, err := c.values.next()
		if err != nil {
			return err
		}
		dst[i*apart] = c.cell(b)
	}
	return nil
}

// nextPage reads pages up to the next one with rows.
func (c *column[T]) nextPage() error {
	c.page++
	header, err := c.header()
	if err != nil {
		return err
	}
	size := int64(header.CompressedPageSize)
	switch {
	case size < 0 || size > c.end-c.at:
		return fmt.Errorf("it declares %d bytes, more than its column has left", size)
	case header.UncompressedPageSize < 0 || header.UncompressedPageSize > maxPage || size > maxPage+maxHeader:
		return fmt.Errorf("it declares %d bytes, unpacked %d, at most %d are read: %w", size, header.UncompressedPageSize, maxPage, errLimit)
	}
	c.packed = room(c.packed, int(size))
	if _, err := c.file.ReadAt(c.packed, c.at); err != nil {
		return fmt.Errorf("it cannot be read: %w", noEOF(err))
	}
	c.at += size
	if header.CRC != 0 && crc32.ChecksumIEEE(c.packed) != uint32(header.CRC) {
		return errors.New("its checksum differs: copy the file again")
	}
	switch {
	case header.Type == format.DictionaryPage && header.DictionaryPageHeader.Valid:
		return c.dictionary(header)
	case header.Type == format.DataPage && header.DataPageHeader.Valid:
		return c.first(header)
	case header.Type == format.DataPageV2 && header.DataPageHeaderV2.Valid:
		return c.second(header)
	case header.Type == format.IndexPage:
		return nil
	}
	return errors.New("its header says neither data nor dictionary")
}

// header reads that of the next page.
func (c *column[T]) header() (*format.PageHeader, error) {
	for size := int64(512); ; size *= 8 {
		size = min(size, maxHeader, c.end-c.at)
		if size <= 0 {
			return nil, errors.New("its column has fewer pages than its rows need")
		}
		c.head = room(c.head, int(size))
		if _, err := c.file.ReadAt(c.head, c.at); err != nil {
			return nil, fmt.Errorf("its header cannot be read: %w", noEOF(err))
		}
		header := new(format.PageHeader)
		n, err := decodeStruct(c.head, header)
		switch {
		case err == nil:
			c.at += int64(n)
			return header, nil
		case !errors.Is(err, errShort):
			return nil, fmt.Errorf("its header is damaged: %w", err)
		case size == maxHeader:
			return nil, fmt.Errorf("its header has more than %d bytes: %w", maxHeader, errLimit)
		case size == c.end-c.at:
			return nil, fmt.Errorf("its header is damaged: %w", err)
		}
	}
}

// unpack returns the data of a page.
func (c *column[T]) unpack(data []byte, size int32) ([]byte, error) {
	if c.codec == format.Uncompressed {
		return decompress(c.codec, nil, data, int(size))
	}
	c.buf = room(c.buf, int(size))
	return decompress(c.codec, c.buf, data, int(size))
}

func (c *column[T]) dictionary(header *format.PageHeader) error {
	d := header.DictionaryPageHeader.V
	data, err := c.unpack(c.packed, header.UncompressedPageSize)
	switch {
	case err != nil:
		return err
	case c.known:
		return errors.New("it is a second dictionary of its column")
	case d.Encoding != format.Plain && d.Encoding != plainDictionary:
		return fmt.Errorf("it is a dictionary encoded as %s", d.Encoding)
	case d.NumValues < 0 || int64(d.NumValues)*int64(c.least()) > int64(len(data)):
		return fmt.Errorf("it is a dictionary that declares %d values, more than it has", d.NumValues)
	}
	c.known, c.table = true, make([]T, d.NumValues)
	values, err := newValues(format.Plain, c.physical, data, int(d.NumValues))
	for i := range c.table {
		var b []byte
		if err == nil {
			b, err = values.next()
		}
		if err != nil {
			return err
		}
		c.table[i] = c.cell(b)
	}
	return nil
}

// first begins a page of version 1, in which levels are packed together with values.
func (c *column[T]) first(header *format.PageHeader) error {
	d := header.DataPageHeader.V
	data, err := c.unpack(c.packed, header.UncompressedPageSize)
	if err != nil {
		return err
	}
	var levels []byte
	if c.optional {
		if d.DefinitionLevelEncoding != format.RLE {
			return fmt.Errorf("its levels are encoded as %s, want RLE", d.DefinitionLevelEncoding)
		}
		if len(data) < 4 || uint64(binary.LittleEndian.Uint32(data)) > uint64(len(data)-4) {
			return errEncoding
		}
		n := binary.LittleEndian.Uint32(data)
		levels, data = data[4:4+n], data[4+n:]
	}
	return c.start(d.NumValues, d.Encoding, levels, data)
}

// second begins a page of version 2, in which levels stand before values and are not packed.
func (c *column[T]) second(header *format.PageHeader) error {
	d := header.DataPageHeaderV2.V
	repeated, defined := int64(d.RepetitionLevelsByteLength), int64(d.DefinitionLevelsByteLength)
	size := int64(header.UncompressedPageSize) - repeated - defined
	if repeated < 0 || defined < 0 || repeated+defined > int64(len(c.packed)) || size < 0 {
		return errEncoding
	}
	levels, data := c.packed[repeated:repeated+defined], c.packed[repeated+defined:]
	if !c.optional {
		levels = nil
	} else if levels == nil {
		levels = []byte{}
	}
	if !d.IsCompressed.Valid || d.IsCompressed.V {
		var err error
		if size == 0 && len(data) == 0 {
			data = nil
		} else if data, err = c.unpack(data, int32(size)); err != nil {
			return err
		}
	}
	return c.start(d.NumValues, d.Encoding, levels, data)
}

// start begins a page of so many rows.
func (c *column[T]) start(rows int32, encoding format.Encoding, levels, data []byte) error {
	if rows < 0 || int64(rows) > c.rows {
		return fmt.Errorf("it declares %d rows, where its row group has %d left", rows, c.rows)
	}
	c.rows -= int64(rows)
	c.left, c.levels, c.values, c.indexes, c.doubles = int(rows), nil, nil, nil, nil
	if rows == 0 {
		return nil
	}
	if c.optional {
		c.levels = &runs{data: levels, width: 1}
	}
	if encoding == format.RLEDictionary || encoding == plainDictionary {
		if !c.known {
			return errors.New("it refers to a dictionary, and its column has none")
		}
		switch {
		case len(data) == 0: // of NULL alone
			c.indexes = &runs{}
		case data[0] > 32:
			return errEncoding
		default:
			c.indexes = &runs{data: data[1:], width: int(data[0])}
		}
		return nil
	}
	values, err := newValues(encoding, c.physical, data, int(rows))
	if p, ok := values.(*plainFixed); ok && c.kind == format.Double {
		c.doubles = p
	}
	c.values = values
	if err != nil && c.optional && len(data) == 0 { // of NULL alone
		c.values, err = &plainFixed{width: max(1, c.width)}, nil
	}
	return err
}

// least is how many bytes a value of a dictionary takes at least.
func (p physical) least() int {
	switch {
	case p.kind == format.ByteArray:
		return 4
	case p.width > 0:
		return p.width
	}
	return 1
}

// plainDictionary is how older files name the encodings of dictionaries and of their indexes.
const plainDictionary = format.Encoding(2)

// room is memory for so many bytes.
func room(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}

func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
