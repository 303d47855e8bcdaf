package gradient

import (
	"compress/gzip"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// idx reads a compressed file of bytes in the format of MNIST.
func idx(t testing.TB, name string) []byte {
	f, err := os.Open(filepath.Join(os.Getenv("DPNB_DATA"), "mnist", name+".gz"))
	if err != nil {
		t.Skip("no MNIST in $DPNB_DATA")
	}
	defer f.Close()
	b := must(io.ReadAll(must(gzip.NewReader(f))))
	return b[4+4*binary.BigEndian.Uint32(append([]byte{0, 0, 0}, b[3])):]
}

// digits are pixels in [0, 1/28], so that rows have norm 1 at most, and the digit.
func digits(t testing.TB, name string) *rows.Matrix {
	pixels, labels := idx(t, name+"-images-idx3-ubyte"), idx(t, name+"-labels-idx1-ubyte")
	m := &rows.Matrix{Cols: 784, X: make([]float64, len(pixels)), Y: make([]float64, len(labels))}
	for i, v := range pixels {
		m.X[i] = float64(v) / 255 / 28
	}
	for i, v := range labels {
		m.Y[i] = float64(v)
	}
	return m
}

// BenchmarkDigits fits the ten digits of MNIST from raw pixels, with the defaults, and reports the accuracy on the test images.
func BenchmarkDigits(b *testing.B) {
	train, test := digits(b, "train"), digits(b, "t10k")
	columns := make([]frames.Column, 0, 785)
	for j := range 784 {
		columns = append(columns, frames.Numeric("p"+string(rune('0'+j/100))+string(rune('0'+j/10%10))+string(rune('0'+j%10)), 0, 1./28))
	}
	schema := must(frames.NewSchema(append(columns, frames.Label("digit", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9"))...))
	train.Domain = schema
	st := stage.Stage{In: schema, Out: schema, Before: must(pair.Start(len(train.Y), 1, accountant.AddRemove))}
	for _, c := range []struct {
		name    string
		epsilon float64
	}{{"ε=0.5", 0.5}, {"ε=1.2", 1.2}, {"ε=3", 3}} {
		b.Run(c.name, func(b *testing.B) {
			f := must(GradientFit{ByGradient: ByGradient{Epsilon: c.epsilon, Delta: 1e-5}}.Calibrate(st))
			b.ReportMetric(float64(f.Draws), "steps")
			for b.Loop() {
				w := must(f.Descend(b.Context(), rows.InProcess{In: train}, noise.NewDemo(1)))
				model := newGradientModel(schema, f.loss, w, f.C)
				right, loss := 0, 0.0
				m := make([]float64, 10)
				for i, y := range test.Y {
					best := 0
					for k := range m {
						m[k] = model.Intercept[k]
						for j, v := range test.Row(i) {
							m[k] += v * model.Coef[k][j]
						}
						if m[k] > m[best] {
							best = k
						}
					}
					if best == int(y) {
						right++
					}
					loss += f.loss.Value(m, y)
				}
				b.ReportMetric(float64(right)/float64(len(test.Y)), "accuracy")
				b.ReportMetric(loss/float64(len(test.Y)), "logloss")
			}
		})
	}
}
