package beam

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/remote"
)

// What BenchmarkScale runs on.
var (
	benchRows   = flag.Int("rows", 100_000, "rows of the benchmark")
	benchShards = flag.Int("shards", 16, "shards of the benchmark")
	benchFormat = flag.String("format", made, "of its shards: "+made+", whose rows are made where they are read, or .csv")
)

const benchCols = 20

// made is the format of shards whose rows are made where they are read.
const made = ".made"

// madeRows is what such a shard holds: how many rows of benchCols numbers from -1 to 1.
type madeRows struct {
	schema  frames.Schema
	N, Seed int
}

func init() {
	frames.RegisterFormat(frames.Format{Name: "made", Extensions: []string{made}, Open: func(path string, s frames.Schema) (frames.Source, error) {
		raw, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		m := madeRows{schema: s}
		return m, json.Unmarshal(raw, &m)
	}})
}

func (m madeRows) Schema() frames.Schema { return m.schema }

func (m madeRows) Rows() int { return m.N }

func (m madeRows) Scan(ctx context.Context, fn func(*frames.Block) error) error {
	const block = 1024
	b := frames.Block{Cols: benchCols, X: make([]float64, block*benchCols)}
	state := uint64(m.Seed)
	for b.First = 0; b.First < m.N; b.First += b.Rows {
		b.Rows = min(block, m.N-b.First)
		b.X = b.X[:b.Rows*benchCols]
		for i := range b.X {
			state = state*6364136223846793005 + 1442695040888963407
			b.X[i] = float64(int(state>>33)%2001-1000) / 1000
		}
		if err := fn(&b); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// benchFiles writes the shards of the benchmark.
func benchFiles(b *testing.B) (pattern string, schema frames.Schema) {
	var columns []frames.Column
	for j := range benchCols {
		columns = append(columns, frames.Numeric(fmt.Sprint("x", j), -1, 1))
	}
	schema = must(frames.NewSchema(columns...))
	folder := b.TempDir()
	for i := range *benchShards {
		f := must(os.Create(filepath.Join(folder, fmt.Sprintf("part-%02d%s", i, *benchFormat))))
		m := madeRows{schema, *benchRows / *benchShards, i}
		w := bufio.NewWriter(f)
		if *benchFormat == made {
			must(0, json.NewEncoder(w).Encode(m))
		} else {
			must(0, m.Scan(b.Context(), func(block *frames.Block) error {
				var line []byte
				for i, x := range block.X {
					line = strconv.AppendFloat(line, x, 'f', 3, 64)
					line = append(line, ",\n"[btoi((i+1)%benchCols == 0)])
				}
				_, err := w.Write(line)
				return err
			}))
		}
		must(0, w.Flush())
		must(0, f.Close())
	}
	return filepath.Join(folder, "part-*"+*benchFormat), schema
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// BenchmarkScale opens shards and releases a Gram matrix of 20 columns: in this process, as one stream; on Prism by workers in this process; and on Prism by a process of
// its own, each on so many processors. Beside the time of both it tells rows a second of the release, the largest memory of driver and worker, and the bytes that
// workers hand on in it, at most.
func BenchmarkScale(b *testing.B) {
	pattern, schema := benchFiles(b)
	release := func(b *testing.B, src frames.Source) time.Duration {
		s := must(dpkit.Demo(src, 1, dpkit.ReplaceOne))
		must(0, s.Memory(16)) // as a table larger than memory is read
		began := time.Now()
		must(s.Data().Scale().Gram(target).Release(b.Context()))
		return time.Since(began)
	}
	measure := func(b *testing.B, procs int, open func() frames.Source) (src frames.Source) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		var opening, releasing time.Duration
		forgetPeak()
		for range b.N {
			began := time.Now()
			src = open()
			opening += time.Since(began)
			releasing += release(b, src)
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(opening.Seconds()/float64(b.N), "open-s")
		b.ReportMetric(releasing.Seconds()/float64(b.N), "release-s")
		b.ReportMetric(float64(*benchRows)*float64(b.N)/releasing.Seconds()/1e6, "Mrows/s")
		b.ReportMetric(peak("self"), "driver-MB")
		return src
	}
	b.Run("one stream/procs=2", func(b *testing.B) {
		measure(b, 2, func() frames.Source { return here(b, pattern, schema) })
	})
	on := func(b *testing.B, runner string, procs int) {
		src := measure(b, procs, func() frames.Source { return must(Open(b.Context(), pattern, schema, Options{Runner: runner})) })
		b.ReportMetric(shuffled(b, src.(*frames.Sharded))/1e3, "shuffled-kB")
	}
	for _, procs := range []int{1, 2, 4} {
		b.Run(fmt.Sprint("direct/procs=", procs), func(b *testing.B) { on(b, "direct", procs) })
	}
	for _, procs := range []int{1, 2, 4} {
		b.Run(fmt.Sprint("Prism, here/procs=", procs), func(b *testing.B) {
			*jobopts.EnvironmentType, *jobopts.EnvironmentConfig, *jobopts.WorkerBinary = "external", must(workers()), os.DevNull
			on(b, "prism", procs)
		})
	}
	for _, procs := range []int{1, 2, 4} {
		b.Run(fmt.Sprint("Prism, a process/procs=", procs), func(b *testing.B) {
			notes := filepath.Join(b.TempDir(), "part-*")
			config := map[string]any{"command": must(os.Executable()), "env": map[string]string{bootEnv: "1", driverEnv: notes, "GOMAXPROCS": fmt.Sprint(procs)}}
			*jobopts.EnvironmentType, *jobopts.EnvironmentConfig, *jobopts.WorkerBinary = "process", string(must(json.Marshal(config))), os.DevNull
			on(b, "prism", procs)
			most := 0.
			for _, note := range must(filepath.Glob(filepath.Join(filepath.Dir(notes), "worker-*"))) {
				mb, _ := strconv.ParseFloat(string(must(os.ReadFile(note))), 64)
				most = max(most, mb)
			}
			b.ReportMetric(most, "worker-MB")
		})
	}
}

// shuffled are the bytes of the states of all shards of a pass, which is what a runner moves if no two merge before.
func shuffled(b *testing.B, src *frames.Sharded) float64 {
	kept := &keeping{Reader: src.Reader().(remote.Reader)}
	d := must(dpkit.Demo(must(frames.NewSharded(src.Schema(), toldOf(src), kept)), 1, dpkit.ReplaceOne))
	must(d.Data().Scale().Gram(target).Release(b.Context()))
	t := src.Reader().(*reader).task
	t.Job = &kept.job
	return float64(len(t.Shards)) * float64(len(encode([]part{must(t.work(b.Context(), 0))})))
}

// peak is the most memory that a process had, in MB, where Linux tells it.
func peak(pid string) float64 {
	text, _ := os.ReadFile("/proc/" + pid + "/status")
	_, most, _ := strings.Cut(string(text), "VmHWM:")
	fields := strings.Fields(most)
	if len(fields) == 0 {
		return 0
	}
	kb, _ := strconv.ParseFloat(fields[0], 64)
	return kb / 1e3
}

// forgetPeak begins to count anew.
func forgetPeak() {
	runtime.GC()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0o200) // where Linux lets it
}
