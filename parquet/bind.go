package parquet

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/frames"
)

// bound is a column of the schema that reads its cells from a file.
type bound struct {
	name  string
	begin func(group int) error
	fill  func(b *frames.Block, n int) error
}

// bind finds the columns of the schema in a file: those that it ignores, and columns that it does not name, are not read.
func (t *table) bind(f *file, r io.ReaderAt) ([]bound, error) {
	var all []bound
	folders := partitions(f.path)
	feature := 0
	for _, c := range t.schema.Columns() {
		if c.Kind == frames.KindIgnored {
			continue
		}
		if c.Kind == frames.KindText {
			return nil, fmt.Errorf("parquet: %s: column %q: got a column of texts that no codebook lists, which Parquet files are not read for: write it to a CSV file, or declare levels by Category: %w", f.path, c.Name, frames.ErrSchema)
		}
		at := -1 // place of a feature in a row
		if c.Kind == frames.KindNumeric || c.Kind == frames.KindCategory {
			at = feature
			feature++
		}
		l, ok := f.flat[c.Name]
		value, folder := folders[c.Name]
		fail := func(sentinel, err error) error {
			return fmt.Errorf("parquet: %s: column %q: %w: %w", f.path, c.Name, sentinel, err)
		}
		switch {
		case ok && folder:
			return nil, fail(frames.ErrHeader, fmt.Errorf("the file has it, and so has the name of a folder: rename one"))
		case !ok && f.nested[c.Name]:
			return nil, fail(ErrType, fmt.Errorf("got a nested or repeated column, want one value a row: flatten it before"))
		case !ok && !folder:
			return nil, fail(frames.ErrHeader, fmt.Errorf("the file has %s: name it as in the file, or declare it Ignored", told(f)))
		case ok && c.Kind == frames.KindPerson:
			cell, err := personOf(l)
			if err != nil {
				return nil, fail(ErrType, err)
			}
			all = append(all, bindColumn(f, &column[frames.PersonID]{leaf: l, file: r, cell: cell}, func(b *frames.Block) ([]frames.PersonID, int) { return b.Person, 1 }))
		case ok:
			cell, err := cellOf(l, c)
			if err != nil {
				return nil, fail(ErrType, err)
			}
			all = append(all, bindColumn(f, &column[float64]{leaf: l, file: r, cell: cell, missing: math.NaN()}, numbersOf(at)))
		case c.Kind == frames.KindPerson:
			text, there, err := partitionText(value)
			if err != nil {
				return nil, fail(ErrType, err)
			}
			var id frames.PersonID
			if there {
				id = frames.NewPersonID([]byte(text))
			}
			all = append(all, bindFolder(c.Name, id, func(b *frames.Block) ([]frames.PersonID, int) { return b.Person, 1 }))
		default:
			v, err := partitionCell(value, c)
			if err != nil {
				return nil, fail(ErrType, err)
			}
			all = append(all, bindFolder(c.Name, v, numbersOf(at)))
		}
	}
	return all, nil
}

// numbersOf is where the numbers of a column stand in a block, and how far apart; of the label at is -1.
func numbersOf(at int) func(b *frames.Block) ([]float64, int) {
	return func(b *frames.Block) ([]float64, int) {
		if at < 0 {
			return b.Y, 1
		}
		return b.X[at:], b.Cols
	}
}

func bindColumn[T any](f *file, c *column[T], of func(*frames.Block) ([]T, int)) bound {
	return bound{
		name: c.name,
		begin: func(group int) error {
			at, err := f.chunkOf(group, c.leaf)
			c.enter(at)
			return err
		},
		fill: func(b *frames.Block, n int) error {
			dst, apart := of(b)
			return c.fill(dst, apart, n)
		},
	}
}

func bindFolder[T any](name string, v T, of func(*frames.Block) ([]T, int)) bound {
	return bound{
		name:  name,
		begin: func(int) error { return nil },
		fill: func(b *frames.Block, n int) error {
			dst, apart := of(b)
			for i := range n {
				dst[i*apart] = v
			}
			return nil
		},
	}
}

// told names a few of a file's columns.
func told(f *file) string {
	names := slices.Sorted(maps.Keys(f.flat))
	const most = 10
	if len(names) > most {
		return fmt.Sprintf("%d others, such as %q", len(names), names[:most])
	}
	return fmt.Sprintf("%q", names)
}
