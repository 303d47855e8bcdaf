package frames_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/go-gota/gota/dataframe"

	"github.com/dpkit-go/dpnb/frames"
)

// table is rows × 10 CSV text without header: eight numbers, a category of eight levels, a class.
func table(rows int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	for range rows {
		for range 4 {
			fmt.Fprintf(&b, "%.6f,", 100*r.NormFloat64())
		}
		for range 4 {
			fmt.Fprintf(&b, "%d,", r.IntN(100000))
		}
		fmt.Fprintf(&b, "level-%d,%s\n", r.IntN(8), []string{"no", "yes"}[r.IntN(2)])
	}
	return b.Bytes()
}

func tableSchema(b *testing.B) frames.Schema {
	var cols []frames.Column
	for j := range 4 {
		cols = append(cols, frames.Numeric(fmt.Sprint("x", j), -1000, 1000))
	}
	for j := range 4 {
		cols = append(cols, frames.Numeric(fmt.Sprint("n", j), 0, 100000))
	}
	cols = append(cols, frames.Category("c", "level-0", "level-1", "level-2", "level-3", "level-4", "level-5", "level-6", "level-7"), frames.Label("y", "no", "yes"))
	return mustSchema(b, cols...)
}

const benchRows = 50000

func perSecond(b *testing.B) {
	b.ReportMetric(float64(benchRows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

// BenchmarkReadCSV compares this package's readers with encoding/csv + strconv into typed columns,
// and with gota, on the same file.
func BenchmarkReadCSV(b *testing.B) {
	text := table(benchRows)
	path := filepath.Join(b.TempDir(), "t.csv")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		b.Fatal(err)
	}
	s := tableSchema(b)
	run := func(name string, read func() error) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if err := read(); err != nil {
					b.Fatal(err)
				}
			}
			perSecond(b)
		})
	}
	run("frames", func() error { _, err := frames.ReadCSV(path, s, frames.CSVOptions{}); return err })
	src, err := frames.OpenCSV(path, s, frames.CSVOptions{})
	if err != nil {
		b.Fatal(err)
	}
	run("stream", func() error { return src.Scan(context.Background(), func(*frames.Block) error { return nil }) })
	run("encoding-csv", func() error { return typedColumns(path) })
	run("gota", func() error {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		return dataframe.ReadCSV(f, dataframe.HasHeader(false)).Err
	})
}

// typedColumns is the plain way: encoding/csv and strconv into typed columns.
func typedColumns(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.ReuseRecord = true
	num := make([][]float64, 8)
	cat := make([][]int32, 2)
	codes := map[string]int32{"no": 0, "yes": 1}
	for i := range int32(8) {
		codes[fmt.Sprint("level-", i)] = i
	}
	for {
		rec, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for j := range num {
			v, err := strconv.ParseFloat(rec[j], 64)
			if err != nil {
				return err
			}
			num[j] = append(num[j], v)
		}
		for j := range cat {
			cat[j] = append(cat[j], codes[rec[8+j]])
		}
	}
}

func BenchmarkScan(b *testing.B) {
	f, err := frames.ParseCSV(bytes.NewReader(table(benchRows)), "t", tableSchema(b), frames.CSVOptions{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := f.Scan(context.Background(), func(*frames.Block) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
	perSecond(b)
}

func BenchmarkFingerprint(b *testing.B) {
	f, err := frames.ParseCSV(bytes.NewReader(table(benchRows)), "t", tableSchema(b), frames.CSVOptions{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := frames.Fingerprint(context.Background(), struct{ frames.Source }{f}, []byte("key")); err != nil {
			b.Fatal(err)
		}
	}
	perSecond(b)
}

// BenchmarkContent hashes column by column, from blocks of rows.
func BenchmarkContent(b *testing.B) {
	f, err := frames.ParseCSV(bytes.NewReader(table(benchRows)), "t", tableSchema(b), frames.CSVOptions{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := frames.ContentOf(context.Background(), struct{ frames.Source }{f}); err != nil {
			b.Fatal(err)
		}
	}
	perSecond(b)
}

// BenchmarkContentInMemory hashes the columns of a frame side by side.
func BenchmarkContentInMemory(b *testing.B) {
	table, err := frames.ParseCSV(bytes.NewReader(table(benchRows)), "t", tableSchema(b), frames.CSVOptions{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		b.StopTimer()
		f, err := frames.Collect(context.Background(), struct{ frames.Source }{table})
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		if _, err := frames.ContentOf(context.Background(), f); err != nil {
			b.Fatal(err)
		}
	}
	perSecond(b)
}
