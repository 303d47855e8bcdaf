package frames

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"github.com/dpkit-go/dpnb/internal/rowcache"
)

// A file of a cache is a line of JSON behind its length in 8 bytes, zeros up to a multiple of cacheAlign, the cells of the columns in turn, and the
// texts of columns of such ([table.writeTexts]).
const (
	cacheAlign   = 4096
	cacheVersion = 2 // 1 had no texts
)

// cacheHead is that line.
type cacheHead struct {
	Version int
	Key     [32]byte // of what was read, and how
	Sum     [32]byte // of the bytes of the files
	Rows    int
	Clamped map[string]int
	Columns [][32]byte // hashes of the columns
}

var (
	errStale   = errors.New("not the table")
	errRemoved = errors.New("removed while it was written")
)

// keep writes a table, whole or not at all.
func keep(folder, path string, f *Frame, key, sum [32]byte) (err error) {
	t := f.data()
	if err := makeFolder(folder); err != nil {
		return err
	}
	head, err := json.Marshal(cacheHead{cacheVersion, key, sum, t.rows, t.clamped, t.shard().columns})
	if err != nil {
		return err
	}
	out, err := os.CreateTemp(folder, rowcache.Pattern) // of mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, out.Close()); err == nil {
			if err = os.Rename(out.Name(), path); errors.Is(err, fs.ErrNotExist) { // somebody has cleared the cache
				err = errRemoved
			}
		}
		if err != nil {
			_ = os.Remove(out.Name()) // the first error counts
		}
	}()
	w := bufio.NewWriterSize(out, 1<<20)
	front := append(binary.LittleEndian.AppendUint64(nil, uint64(len(head))), head...)
	w.Write(front) // the writer keeps its error for Flush
	w.Write(make([]byte, aligned(len(front))-len(front)))
	for j := range t.columns {
		for _, page := range t.columns[j].pages {
			w.Write(page)
		}
	}
	t.writeTexts(w)
	return w.Flush()
}

// makeFolder makes a folder for a cache, if there is none, of which version control takes nothing.
func makeFolder(folder string) error {
	if err := os.MkdirAll(filepath.Dir(folder), 0o700); err != nil {
		return err
	}
	switch err := os.Mkdir(folder, 0o700); {
	case errors.Is(err, fs.ErrExist):
		return nil // perhaps with files of the user's, which a .gitignore would hide; whether it is a folder shows soon
	case err != nil:
		return err
	}
	return os.WriteFile(filepath.Join(folder, ".gitignore"), []byte("*\n"), 0o600)
}

func aligned(n int) int { return (n + cacheAlign - 1) / cacheAlign * cacheAlign }

// openKept opens the table that a cache has of these files. Its error says no more than that there is none.
func openKept(path string, s Schema, key, sum [32]byte) (*Frame, error) {
	if info, err := os.Lstat(path); err != nil || !private(info) { // to open another kind of file might wait for ever
		return nil, errors.Join(errStale, err)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()       // which was read
	info, err := file.Stat() // of what is open
	if err != nil {
		return nil, err
	}
	if !private(info) || info.Size() > math.MaxInt {
		return nil, errStale
	}
	data := mapFile(file, int(info.Size()))
	if data == nil {
		if data, err = io.ReadAll(file); err != nil {
			return nil, err
		}
	}
	head, cells, err := cutHead(data)
	if err != nil {
		return nil, err
	}
	t := newTable(s)
	t.rows, t.clamped = head.Rows, head.Clamped
	if head.Version != cacheVersion || head.Key != key || head.Sum != sum || head.Rows < 1 || len(head.Columns) != len(t.columns) {
		return nil, errStale
	}
	for j := range t.columns {
		c := &t.columns[j]
		size := c.as.size()
		if head.Rows > len(cells)/size {
			return nil, errStale
		}
		for first := 0; first < head.Rows; first += pageRows {
			n := size * min(pageRows, head.Rows-first)
			c.pages = append(c.pages, cells[:n:n])
			cells = cells[n:]
		}
	}
	if !t.keepsTo(head.Columns) || !t.rowsKeep() || !t.readTexts(cells) {
		return nil, errStale
	}
	f := newFrame(t)
	known := shard{t.rows, head.Columns} // as they were computed just now
	t.content = func() shard { return known }
	return f, nil
}

func cutHead(data []byte) (head cacheHead, cells []byte, err error) {
	if len(data) < 8 || binary.LittleEndian.Uint64(data) > uint64(len(data)-8) {
		return head, nil, errStale
	}
	n := 8 + int(binary.LittleEndian.Uint64(data))
	d := json.NewDecoder(bytes.NewReader(data[8:n]))
	d.DisallowUnknownFields()
	if err := d.Decode(&head); err != nil || aligned(n) > len(data) {
		return head, nil, errStale
	}
	return head, data[aligned(n):], nil
}

// keepsTo reports whether the columns have these hashes, and every cell is of its column's domain.
func (t *table) keepsTo(hashes [][32]byte) bool {
	good := make([]bool, len(t.columns))
	s := t.schema.s
	eachOf(len(t.columns), func(j int) {
		var col *Column
		switch {
		case j < len(s.features):
			col = &s.cols[s.features[j]]
		case j == len(s.features) && s.label >= 0:
			col = &s.cols[s.label]
		default:
			col = &s.cols[s.person]
		}
		good[j] = t.hashColumn(j) == hashes[j] && t.columns[j].within(col, t.rows)
	})
	for _, ok := range good {
		if !ok {
			return false
		}
	}
	return true
}

// within reports whether every one of the n cells is one that a loader lets in.
func (c *cells) within(col *Column, n int) bool {
	if c.as == asPerson {
		var ids [blockRows]PersonID
		whose := cellParser{col: col}
		for first := 0; first < n; first += blockRows {
			k := min(blockRows, n-first)
			c.readPeople(ids[:k], first)
			for _, id := range ids[:k] {
				if whose.whose(id) != fine {
					return false
				}
			}
		}
		return true
	}
	lo, hi := col.Lo, col.Hi
	if col.classes() {
		lo, hi = 0, float64(len(col.Levels)-1)
	}
	if col.NoBounds {
		lo, hi = -math.MaxFloat64, math.MaxFloat64
	}
	var values [blockRows]float64
	for first := 0; first < n; first += blockRows {
		k := min(blockRows, n-first)
		c.read(values[:], 1, first, k)
		for _, v := range values[:k] {
			if !(v >= lo && v <= hi) && !(math.IsNaN(v) && col.Missing) {
				return false
			}
		}
	}
	return true
}
