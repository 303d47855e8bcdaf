//go:build unix

package pgcopy_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/sqlsource"
	"github.com/dpkit-go/dpnb/sqlsource/internal/pgtest"
	"github.com/dpkit-go/dpnb/sqlsource/pgcopy"
)

// BenchmarkScan reads rows of ten doubles in the order of their key, checked and hashed, and without that, from a table of DPNB_BENCH_ROWS rows
// (100 000).
func BenchmarkScan(b *testing.B) {
	n := 100_000
	if v, err := strconv.Atoi(os.Getenv("DPNB_BENCH_ROWS")); err == nil {
		n = v
	}
	ctx := context.Background()
	db, p := pgtest.Open(b), pool(b)
	var names, values []string
	var columns []frames.Column
	for i := range 10 {
		names, values = append(names, fmt.Sprintf("x%d float8 NOT NULL", i)), append(values, "random()")
		columns = append(columns, frames.Numeric(fmt.Sprint("x", i), 0, 1))
	}
	pgtest.Do(b, db, "CREATE TABLE bench (id int PRIMARY KEY, "+strings.Join(names, ", ")+")",
		fmt.Sprintf("INSERT INTO bench SELECT i, %s FROM generate_series(1, %d) i", strings.Join(values, ", "), n), "VACUUM ANALYZE bench")
	b.Cleanup(func() { pgtest.Do(b, db, "DROP TABLE bench") })
	s, q := pgtest.Schema(b, columns...), sqlsource.Query{SQL: "SELECT * FROM bench", Key: []string{"id"}}
	run := func(name string, src frames.Source) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			client, server := processor(b), pgtest.Processor()
			for b.Loop() {
				if err := src.Scan(ctx, func(*frames.Block) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
			rows := float64(n) * float64(b.N) / 1e6
			b.ReportMetric(rows/b.Elapsed().Seconds(), "Mrows/s")
			b.ReportMetric((processor(b)-client)/rows, "client-s/Mrow") // of processor time; on two cores both sides share them
			b.ReportMetric((pgtest.Processor()-server)/rows, "server-s/Mrow")
		})
	}
	slow, err := sqlsource.Open(ctx, db, s, q)
	if err != nil {
		b.Fatal(err)
	}
	fast, err := pgcopy.Open(ctx, p, s, q)
	if err != nil {
		b.Fatal(err)
	}
	run("database/sql", slow)
	run("COPY", fast)
}

// processor is how many seconds of processor time this process has taken.
func processor(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}
