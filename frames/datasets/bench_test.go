package datasets_test

import (
	"testing"

	"github.com/dpkit-go/dpnb/frames/datasets"
)

// BenchmarkAdult is what a notebook cell pays for the data: the real file if DPNB_DATA is set.
func BenchmarkAdult(b *testing.B) {
	rows := 0
	for b.Loop() {
		f, _, err := datasets.Adult()
		if err != nil {
			b.Fatal(err)
		}
		rows += f.Rows()
	}
	b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
}
