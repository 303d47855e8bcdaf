package frames_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// benchReader measures loading into memory and a pass over the file.
func benchReader(b *testing.B, size, rows int, read func() error, open func() (*frames.File, error)) {
	src, err := open()
	if err != nil {
		b.Fatal(err)
	}
	for name, run := range map[string]func() error{
		"memory": read,
		"stream": func() error { return src.Scan(context.Background(), func(*frames.Block) error { return nil }) },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if err := run(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// BenchmarkReadBlanks reads the table of BenchmarkReadCSV with blanks between its fields.
func BenchmarkReadBlanks(b *testing.B) {
	text := strings.ReplaceAll(string(table(benchRows)), ",", "   ")
	path, s, o := writeFile(b, "t.txt", text), tableSchema(b), frames.CSVOptions{Blanks: true}
	benchReader(b, len(text), benchRows,
		func() error { _, err := frames.ReadCSV(path, s, o); return err },
		func() (*frames.File, error) { return frames.OpenCSV(path, s, o) })
}

// BenchmarkReadARFF reads the table of BenchmarkReadCSV as ARFF, plain and with quoted levels.
func BenchmarkReadARFF(b *testing.B) {
	s, o := tableSchema(b), frames.ARFFOptions{}
	head := "@relation t\n"
	for _, c := range s.Columns() {
		kind := "numeric"
		if len(c.Levels) > 0 {
			kind = "{" + strings.Join(c.Levels, ",") + "}"
		}
		head += "@attribute " + c.Name + " " + kind + "\n"
	}
	rows := string(table(benchRows))
	for name, text := range map[string]string{"plain": head + "@data\n" + rows, "quoted": head + "@data\n" + strings.NewReplacer(",level-", ",'level-", ",no", "',no", ",yes", "',yes").Replace(rows)} {
		b.Run(name, func(b *testing.B) {
			path := writeFile(b, "t.arff", text)
			benchReader(b, len(text), benchRows,
				func() error { _, err := frames.ReadARFF(path, s, o); return err },
				func() (*frames.File, error) { return frames.OpenARFF(path, s, o) })
		})
	}
}

// BenchmarkReadLibSVM reads 22 features of which 13 are present, like ijcnn1, and 123 of which 14 are, like a9a.
func BenchmarkReadLibSVM(b *testing.B) {
	for _, shape := range []struct{ features, present int }{{22, 13}, {123, 14}} {
		r := rand.New(rand.NewPCG(1, 2))
		var t bytes.Buffer
		for range benchRows {
			fmt.Fprint(&t, 2*r.IntN(2)-1)
			for k := range shape.present {
				fmt.Fprintf(&t, " %d:%.6f", 1+k*shape.features/shape.present, 2*r.Float64()-1)
			}
			t.WriteByte('\n')
		}
		s, err := frames.LibSVMSchema(frames.LibSVMDomain{Features: shape.features, Lo: -1, Hi: 1, Labels: []string{"-1", "1"}})
		if err != nil {
			b.Fatal(err)
		}
		for name, text := range map[string]string{"plain": t.String(), "gzip": packed(b, t.String())} {
			b.Run(fmt.Sprintf("%s/%d", name, shape.features), func(b *testing.B) {
				path := writeFile(b, "t.svm", text)
				benchReader(b, t.Len(), benchRows, // bytes of text, packed or not
					func() error { _, err := frames.ReadLibSVM(path, s, frames.LibSVMOptions{}); return err },
					func() (*frames.File, error) { return frames.OpenLibSVM(path, s, frames.LibSVMOptions{}) })
			})
		}
	}
}

// BenchmarkReadIDX reads 5000 images of 28×28 bytes.
func BenchmarkReadIDX(b *testing.B) {
	const n = 5000
	r := rand.New(rand.NewPCG(1, 2))
	images, labels := make([]byte, n*28*28), make([]byte, n)
	for i := range images {
		images[i] = byte(max(0, r.IntN(512)-256)) // half of the pixels are dark
	}
	for i := range labels {
		labels[i] = byte(r.IntN(10))
	}
	i, l := idx(string(images), n, 28, 28), idx(string(labels), n)
	for name, pair := range map[string][2]string{"plain": {i, l}, "gzip": {packed(b, i), packed(b, l)}} {
		b.Run(name, func(b *testing.B) {
			i, l := writeFile(b, "images", pair[0]), writeFile(b, "labels", pair[1])
			benchReader(b, n*(28*28+1), n,
				func() error { _, err := frames.ReadIDX(i, l, frames.IDXOptions{}); return err },
				func() (*frames.File, error) { return frames.OpenIDX(i, l, frames.IDXOptions{}) })
		})
	}
}
