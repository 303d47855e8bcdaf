package correlation

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// stageOf has d columns in [−2, 6].
func stageOf(t *testing.T, d, n int, rel accountant.Neighbours, empty bool) stage.Stage {
	t.Helper()
	var columns []frames.Column
	for j := range d {
		columns = append(columns, frames.Numeric(fmt.Sprint("x", j), -2, 6))
	}
	schema, err := frames.NewSchema(columns...)
	if err != nil {
		t.Fatal(err)
	}
	before, err := pair.Start(n, 6*math.Sqrt(float64(d)), rel)
	if err != nil {
		t.Fatal(err)
	}
	return stage.Stage{In: schema, Out: schema, Before: before, Empty: empty}
}

// added is what a row adds.
func (c *calibrated) added(row []float64) []float64 {
	out := make([]float64, c.size())
	if row != nil {
		c.add(func(at int, v float64) { out[at] += v })(row)
	}
	return out
}

func distance(a, b []float64) (sum float64) {
	for i := range a {
		sum += (a[i] - b[i]) * (a[i] - b[i])
	}
	return math.Sqrt(sum)
}

// TestRowsMoveMoments: rows at corners of their bounds, in the middle and anywhere, against each other and against none, move the moments by no more
// than is paid for, and some by nearly as much; rows that are near move them by no more than their distance allows.
func TestRowsMoveMoments(t *testing.T) {
	for _, rel := range []accountant.Neighbours{accountant.ReplaceOne, accountant.AddRemove} {
		for _, empty := range []bool{false, true} {
			for _, d := range []int{2, 3, 4, 7} {
				name := fmt.Sprintf("%v empty %v %d columns", rel, empty, d)
				c, err := Release{query.Target{Epsilon: 1, Delta: 1e-6}}.Calibrate(stageOf(t, d, 100, rel, empty))
				if err != nil {
					t.Fatal(name, err)
				}
				rng := rand.New(rand.NewPCG(3, uint64(d)))
				row := func() []float64 {
					out := make([]float64, d)
					kind := rng.IntN(4)
					for j := range out {
						switch kind {
						case 0, 1:
							out[j] = -2 + 8*float64(rng.IntN(2))
						case 2:
							out[j] = -2 + 4*float64(rng.IntN(3))
						default:
							out[j] = -2 + 8*rng.Float64()
						}
					}
					return out
				}
				most, lipschitz := 0.0, 0.0
				for i := range 4000 {
					x, y := row(), row()
					if rel == accountant.AddRemove || empty && i%3 == 0 {
						y = nil
					}
					most = max(most, distance(c.added(x), c.added(y)))
					y = row()
					s := math.Exp(-10 * rng.Float64())
					for j := range y {
						y[j] = x[j] + s*(y[j]-x[j])
					}
					if away := distance(x, y); away > 0 {
						lipschitz = max(lipschitz, distance(c.added(x), c.added(y))/away)
					}
				}
				paid := c.Query.C
				if rel == accountant.ReplaceOne {
					paid *= 2
				}
				if !(most <= paid) || most < 0.9*paid {
					t.Errorf("%s: a row moves the moments by %g, paid for %g", name, most, paid)
				}
				if !(lipschitz <= c.Any) || lipschitz < 0.5*c.Any {
					t.Errorf("%s: a displaced row moves them by %g times its displacement, believed %g", name, lipschitz, c.Any)
				}
			}
		}
	}
}

// TestDisplacedMoments: what displaced rows add to the price is by the displaced columns alone, and nothing without any.
func TestDisplacedMoments(t *testing.T) {
	st := stageOf(t, 3, 1000, accountant.ReplaceOne, false)
	free, err := Release{query.Target{Epsilon: 1, Delta: 1e-6}}.Calibrate(st)
	if err != nil {
		t.Fatal(err)
	}
	st.Before.M, st.Before.T1, st.Before.TF = 999, 0.01, 0.01
	st.Taint = stage.Taint{"x1": true}
	displaced, err := Release{query.Target{Epsilon: 1, Delta: 1e-6}}.Calibrate(st)
	if err != nil {
		t.Fatal(err)
	}
	want := free.S + 0.01*2*math.Sqrt(free.square)/4
	if math.Abs(displaced.S-want) > 1e-9 {
		t.Errorf("got %v behind displaced rows, want %v", displaced.S, want)
	}
}
