package parquet

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/parquet-go/parquet-go/format"
)

// file is what the footer of a file declares. Nothing of it is believed: it says where to look.
type file struct {
	path   string
	footer [32]byte // SHA-256
	end    int64    // of the data
	flat   map[string]leaf
	nested map[string]bool
	leaves int
	groups []format.RowGroup
	rows   int64
}

const magic = "PAR1"

// openFile opens a file and reads its footer.
func openFile(path string) (_ *os.File, _ *file, err error) {
	r, err := os.Open(path)
	if errors.Is(err, fs.ErrPermission) {
		return nil, nil, fmt.Errorf("parquet: %w: ask its owner to let you read it", err)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("parquet: %w: check the path; a relative one starts at the working directory, in a notebook its folder", err)
	}
	defer func() {
		if err != nil {
			_ = r.Close() // nothing was written
		}
	}()
	info, err := r.Stat()
	if err != nil {
		return nil, nil, fmt.Errorf("parquet: %w", err)
	}
	if info.IsDir() {
		return nil, nil, damaged(path, errors.New("got a folder, want a file"))
	}
	f, err := readFooter(r, info.Size())
	if err != nil {
		return nil, nil, damaged(path, err)
	}
	f.path = path
	return r, f, nil
}

func readFooter(r io.ReaderAt, size int64) (*file, error) {
	var head [4]byte
	var tail [8]byte
	if size < int64(len(head)+len(tail)) {
		return nil, fmt.Errorf("it has %d bytes, want %q at its beginning and end", size, magic)
	}
	if _, err := r.ReadAt(head[:], 0); err != nil {
		return nil, err
	}
	if _, err := r.ReadAt(tail[:], size-8); err != nil {
		return nil, err
	}
	switch begins, ends := string(head[:]), string(tail[4:]); {
	case begins == "PARE" || ends == "PARE":
		return nil, errors.New("its footer is encrypted: decrypt it")
	case begins != magic && ends != magic:
		return nil, fmt.Errorf("it does not begin and end with %q: is it of another format?", magic)
	case begins != magic || ends != magic:
		return nil, fmt.Errorf("it begins or ends without %q: copy it again, since it was cut", magic)
	}
	n := int64(binary.LittleEndian.Uint32(tail[:4]))
	switch {
	case n > size-12:
		return nil, fmt.Errorf("its footer declares %d bytes, more than the file has: copy it again", n)
	case n > maxFooter:
		return nil, fmt.Errorf("its footer of %d bytes is %w of %d", n, errLimit, maxFooter)
	}
	footer := make([]byte, n)
	if _, err := r.ReadAt(footer, size-8-n); err != nil {
		return nil, err
	}
	var meta format.FileMetaData
	if _, err := decodeStruct(footer, &meta); err != nil {
		return nil, fmt.Errorf("its footer is damaged: %w", err)
	}
	f := &file{footer: sha256.Sum256(footer), end: size - 8 - n, groups: meta.RowGroups}
	var err error
	if f.flat, f.nested, f.leaves, err = leaves(meta.Schema); err != nil {
		return nil, err
	}
	for i, g := range f.groups {
		switch {
		case g.NumRows < 0 || g.NumRows > 1<<48 || f.rows > 1<<48:
			return nil, fmt.Errorf("row group %d declares %d rows", i+1, g.NumRows)
		case len(g.Columns) != f.leaves:
			return nil, fmt.Errorf("row group %d has %d columns, want the %d of the file's schema", i+1, len(g.Columns), f.leaves)
		}
		f.rows += g.NumRows
	}
	return f, nil
}

// chunkOf is where a column of a row group lies.
func (f *file) chunkOf(group int, l leaf) (chunk, error) {
	g := &f.groups[group]
	c := &g.Columns[l.index]
	m := &c.MetaData
	at := m.DataPageOffset
	if d := m.DictionaryPageOffset; d > 0 && d < at {
		at = d
	}
	switch {
	case c.CryptoMetadata.Value != nil || len(c.EncryptedColumnMetadata) > 0:
		return chunk{}, errors.New("it is encrypted: decrypt the file")
	case c.FilePath != "":
		return chunk{}, errors.New("its data lies in another file: write the table into one")
	case m.Type != l.kind || len(m.PathInSchema) != 1 || m.PathInSchema[0] != l.name:
		return chunk{}, errors.New("its row group declares another column in its place")
	case at < int64(len(magic)) || m.TotalCompressedSize < 0 || m.TotalCompressedSize > f.end-at:
		return chunk{}, errors.New("its data would lie outside the file: copy it again")
	case m.NumValues != g.NumRows:
		return chunk{}, fmt.Errorf("it declares %d values, where its row group has %d rows", m.NumValues, g.NumRows)
	}
	return chunk{at: at, end: at + m.TotalCompressedSize, codec: m.Codec, rows: g.NumRows}, nil
}
