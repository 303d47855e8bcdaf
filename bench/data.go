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

// readNumbers reads them, with the sign of the first as the label.
func readNumbers(path string, rows int) (*frames.Frame, error) {
	var cols []frames.Column
	for _, name := range columns(width) {
		cols = append(cols, frames.Numeric(name, -8, 8))
	}
	s, err := frames.NewSchema(append(cols, frames.Label("y", "no", "yes"))...)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(data) != 8*rows*width {
		return nil, fmt.Errorf("%s: got %d bytes, want %d rows of %d numbers: %w", path, len(data), rows, width, io.ErrUnexpectedEOF)
	}
	b := &frames.Block{Rows: rows, Cols: width, X: make([]float64, rows*width), Y: make([]float64, rows)}
	for i := range b.X {
		b.X[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
	}
	for i := range b.Y {
		if b.X[i*width] > 0 {
			b.Y[i] = 1
		}
	}
	return frames.FromBlock(s, b)
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
func loadVisits(_ context.Context, dir string, rows int) (func(context.Context) error, error) {
	levels := make([]string, groups)
	for i := range levels {
		levels[i] = fmt.Sprint("g", i)
	}
	s, err := frames.NewSchema(frames.Person("p"), frames.Category("g", levels...), frames.Numeric("x", 0, 1), frames.Numeric("z", -1, 1))
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(filepath.Join(dir, "visits"))
	if err != nil {
		return nil, err
	}
	b := &frames.Block{Rows: rows, Cols: 3, X: make([]float64, 0, 3*rows), Person: make([]frames.PersonID, rows)}
	for i := range rows {
		row := data[24*i : 24*i+24]
		copy(b.Person[i][:], row[:4])
		b.X = append(b.X, float64(binary.LittleEndian.Uint32(row[4:])),
			math.Float64frombits(binary.LittleEndian.Uint64(row[8:])), math.Float64frombits(binary.LittleEndian.Uint64(row[16:])))
	}
	f, err := frames.FromBlock(s, b)
	if err != nil {
		return nil, err
	}
	session, err := dpkit.Demo(f, 1, accountant.ReplaceOne)
	if err != nil {
		return nil, err
	}
	return value(session.Data().Bound(dpkit.Contributing{Rows: 10}).By("g").Count().Mean("x").Mean("z").Table(target())), nil
}
