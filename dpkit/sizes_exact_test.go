package dpkit

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/linear"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// exact is a number of 400 bits, whose range no legal size leaves.
type exact struct{ *big.Float }

func ex(x float64) exact { return exact{new(big.Float).SetPrec(400).SetFloat64(x)} }

func (a exact) mul(b exact) exact {
	return exact{new(big.Float).SetPrec(400).Mul(a.Float, b.Float)}
}

func (a exact) add(b exact) exact {
	return exact{new(big.Float).SetPrec(400).Add(a.Float, b.Float)}
}

func (a exact) over(b exact) exact {
	return exact{new(big.Float).SetPrec(400).Quo(a.Float, b.Float)}
}

func (a exact) root() exact {
	return exact{new(big.Float).SetPrec(400).Sqrt(a.Float)}
}

func least(first exact, others ...exact) exact {
	for _, x := range others {
		if x.Cmp(first.Float) < 0 {
			first = x
		}
	}
	return first
}

// covers reports a number that is below the exact one, or above it by more than the part of it.
func covers(t *testing.T, what string, got float64, want exact, slack float64) {
	t.Helper()
	if math.IsNaN(got) || math.IsInf(got, 0) || ex(got).Cmp(want.Float) < 0 || ex(got).Cmp(want.mul(ex(1+slack)).Float) > 0 {
		t.Errorf("%s: got %.17g, want at least %s and little more", what, got, want.Text('g', 20))
	}
}

// anySize draws a size of the legal range, the ends with some odds.
func anySize(r *rand.Rand, lo, hi float64) float64 {
	switch r.IntN(8) {
	case 0:
		return lo
	case 1:
		return hi
	}
	return min(max(lo*math.Exp(r.Float64()*math.Log(hi/lo)), lo), hi)
}

// anyState draws a pair state of rows of norm R that can be displaced by as little or as much as there is.
func anyState(r *rand.Rand, n int) pair.State {
	rel := ReplaceOne
	if r.IntN(2) == 0 {
		rel = AddRemove
	}
	p := must(pair.Start(n, anySize(r, pair.MinRadius, pair.MaxRadius), rel))
	p.F = 1 + r.IntN(2)
	if r.IntN(3) > 0 {
		p.M = 1 + r.IntN(n-p.F)
		p.TInf = p.R * anySize(r, 1e-250, 2)
		p.TF = p.TInf * math.Sqrt(float64(p.M)) * r.Float64()
		p.T1 = p.TF * math.Sqrt(float64(p.M)) * r.Float64()
		p = p.Close()
	}
	return p
}

// TestSensitivitiesAreExact: those that sums and matrices are released at are never below the closed form, computed in 400 bits, and
// little above it, whatever the sizes.
func TestSensitivitiesAreExact(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(160, 7))
	for range 20_000 {
		n := 4 + r.IntN(1000)
		p := anyState(r, n)
		R, f, m := ex(p.R), ex(float64(p.F)), ex(float64(p.M))
		t1, tF, rootN := ex(p.T1), ex(p.TF), ex(float64(n)).root()
		two := ex(2)
		removed := p.Neighbours == AddRemove

		row := two.root().mul(R).mul(R)
		gram := row.mul(f)
		if removed {
			gram = row.mul(ex(float64(p.F - 1))).add(R.mul(R))
		}
		if p.Displaced() {
			gram = gram.add(least(row.mul(m), two.mul(R).mul(t1), two.mul(rootN).mul(R).mul(tF)))
		}
		got, err := pair.GramSensitivity(p)
		if err != nil {
			t.Fatal(err)
		}
		covers(t, "Gram", got, gram, 1e-14)

		b := p.R * anySize(r, 1e-6, 1e6)
		one := R.mul(R.mul(R).add(ex(b).mul(ex(b))).root())
		apart := least(two.mul(one), two.mul(one).mul(one).add(ex(b).mul(ex(b)).mul(ex(b)).mul(ex(b)).over(two)).root())
		moment := apart.mul(f)
		if removed {
			moment = apart.mul(ex(float64(p.F - 1))).add(one)
		}
		if p.Displaced() {
			lip := ex(4).mul(R).mul(R).add(ex(b).mul(ex(b))).root()
			moment = moment.add(least(apart.mul(m), lip.mul(least(t1, rootN.mul(tF)))))
		}
		covers(t, "second moments", linear.NormalSensitivity(p, b), moment, 1e-11)

		q := pair.Query{C: p.R * anySize(r, 1e-60, 1e60), Lipschitz: anySize(r, 1e-60, 1e60)}
		images := float64(2 * p.F)
		if removed {
			images--
		}
		total := ex(q.C).mul(ex(images))
		if p.Displaced() {
			total = total.add(least(two.mul(ex(q.C)).mul(m), ex(q.Lipschitz).mul(t1)))
		}
		s, _, err := q.Sensitivity(p)
		if err != nil {
			t.Fatal(err)
		}
		covers(t, "query", s, total, 1e-14)
		if t.Failed() {
			t.Fatalf("at %+v", p)
		}
	}
}

// TestSumsOfAnySizes: the constants of Sum and Mean, in ℓ2 and in ℓ1, cover the closed forms on columns of any sizes beside each
// other.
func TestSumsOfAnySizes(t *testing.T) {
	r := rand.New(rand.NewPCG(161, 7))
	for range 300 {
		var cols []frames.Column
		for j := range 1 + r.IntN(5) {
			width := anySize(r, 1e-58, frames.MaxBound)
			lo := anySize(r, frames.MinWidth, frames.MaxBound) * float64(r.IntN(3)-1)
			if !(lo+width <= frames.MaxBound) || !(lo+width-lo >= frames.MinWidth) {
				lo = 0
			}
			cols = append(cols, frames.Numeric(string(rune('a'+j)), lo, lo+width))
		}
		s := must(frames.NewSchema(cols...))
		st := stage.Stage{In: s, Out: s, Before: must(pair.Start(50, stage.StartRadius(s), ReplaceOne)), Taint: stage.Taint{}}
		moved := anySize(r, 1e-200, 1)
		st.Before.M, st.Before.T1, st.Before.TF, st.Before.TInf = 49, st.Before.R*moved, st.Before.R*moved, st.Before.R*moved
		root := ex(float64(len(cols))).root()
		l1, l2 := ex(0), ex(0)
		for _, c := range cols {
			if r.IntN(2) == 0 {
				st.Taint[c.Name] = true
				scale := ex(2).over(ex(c.Hi - c.Lo)).over(root)
				l1 = l1.add(scale.mul(scale))
				if scale.Cmp(l2.Float) > 0 {
					l2 = scale
				}
			}
		}
		for law, want := range map[Noise]exact{NoiseGaussian: l2, NoiseLaplace: l1.root()} {
			target := Target{Epsilon: 1, Noise: law}
			if law == NoiseGaussian {
				target.Delta = 1e-6
			}
			for _, plan := range []func(stage.Stage) (*sums.ColumnSums, error){sums.Mean{Target: target}.Calibrate, sums.Sum{Target: target}.Calibrate} {
				c, err := plan(st)
				if err != nil {
					t.Fatalf("%v: %v", cols, err)
				}
				if want.Sign() > 0 {
					covers(t, string(law)+": Lipschitz constant", c.Summand().Lipschitz, want, 1e-11)
				}
			}
		}
	}
}

// TestStepsCoverTheirClosedForms: on one column of any size the displacement by one replaced row is at least its closed form
// (docs/theory/calculus.md#3-steps), and little more.
func TestStepsCoverTheirClosedForms(t *testing.T) {
	r := rand.New(rand.NewPCG(162, 7))
	one, two := ex(1), ex(2)
	for range 60 {
		n := 5 + r.IntN(400)
		size := anySize(r, 1e-58, frames.MaxBound/4)
		R, N := ex(size), ex(float64(n))
		common := ex(float64(n - 1))
		share := common.over(N).root() // √(n−1)·aF, aF being for n rows
		for name, c := range map[string]struct {
			build func(Pipeline) Pipeline
			want  exact
			slack float64
		}{
			"centred":           {func(p Pipeline) Pipeline { return p.Center() }, common.mul(two).mul(R).over(N), 1e-9},
			"rms":               {func(p Pipeline) Pipeline { return p.Standardize(RMS{Floor: 0.5, Gain: 0.1}) }, R.over(ex(5)).mul(share), 1e-6},
			"soft threshold":    {func(p Pipeline) Pipeline { return p.PCA(SoftThreshold{Lambda: 0.25}) }, R.mul(two.root()).mul(share), 1e-6},
			"Tikhonov":          {func(p Pipeline) Pipeline { return p.PCA(Tikhonov{Lambda: 0.25}) }, R.mul(two.root()).mul(share), 1e-6},
			"selected":          {func(p Pipeline) Pipeline { return p.SelectFeatures(SoftSelect{Lambda: 0.25}) }, R.mul(share), 1e-6},
			"means":             {func(p Pipeline) Pipeline { return p.Impute(Mean{}, "hole") }, common.mul(two).mul(R).over(N), 1e-9},
			"medians":           {func(p Pipeline) Pipeline { return p.Impute(Median{}, "hole") }, common.mul(two).mul(R), 1e-9},
			"winsorised":        {func(p Pipeline) Pipeline { return p.Winsorize(SmoothedQuantile{Q: 0.25, Window: 0.25}, "x") }, two.mul(R).mul(ex(4)).mul(ex(0.375).mul(N).add(one)).over(N), 1e-9},
			"scaled, of before": {func(p Pipeline) Pipeline { return p.Center().Scale() }, common.mul(two).over(N).over(two), 1e-6},
		} {
			x := frames.Numeric("x", -size, size)
			if name == "means" || name == "medians" {
				x = frames.Numeric("hole", -size, size).MayMiss()
			}
			s := must(frames.NewSchema(x, frames.NumericLabel("y", 0, 1)))
			b := &frames.Block{Rows: n, Cols: 1, X: make([]float64, n), Y: make([]float64, n)}
			p := c.build(must(Demo(must(frames.FromBlock(s, b)), 1, ReplaceOne)).Data())
			_, end, err := p.trace()
			if err != nil {
				t.Fatalf("%s, ±%g: %v", name, size, err)
			}
			covers(t, name, end.Before.T1, c.want, c.slack)
			if t.Failed() {
				t.Fatalf("n = %d, ±%g", n, size)
			}
		}
	}
}
