package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

const (
	width  = 20   // columns of the numbers
	groups = 5000 // of the visits
)

// write makes a file of a folder by fill, unless it is there in that size.
func write(dir, name string, rows int, fill func(w *bufio.Writer) error) error {
	path, mark := filepath.Join(dir, name), filepath.Join(dir, name+".rows")
	if was, err := os.ReadFile(mark); err == nil && string(was) == strconv.Itoa(rows) {
		return nil
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	if err := errors.Join(fill(w), w.Flush(), f.Close()); err != nil {
		return err
	}
	return os.WriteFile(mark, []byte(strconv.Itoa(rows)), 0o600)
}

// writeCSV writes eleven columns: nine numbers, a category of eight levels, a class.
func writeCSV(dir string, rows int) error {
	return write(dir, "table.csv", rows, func(w *bufio.Writer) error {
		r := rand.New(rand.NewPCG(1, 2))
		w.WriteString("x0,x1,x2,x3,n0,n1,n2,n3,u,c,y\n") // the writer keeps its error for Flush
		for range rows {
			for range 4 {
				fmt.Fprintf(w, "%.6f,", min(max(100*r.NormFloat64(), -999), 999))
			}
			for range 4 {
				fmt.Fprintf(w, "%d,", r.IntN(100_000))
			}
			fmt.Fprintf(w, "%.2f,level-%d,%s\n", r.Float64(), r.IntN(8), []string{"no", "yes"}[r.IntN(2)])
		}
		return nil
	})
}

func tableSchema() (frames.Schema, error) {
	var cols []frames.Column
	for j := range 4 {
		cols = append(cols, frames.Numeric(fmt.Sprint("x", j), -1000, 1000))
	}
	for j := range 4 {
		cols = append(cols, frames.Numeric(fmt.Sprint("n", j), 0, 100_000))
	}
	var levels []string
	for l := range 8 {
		levels = append(levels, fmt.Sprint("level-", l))
	}
	return frames.NewSchema(append(cols, frames.Numeric("u", 0, 1), frames.Category("c", levels...), frames.Label("y", "no", "yes"))...)
}

// writeNumbers writes standard normal numbers within [−8, 8], as float64 of little endian, row by row.
func writeNumbers(dir string, rows int) error {
	return write(dir, "numbers", rows, func(w *bufio.Writer) error {
		r := rand.New(rand.NewPCG(3, 4))
		var b [8]byte
		for range rows * width {
			binary.LittleEndian.PutUint64(b[:], math.Float64bits(min(max(r.NormFloat64(), -8), 8)))
			w.Write(b[:])
		}
		return nil
	})
}

// columns are the names of the first d numbers.
func columns(d int) []string {
	var out []string
	for j := range d {
		out = append(out, fmt.Sprint("x", j+1))
	}
	return out
}

// records are a file of rows of so many bytes as a source, so that a case holds the table and nothing of how it was loaded.
type records struct {
	path   string
	schema frames.Schema
	rows   int
	size   int
	row    func(b *frames.Block, record []byte) // appends the cells of a row
}

func (r *records) Schema() frames.Schema { return r.schema }

func (r *records) Rows() int { return r.rows }

func (r *records) Scan(ctx context.Context, fn func(*frames.Block) error) error {
	file, err := os.Open(r.path)
	if err != nil {
		return err
	}
	defer file.Close()
	b := &frames.Block{Cols: r.schema.Width()}
	record := make([]byte, r.size)
	for in := bufio.NewReaderSize(file, 1<<20); b.First < r.rows; b.First += b.Rows {
		b.X, b.Y, b.Person = b.X[:0], b.Y[:0], b.Person[:0]
		for b.Rows = 0; b.Rows < min(1024, r.rows-b.First); b.Rows++ {
			if _, err := io.ReadFull(in, record); err != nil {
				return fmt.Errorf("%s: row %d of %d: %w", r.path, b.First+b.Rows+1, r.rows, err)
			}
			r.row(b, record)
		}
		if err := errors.Join(ctx.Err(), fn(b)); err != nil {
			return err
		}
	}
	return nil
}

func number(record []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(record)) }

// readNumbers reads them, with the sign of the first as the label.
func readNumbers(ctx context.Context, path string, rows int) (*frames.Frame, error) {
	var cols []frames.Column
	for _, name := range columns(width) {
		cols = append(cols, frames.Numeric(name, -8, 8))
	}
	s, err := frames.NewSchema(append(cols, frames.Label("y", "no", "yes"))...)
	if err != nil {
		return nil, err
	}
	return frames.Collect(ctx, &records{path, s, rows, 8 * width, func(b *frames.Block, record []byte) {
		for j := range width {
			b.X = append(b.X, number(record[8*j:]))
		}
		y := 0.0
		if b.X[len(b.X)-width] > 0 {
			y = 1
		}
		b.Y = append(b.Y, y)
	}})
}

const visits = "import numpy as np, pandas\nd = pandas.DataFrame(np.fromfile(folder + '/visits', dtype=[('p', 'i4'), ('g', 'i4'), ('x', 'f8'), ('z', 'f8')]))\nd['g'] = 'g' + d['g'].astype(str)\n"

// writeVisits writes rows of people who have 1 to 39, in random order: person and group in 32 bits, two numbers.
func writeVisits(dir string, rows int) error {
	return write(dir, "visits", rows, func(w *bufio.Writer) error {
		r := rand.New(rand.NewPCG(5, 6))
		people := make([]uint32, 0, rows+39)
		for who := uint32(1); len(people) < rows; who++ { // 0 is nobody
			for range 1 + r.IntN(39) {
				people = append(people, who)
			}
		}
		people = people[:rows]
		r.Shuffle(rows, func(i, j int) { people[i], people[j] = people[j], people[i] })
		var b []byte
		for _, who := range people {
			b = binary.LittleEndian.AppendUint32(b[:0], who)
			b = binary.LittleEndian.AppendUint32(b, uint32(r.IntN(groups)))
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(r.Float64()))
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(2*r.Float64()-1))
			w.Write(b)
		}
		return nil
	})
}

// loadVisits is a table of three statistics by group, of at most 10 rows a person.
func loadVisits(ctx context.Context, dir string, rows int) (func(context.Context) error, error) {
	levels := make([]string, groups)
	for i := range levels {
		levels[i] = fmt.Sprint("g", i)
	}
	s, err := frames.NewSchema(frames.Person("p"), frames.Category("g", levels...), frames.Numeric("x", 0, 1), frames.Numeric("z", -1, 1))
	if err != nil {
		return nil, err
	}
	f, err := frames.Collect(ctx, &records{filepath.Join(dir, "visits"), s, rows, 24, func(b *frames.Block, record []byte) {
		var who frames.PersonID
		copy(who[:], record[:4])
		b.Person = append(b.Person, who)
		b.X = append(b.X, float64(binary.LittleEndian.Uint32(record[4:])), number(record[8:]), number(record[16:]))
	}})
	if err != nil {
		return nil, err
	}
	session, err := dpkit.Demo(f, 1, accountant.ReplaceOne)
	if err != nil {
		return nil, err
	}
	return value(session.Data().Bound(dpkit.Contributing{Rows: 10}).By("g").Count().Mean("x").Mean("z").Table(target())), nil
}
