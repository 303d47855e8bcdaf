package datasets_test

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/frames/datasets"
)

// BenchmarkLoad is what a notebook cell pays for the data: Adult, synthetic without DPNB_DATA, and
// the files that are there.
func BenchmarkLoad(b *testing.B) {
	loaders := map[string]func() (*frames.Frame, string, error){"adult": datasets.Adult}
	for name, f := range files() {
		loaders[name] = f.load
	}
	for name, load := range loaders {
		if _, _, err := load(); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		b.Run(name, func(b *testing.B) {
			rows := 0
			for b.Loop() {
				f, _, err := load()
				if err != nil {
					b.Fatal(err)
				}
				rows += f.Rows()
			}
			b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
