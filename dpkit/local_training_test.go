package dpkit

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/local"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// fixedPoints asks at given points, the last one of which is the result.
type fixedPoints struct {
	points [][]float64
	facts  models.LocalFacts
	told   [][]float64
}

func (c *fixedPoints) Begin(_ context.Context, f models.LocalFacts) error { c.facts = f; return nil }

func (c *fixedPoints) Point(_ context.Context, round int) ([]float64, error) {
	if round >= len(c.points) {
		return nil, errors.New("no more points")
	}
	return c.points[round], nil
}

func (c *fixedPoints) Answer(_ context.Context, _ int, g []float64) error {
	c.told = append(c.told, g)
	return nil
}

func TestLocalTrainingBadInput(t *testing.T) {
	s := must(Demo(linearFrame(t, 400, 2, false), 1, ReplaceOne))
	good := local.Training{Epsilon: 1, Delta: 1e-6, Rounds: 2, Noise: models.ClippedNoise, Ridge: 0.1, Clip: 1}
	for _, c := range []struct {
		name  string
		spoil func(*local.Training)
		says  string
	}{
		{"no rounds", func(l *local.Training) { l.Rounds = 0 }, "rounds"},
		{"no noise", func(l *local.Training) { l.Noise = "" }, "noise"},
		{"no ridge", func(l *local.Training) { l.Ridge = 0 }, "ridge"},
		{"NaN ridge", func(l *local.Training) { l.Ridge = math.NaN() }, "ridge"},
		{"no clip", func(l *local.Training) { l.Clip = 0 }, "clip"},
		{"NaN clip", func(l *local.Training) { l.Clip = math.NaN() }, "clip"},
		{"clip of the relative noise", func(l *local.Training) { l.Noise = models.RelativeNoise }, "clip"},
		{"strength of the clipped noise", func(l *local.Training) { l.Strength = Declare(0.1) }, "strength"},
		{"negative norm", func(l *local.Training) { l.MaxNorm = -1 }, "MaxNorm"},
		{"no epsilon", func(l *local.Training) { l.Epsilon = 0 }, "epsilon"},
		{"no order", func(l *local.Training) { l.Noise, l.Clip, l.Rounds, l.Ridge = models.RelativeNoise, 0, 1000, 1e-4 }, "smallest feasible"},
	} {
		o := good
		c.spoil(&o)
		if _, err := s.Data().Scale().TrainLocally(o, &fixedPoints{}).Cost(); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want an error that says %q", c.name, err, c.says)
		}
	}
	if _, err := s.Data().Scale().TrainLocally(good, nil).Release(context.Background()); !errors.Is(err, ErrParameter) {
		t.Errorf("no coordinator: got %v", err)
	}
	private := must(Create(linearFrame(t, 400, 2, false), Options{
		Ledger: ledgerPath(t), Budget: Budget{Epsilon: 2, Delta: 1e-5}, Neighbours: ReplaceOne, Dataset: "d", Reserve: 5e-6,
	}))
	defer private.Close()
	if _, err := private.Data().Scale().TrainLocally(good, nil).Release(context.Background()); !errors.Is(err, ErrParameter) {
		t.Errorf("no coordinator, with a ledger: got %v", err)
	}
	if st := must(private.Status()); st.Releases != 0 {
		t.Error("training without a coordinator was charged")
	}
	if err := (&models.LocalModel{}).Replay(context.Background(), &fixedPoints{}); !errors.Is(err, ErrParameter) {
		t.Errorf("replay of nothing: got %v", err)
	}
}

// TestLocalTrainingAnswers: the mean of many answers is the exact gradient, of clipped rows where they are clipped. Each of 2·4
// coordinates is off by more than 7 standard deviations with probability below 3e-12.
func TestLocalTrainingAnswers(t *testing.T) {
	ctx := context.Background()
	f := linearFrame(t, 3000, 4, false)
	theta := []float64{0.3, -0.2, 0.1, 0.05}
	const rounds = 300
	points := slices.Repeat([][]float64{theta}, rounds+1)
	exact := &fixedPoints{points: points[:2]}
	must(must(OnPublic(frames.Public(f))).Data().Scale().TrainLocally(local.Training{Rounds: 1, Noise: models.RelativeNoise, Ridge: 0.5}, exact).Release(ctx))
	for _, o := range []local.Training{
		{Noise: models.RelativeNoise, Ridge: 0.5},
		{Noise: models.ClippedNoise, Ridge: 0.5, Clip: 100}, // nothing is clipped
	} {
		o.Epsilon, o.Delta, o.Rounds = 15, 1e-3, rounds
		c := &fixedPoints{points: points}
		r, err := must(Demo(f, 1, ReplaceOne)).Data().Scale().TrainLocally(o, c).Release(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if r.Value.Facts != c.facts || c.facts.Dim != 4 || c.facts.Rows != 3000 || (c.facts.Gamma > 0) != (o.Noise == models.RelativeNoise) {
			t.Errorf("%s: facts %+v", o.Noise, c.facts)
		}
		for j := range theta {
			var mean, square float64
			for _, g := range c.told {
				mean += g[j] / rounds
				square += g[j] * g[j] / rounds
			}
			sd := math.Sqrt((square - mean*mean) / rounds)
			if math.Abs(mean-exact.told[0][j]) > 7.5*sd {
				t.Errorf("%s, coordinate %d: mean %g ± %g, exact %g", o.Noise, j, mean, sd, exact.told[0][j])
			}
		}
	}
}

// TestAttackClippedGradients: no change of a row moves the sum of clipped gradients, as it is computed and rounded, by more than its
// sensitivity, which a pair of opposite labels attains.
func TestAttackClippedGradients(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(8, 9))
	for _, rel := range []accountant.Neighbours{ReplaceOne, AddRemove} {
		st := auditStage(t, rel, 2, 2)
		o := local.Training{Epsilon: 1, Delta: 1e-6, Rounds: 1, Noise: models.ClippedNoise, Ridge: 1, Clip: 0.5, NoIntercept: true}
		g := must(local.LocalFit{Training: o, Coordinator: nil}.AnswererOf(st)).(*local.ClippedGradients)
		clone := *g
		inner := *g.GaussianSum
		clone.GaussianSum = &inner
		clone.Lambda = 0
		clone.GridSD = 1 // hardly any noise: 60 steps cover it but for e^-1800
		worst := 0.0
		for i := range 300 {
			theta := []float64{3 * r.NormFloat64(), 3 * r.NormFloat64()}
			row := func() ([]float64, float64) {
				a := 2 * math.Pi * r.Float64()
				return []float64{math.Cos(a), math.Sin(a)}, math.Copysign(1, r.NormFloat64())
			}
			x, y := row()
			other, v := row()
			if i == 0 {
				theta, other, v = []float64{0, 0}, x, -y
			}
			sum := func(x []float64, y float64, present bool) []float64 {
				b := &frames.Block{Rows: 1, Cols: 2, X: x, Y: []float64{y}}
				if !present {
					b = &frames.Block{Rows: 1, Cols: 2, X: []float64{0, 0}, Y: []float64{0}}
				}
				_, answer, err := must(clone.Read(ctx, rows.InProcess{In: must(frames.FromBlock(st.In, b))}))(ctx, noise.New())
				if err != nil {
					t.Fatal(err)
				}
				return must(answer(theta))
			}
			p, q := sum(x, y, true), sum(other, v, rel == ReplaceOne)
			gap := 2 * math.Hypot(p[0]-q[0], p[1]-q[1]) // n = 2
			worst = max(worst, (gap-200*g.Grid.Step())/g.GaussianSum.S)
		}
		t.Logf("%v: %.4f of the sensitivity", rel, worst)
		if worst > 1 || worst < 0.99 {
			t.Errorf("%v: a row moves the sum by %.6f of the sensitivity", rel, worst)
		}
	}
}

// TestAuditLocalTraining: the answers of a node on rows of which one changes prove no more than the claim, and more than half of
// it for clipped gradients, whose worst pair is known.
func TestAuditLocalTraining(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	const n, delta, rounds = 10000, 0.05, 2
	for _, o := range []local.Training{
		{Noise: models.ClippedNoise, Clip: 0.5},
		{Noise: models.RelativeNoise},
	} {
		o.Epsilon, o.Delta, o.Rounds, o.Ridge, o.NoIntercept = 3, delta, rounds, 1, true
		st := auditStage(t, ReplaceOne, 60, 2)
		a := must(local.LocalFit{Training: o, Coordinator: nil}.AnswererOf(st))
		var sides [2]*frames.Frame
		for side := range sides {
			b := &frames.Block{Rows: 60, Cols: 2, X: make([]float64, 120), Y: make([]float64, 60)}
			b.X[0], b.Y[0] = 1, float64(1-2*side)
			sides[side] = must(frames.FromBlock(st.In, b))
		}
		rng := noise.New()
		got := audited(n, delta, func(side int) float64 {
			_, answer, err := must(a.Read(ctx, rows.InProcess{In: sides[side]}))(ctx, rng)
			if err != nil {
				t.Fatal(err)
			}
			var sum float64
			for range rounds {
				sum += must(answer([]float64{0, 0}))[0]
			}
			return sum
		})
		t.Logf("%s: audited %.3f of 3", o.Noise, got)
		if got > 3 || (o.Noise == models.ClippedNoise && got < 1.5) {
			t.Errorf("%s: answers prove ε ≥ %.3f of 3", o.Noise, got)
		}
	}
}
