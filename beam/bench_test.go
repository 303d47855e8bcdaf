package beam

import (
	"bufio"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

var rows = flag.Int("rows", 100_000, "rows of benchmarks")

// BenchmarkGram reads shards and releases a Gram matrix of 20 columns: in this process, and by workers. Beside the time it tells rows a second.
func BenchmarkGram(b *testing.B) {
	const cols, files = 20, 16
	var columns []frames.Column
	for j := range cols {
		columns = append(columns, frames.Numeric(fmt.Sprint("x", j), -1, 1))
	}
	schema := must(frames.NewSchema(columns...))
	folder := b.TempDir()
	r := rand.New(rand.NewPCG(1, 2))
	for i := range files {
		f := must(os.Create(filepath.Join(folder, fmt.Sprintf("part-%02d.csv", i))))
		w := bufio.NewWriter(f)
		var line []byte
		for range *rows / files {
			line = line[:0]
			for j := range cols {
				if j > 0 {
					line = append(line, ',')
				}
				line = strconv.AppendFloat(line, float64(r.IntN(2001)-1000)/1000, 'f', 3, 64)
			}
			must(w.Write(append(line, '\n')))
		}
		must(0, w.Flush())
		must(0, f.Close())
	}
	pattern := filepath.Join(folder, "part-*.csv")
	run := func(b *testing.B, src frames.Source) {
		must(must(dpkit.Demo(src, 1, dpkit.ReplaceOne)).Data().Scale().Gram(target).Release(b.Context()))
	}
	perSecond := func(b *testing.B) { b.ReportMetric(float64(*rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s") }
	b.Run("here/open", func(b *testing.B) {
		for range b.N {
			must(frames.OpenCSV(pattern, schema, frames.CSVOptions{}))
		}
		perSecond(b)
	})
	b.Run("here/release", func(b *testing.B) {
		src := must(frames.OpenCSV(pattern, schema, frames.CSVOptions{}))
		for b.Loop() {
			s := must(dpkit.Demo(src, 1, dpkit.ReplaceOne))
			must(0, s.Memory(16)) // as a table larger than memory is read
			must(s.Data().Scale().Gram(target).Release(b.Context()))
		}
		perSecond(b)
	})
	for _, runner := range []string{"direct", "prism"} {
		b.Run(runner+"/open", func(b *testing.B) {
			for range b.N {
				must(Open(b.Context(), pattern, schema, Options{Runner: runner}))
			}
			perSecond(b)
		})
		b.Run(runner+"/release", func(b *testing.B) {
			src := must(Open(b.Context(), pattern, schema, Options{Runner: runner}))
			for b.Loop() {
				run(b, src)
			}
			perSecond(b)
		})
	}
}
