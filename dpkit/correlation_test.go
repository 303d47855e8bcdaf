package dpkit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/correlation"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/frames"
)

// TestAttackCorrelation attacks the sensitivity of released moments behind whole chains, with a free row that is replaced or that is there on one side
// only, in the way of TestAttackSums.
func TestAttackCorrelation(t *testing.T) {
	t.Parallel()
	for _, rel := range []accountant.Neighbours{ReplaceOne, AddRemove} {
		for _, removed := range []bool{false, true} {
			for _, c := range chains {
				t.Run(fmt.Sprintf("%v/removed %v/%s", rel, removed, c.name), func(t *testing.T) {
					r := rand.New(rand.NewPCG(17, 1))
					chain := prepare(t, c.build)
					worst := climbPairs(r, 5, 2, 15, func(p pairOfRows) float64 {
						x, y := p.sides()
						mx, q := chain.run(x)
						my, _ := chain.run(y)
						st := q.end
						st.Before.Neighbours, st.Empty = rel, removed
						my.Empty = make([]bool, my.Rows())
						my.Empty[0] = rel == AddRemove
						of, err := correlation.Release{Target: Target{Epsilon: 1, Delta: 1e-6}}.Calibrate(st)
						if err != nil {
							t.Fatal(err)
						}
						a, b := must(of.Cells(context.Background(), rows.InProcess{In: mx})), must(of.Cells(context.Background(), rows.InProcess{In: my}))
						return latticeDistance(a, b, NoiseGaussian) * of.Grid.Step() / of.S
					})
					t.Logf("worst observed/bound: %.4f", worst)
					if !(worst <= 1) || worst < 0.02 {
						t.Errorf("observed/bound is %v, want in [0.02, 1]", worst)
					}
				})
			}
		}
	}
}

// TestCorrelation: without noise it is that of the rows, and what it is asked wrongly is refused with the way out.
func TestCorrelation(t *testing.T) {
	schema := must(frames.NewSchema(frames.Numeric("a", -1, 3), frames.Numeric("b", 0, 10), frames.Category("ward", "x", "y"), frames.Label("y", "no", "yes")))
	var table [][]float64
	for i := range 300 {
		table = append(table, []float64{float64(i%5) - 1, float64(i % 5 * (i % 3)), float64(i % 2), 0})
	}
	f, target := frameOf(t, schema, table), Target{Epsilon: 1, Delta: 1e-6}
	m := must(must(OnPublic(frames.Public(f))).Data().Correlation(Target{}, "a", "b").Release(t.Context())).Value
	var a, b, aa, bb, ab float64
	for _, r := range table {
		a, b, aa, bb, ab = a+r[0]/300, b+r[1]/300, aa+r[0]*r[0]/300, bb+r[1]*r[1]/300, ab+r[0]*r[1]/300
	}
	for name, c := range map[string]struct {
		got  TableCell
		want float64
	}{
		"correlation": {must(m.Correlation("a", "b", 0.95)), (ab - a*b) / math.Sqrt((aa-a*a)*(bb-b*b))},
		"covariance":  {must(m.Covariance("b", "a", 0.95)), ab - a*b}, "variance": {must(m.Covariance("b", "b", 0.95)), bb - b*b}, "mean": {must(m.Mean("b", 0.95)), b},
	} {
		if math.Abs(c.got.Value-c.want) > 1e-9 || c.got.Low != c.got.Value || c.got.High != c.got.Value {
			t.Errorf("%s: got %+v, want %v", name, c.got, c.want)
		}
	}
	d := must(Demo(f, 1, ReplaceOne)).Data()
	for name, c := range map[string]struct {
		plan Plan[CorrelationMatrix]
		err  error
		says string
	}{
		"a category":    {d.Correlation(target), ErrOrder, "OneHot"},
		"one column":    {d.Correlation(target, "a"), ErrColumn, "Variance"},
		"Laplace noise": {d.Correlation(Target{Epsilon: 1, Noise: NoiseLaplace}, "a", "b"), ErrParameter, "NoiseGaussian"},
	} {
		if _, err := c.plan.Cost(); !errors.Is(err, c.err) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want %v that says %q", name, err, c.err, c.says)
		}
	}
	released := must(d.Where(Is("ward", "x")).Correlation(Target{Epsilon: 8, Delta: 1e-6}, "a", "b").Release(t.Context())).Value
	if released.Present == nil || math.Abs(*released.Present-150) > 60 {
		t.Errorf("behind a condition got %v rows", released.Present)
	}
	if _, err := released.Correlation("a", "c", 0.95); !errors.Is(err, ErrColumn) {
		t.Errorf("got %v", err)
	}
	if _, err := released.Correlation("a", "b", math.NaN()); !errors.Is(err, ErrParameter) {
		t.Errorf("got %v", err)
	}
	var csv strings.Builder
	if err := released.WriteCSV(&csv); err != nil || strings.Count(csv.String(), "\n") != 5 || !slices.Contains(released.Gota().Names(), "covariance high") {
		t.Errorf("got %v and %s", err, csv.String())
	}
}
