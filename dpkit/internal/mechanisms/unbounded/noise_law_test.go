package unbounded

import (
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprint("test fixture: ", err))
	}
	return v
}

// TestClippedSumsUncertainty: margins of regressions on columns without bounds hold the regression on the rows as the last round clipped
// them, at no less than their level; more misses have a chance below 1e-9.
func TestClippedSumsUncertainty(t *testing.T) {
	for _, c := range []struct {
		name    string
		n       int
		epsilon float64
		tied    bool
	}{
		{"some rows", 6000, 4, false},
		{"ties and far rows", 6000, 8, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			schema := must(frames.NewSchema(frames.Unbounded("a").Guess(3), frames.Unbounded("b"), frames.UnboundedLabel("y").Guess(5)))
			in := &rows.Matrix{Domain: schema, Cols: 2}
			rng := noise.NewDemo(9)
			for i := range c.n {
				a, b := 3*rng.Normal(), rng.Normal()
				y := 2*a - b + 1 + rng.Normal()
				if c.tied {
					a, b = math.Round(a), math.Round(b)
					if i%1000 == 0 {
						y *= 100
					}
				}
				in.X, in.Y = append(in.X, a, b), append(in.Y, y)
			}
			st := stage.Stage{In: schema, Out: schema, Before: must(pair.Start(c.n, 1, accountant.ReplaceOne))}
			p := must(UnboundedFit{UnboundedLinear{Unbounded: Unbounded{Epsilon: c.epsilon, Delta: 1e-6}}}.settle(st))
			runs, most := 60, 25
			if os.Getenv("DPNB_NIGHTLY") != "" {
				runs, most = 400, 46
			}
			missed, bounded := make([]int, 3), 0
			var widest, off float64
			for seed := range runs {
				source := noise.NewDemo(uint64(seed))
				var exact []float64
				j, moments, err := p.measure(t.Context(), rows.InProcess{In: in}, func(q *query.GaussianQuery, v []float64) []float64 {
					exact = slices.Clone(v)
					return q.Draw(source, v)
				})
				if err != nil {
					t.Fatal(err)
				}
				j.s = p.Scale(&p.Last)
				without := &jointMoments{m: j.m, inverse: j.inverse, cover: j.cover}
				without.factor(&rows.Gram{D: j.m, Total: unpacked(exact, j.m, p.n)})
				j.factor(moments)
				w, truth := must(j.regress(p.n)).w, must(without.regress(p.n)).w
				margins, reason := must(j.noiseLaw(w)).Margins(0.95)
				if reason != "" {
					continue
				}
				bounded++
				for i := range w {
					if !(math.Abs(w[i]-truth[i]) <= margins[i]) {
						missed[i]++
					}
					widest, off = max(widest, margins[i]), max(off, math.Abs(w[i]-truth[i]))
				}
			}
			t.Logf("missed %v of %d with margins up to %.3g for errors up to %.3g", missed, bounded, widest, off)
			for i, n := range missed {
				if n > most {
					t.Errorf("coefficient %d is out of its interval in %d of %d", i, n, runs)
				}
			}
			if bounded < runs/2 {
				t.Errorf("%d of %d have margins", bounded, runs)
			}
		})
	}
}

// unpacked is the mean of a packed sum of m×m matrices over n rows.
func unpacked(packed []float64, m, n int) []float64 {
	out := make([]float64, m*m)
	for i := range m {
		for j := i; j < m; j++ {
			v := packed[0] / float64(n)
			if j > i {
				v /= math.Sqrt2
			}
			out[i*m+j], out[j*m+i], packed = v, v, packed[1:]
		}
	}
	return out
}
