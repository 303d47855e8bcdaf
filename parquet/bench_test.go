package parquet_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"github.com/dpkit-go/dpnb/parquet"

	"github.com/dpkit-go/dpnb/frames"
)

// wide is a row of ten numbers and a text.
type wide struct {
	A float64 `parquet:"x0"`
	B float64 `parquet:"x1"`
	C float64 `parquet:"x2"`
	D float64 `parquet:"x3"`
	E float64 `parquet:"x4"`
	F float64 `parquet:"x5"`
	G float64 `parquet:"x6"`
	H float64 `parquet:"x7"`
	I float64 `parquet:"x8"`
	J float64 `parquet:"x9"`
	L string  `parquet:"level,dict"`
}

const benchRows = 1_000_000

// BenchmarkOpen checks and fingerprints 1e6 rows of 11 columns.
func BenchmarkOpen(b *testing.B) {
	rows := make([]wide, benchRows)
	for i := range rows {
		x := func(k int) float64 { return float64((i*7919+k*104729)%1_000_003) / 1024 }
		rows[i] = wide{x(0), x(1), x(2), x(3), x(4), x(5), x(6), x(7), x(8), x(9), fmt.Sprint("level-", i%8)}
	}
	var cols []frames.Column
	for j := range 10 {
		cols = append(cols, frames.Numeric(fmt.Sprint("x", j), 0, 1000))
	}
	var levels []string
	for i := range 8 {
		levels = append(levels, fmt.Sprint("level-", i))
	}
	s, err := frames.NewSchema(append(cols, frames.Category("level", levels...))...)
	if err != nil {
		b.Fatal(err)
	}
	plain := write(b, filepath.Join(b.TempDir(), "plain.parquet"), rows)
	snappy := write(b, filepath.Join(b.TempDir(), "snappy.parquet"), rows, pq.Compression(&pq.Snappy), pq.MaxRowsPerRowGroup(200_000))
	for _, c := range []struct{ name, path string }{{"plain", plain}, {"snappy", snappy}} {
		for _, procs := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/procs=%d", c.name, procs), func(b *testing.B) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := parquet.Open(c.path, s); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(benchRows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
			})
		}
	}
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			if _, err := parquet.Read(snappy, s); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(benchRows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	})
}
