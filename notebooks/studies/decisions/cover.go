package decisions

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/frames/datasets"
	"github.com/dpkit-go/dpnb/notebooks/studies/lab"
)

// Coverage is how often the noise of one kind of plan is within what is predicted.
type Coverage struct {
	Kind    string  `json:"kind"`
	Plan    string  `json:"plan"`
	Level   float64 `json:"level"`
	Numbers int     `json:"numbers"` // of all demonstrations together
	Within  float64 `json:"within"`  // their share within the margins
	// Bound says that the margin is one that may hold more often: ranks of quantiles.
	Bound bool `json:"bound,omitempty"`
}

// Low and high are what the share should be between, at the level 0.95.
const (
	CoverLevel = 0.95
	CoverLeast = 0.90
	CoverMost  = 0.98
)

// Held says whether the share is between CoverLeast and CoverMost; what is a bound may hold more often.
func (c Coverage) Held() bool { return c.Within >= CoverLeast && (c.Bound || c.Within <= CoverMost) }

// covered are plans of each kind that predicts with a level, on Adult.
func (s Settings) covered(ctx context.Context) (out []Coverage, err error) {
	f, _, err := datasets.Adult()
	if err != nil {
		return nil, err
	}
	demo, err := dpkit.Demo(f, s.Seed, dpkit.ReplaceOne)
	if err != nil {
		return nil, err
	}
	public, err := dpkit.OnPublic(frames.Public(f))
	if err != nil {
		return nil, err
	}
	for _, noise := range []dpkit.Noise{dpkit.NoiseGaussian, dpkit.NoiseLaplace, dpkit.NoiseGeometric} {
		t := dpkit.Target{Epsilon: 1, Delta: s.Delta, Noise: noise}
		if noise != dpkit.NoiseGaussian {
			t.Delta = 0
		}
		for _, k := range []struct {
			kind string
			plan func(dpkit.Pipeline) dpkit.Plan[dpkit.Estimates]
		}{
			{"count", func(p dpkit.Pipeline) dpkit.Plan[dpkit.Estimates] { return p.Count(t, dpkit.Is("sex", "Female")) }},
			{"histogram", func(p dpkit.Pipeline) dpkit.Plan[dpkit.Estimates] { return p.Histogram("marital-status", t) }},
			{"sum", func(p dpkit.Pipeline) dpkit.Plan[dpkit.Estimates] { return p.Sum(t, "age", "hours-per-week") }},
			{"mean", func(p dpkit.Pipeline) dpkit.Plan[dpkit.Estimates] { return p.Select("age", "hours-per-week").Mean(t) }},
			{"mean behind a fitted step", func(p dpkit.Pipeline) dpkit.Plan[dpkit.Estimates] {
				return p.Select("age", "occupation").OneHot().Impute(dpkit.Mean{}).Mean(t)
			}},
		} {
			if noise == dpkit.NoiseGeometric && k.kind != "count" && k.kind != "histogram" {
				continue
			}
			c, err := s.coverage(ctx, k.kind, k.plan(demo.Data()), k.plan(public.Data()))
			if err != nil {
				return nil, err
			}
			out = append(out, c)
		}
	}
	for _, of := range []func(context.Context, *dpkit.Session, *dpkit.Session, []float64) (Coverage, error){s.ranks, s.matrix} {
		ages, err := columnOf(ctx, f, "age")
		if err != nil {
			return nil, err
		}
		c, err := of(ctx, demo, public, ages)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	c, err := s.unbounded(ctx)
	return append(out, c), err
}

// coverage compares with the same plan on public rows, which has no noise.
func (s Settings) coverage(ctx context.Context, kind string, plan, exactly dpkit.Plan[dpkit.Estimates]) (Coverage, error) {
	c := Coverage{Kind: kind, Plan: plan.String(), Level: CoverLevel}
	exact, err := exactly.Release(ctx)
	if err != nil {
		return c, err
	}
	p, err := plan.Error(CoverLevel)
	if err != nil {
		return c, err
	}
	draws, err := plan.Replicate(ctx, s.Demonstrations)
	for _, d := range draws {
		for i, v := range d.Values {
			c.count(math.Abs(v-exact.Value.Values[i]) <= p.Margin[i])
		}
	}
	return c.shared(), err
}

func (c *Coverage) count(within bool) {
	c.Numbers++
	if within {
		c.Within++
	}
}

func (c Coverage) shared() Coverage {
	c.Within = lab.Round(c.Within / float64(c.Numbers))
	return c
}

// ranks are those of the median's draws: how many rows the rank of the drawn value is off.
func (s Settings) ranks(ctx context.Context, demo, _ *dpkit.Session, values []float64) (Coverage, error) {
	plan := demo.Data().Quantile(dpkit.Target{Epsilon: 0.01, Delta: s.Delta}, 0.5, "age")
	c := Coverage{Kind: "quantile's rank", Plan: plan.String(), Level: CoverLevel, Bound: true}
	p, err := plan.Error(CoverLevel)
	if err != nil {
		return c, err
	}
	draws, err := plan.Replicate(ctx, s.Demonstrations)
	for _, d := range draws {
		below, upTo := 0.0, 0.0
		for _, v := range values {
			if v < d.Value {
				below++
			}
			if v <= d.Value {
				upTo++
			}
		}
		rank := 0.5 * float64(len(values))
		c.count(max(below-rank, rank-upTo, 0) <= p.Margin[0])
	}
	return c.shared(), err
}

// matrix is the second moment, whose margin is that of the diagonal.
func (s Settings) matrix(ctx context.Context, demo, public *dpkit.Session, _ []float64) (Coverage, error) {
	of := func(on *dpkit.Session) dpkit.Plan[dpkit.GramMatrix] {
		return on.Data().Select("age", "hours-per-week", "education-num").Scale().Gram(dpkit.Target{Epsilon: 1, Delta: s.Delta})
	}
	plan := of(demo)
	c := Coverage{Kind: "matrix", Plan: plan.String(), Level: CoverLevel}
	exact, err := of(public).Release(ctx)
	if err != nil {
		return c, err
	}
	p, err := plan.Error(CoverLevel)
	if err != nil {
		return c, err
	}
	draws, err := plan.Replicate(ctx, s.Demonstrations)
	d := len(exact.Value.Columns)
	for _, m := range draws {
		for i := range d {
			for j := range i + 1 {
				margin := p.Margin[0]
				if j < i {
					margin /= math.Sqrt2
				}
				c.count(math.Abs(m.Second[i*d+j]-exact.Value.Second[i*d+j]) <= margin)
			}
		}
	}
	return c.shared(), err
}

// unbounded is the mean of rows whose columns have no bounds, of normal laws, beside the mean of the rows.
func (s Settings) unbounded(ctx context.Context) (Coverage, error) {
	f, means, err := normalRows()
	if err != nil {
		return Coverage{}, err
	}
	demo, err := dpkit.Demo(f, s.Seed, dpkit.ReplaceOne)
	if err != nil {
		return Coverage{}, err
	}
	plan := demo.Data().UnboundedMean(dpkit.UnboundedMeans{Epsilon: 1, Delta: s.Delta})
	c := Coverage{Kind: "mean without bounds", Plan: plan.String(), Level: CoverLevel}
	p, err := plan.Error(CoverLevel)
	if err != nil {
		return c, err
	}
	draws, err := plan.Replicate(ctx, s.Demonstrations)
	for _, d := range draws {
		for i, v := range d.Values {
			c.count(math.Abs(v-means[i]) <= p.Margin[i])
		}
	}
	return c.shared(), err
}

// columnOf are the cells of a numeric column.
func columnOf(ctx context.Context, f *frames.Frame, name string) ([]float64, error) {
	at := slices.IndexFunc(f.Schema().Features(), func(c frames.Column) bool { return c.Name == name })
	if at < 0 {
		return nil, fmt.Errorf("no column %q", name)
	}
	rows, _, err := rowsOf(ctx, frames.Public(f))
	out := make([]float64, len(rows))
	for i, row := range rows {
		out[i] = row[at]
	}
	return out, err
}
