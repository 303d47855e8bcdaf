package dpkit

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/remote"
)

// stepsRefusedElsewhere are all kinds of steps that rows that lie elsewhere are refused.
var stepsRefusedElsewhere = []string{
	"impute/median", "impute/ridge", "quantize/means", "quantize/ball", "encode/rank", "bin/quantile", "dedup/exact", "dedup/ball", "dedup/grid",
}

// TestStepsElsewhere: every kind of step runs on rows that lie elsewhere, or is refused before a job, with what to do.
func TestStepsElsewhere(t *testing.T) {
	ran, refused := 0, map[string]bool{}
	for name, e := range stepEntries() {
		schema := e.attacks[0].domain(1)
		f, err := framesOf(schema, 600)
		if err != nil {
			continue // of columns that no block has
		}
		c := Between(schema.Features()[0].Name, 0, 1)
		if label, ok := schema.Label(); ok && len(label.Levels) > 0 {
			c = Is(label.Name, label.Levels[0])
		} else if ok {
			c = Between(label.Name, label.Lo, label.Hi)
		}
		afar, _, jobs := sharded(t, f, []int{200, 450}, 1)
		_, err = e.attacks[0].chain(must(Demo(afar, 1, ReplaceOne)).Data(), 1).Count(Target{Epsilon: 1, Delta: 1e-6}, c).Release(t.Context())
		switch {
		case errors.Is(err, frames.ErrElsewhere):
			if refused[name] = true; *jobs > 0 || !strings.Contains(err.Error(), "open the shards in this process") {
				t.Errorf("%s: %d jobs, then %v", name, *jobs, err)
			}
		case err != nil:
			t.Logf("%s: no release: %v", name, err)
			continue
		default:
			ran++
		}
		if refused[name] != slices.Contains(stepsRefusedElsewhere, name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if len(refused) < len(stepsRefusedElsewhere)/2 || ran < 10 {
		t.Errorf("%d kinds ran, and refused are %v", ran, refused)
	}
}

// framesOf are rows of a schema.
func framesOf(s frames.Schema, n int) (*frames.Frame, error) {
	r := rand.New(rand.NewPCG(7, 7))
	cell := func(c frames.Column) float64 {
		switch {
		case len(c.Levels) > 0:
			return float64(r.IntN(len(c.Levels)))
		case c.NoBounds:
			return r.NormFloat64()
		}
		return c.Lo + (c.Hi-c.Lo)*r.Float64()
	}
	b := &frames.Block{Rows: n, Cols: s.Width()}
	label, labelled := s.Label()
	_, people := s.Person()
	for range n {
		for _, c := range s.Features() {
			b.X = append(b.X, cell(c))
		}
		if labelled {
			b.Y = append(b.Y, cell(label))
		}
		if people {
			b.Person = append(b.Person, frames.NewPersonID(fmt.Appendf(nil, "p%d", r.IntN(700))))
		}
	}
	return frames.FromBlock(s, b)
}

// TestFitsElsewhere: what is fitted by sums, counts and extremes of rows that lie elsewhere is that of one process.
func TestFitsElsewhere(t *testing.T) {
	schema := mustSchema(frames.Numeric("x", -2, 2), frames.Numeric("z", 0, 5).MayMiss(), frames.Category("town", "a", "b", "c"), frames.NumericLabel("y", 0, 1))
	f := must(framesOf(schema, 3000))
	target := Target{Epsilon: 1, Delta: 1e-6}
	afar, here, _ := sharded(t, f, []int{700, 701, 1900}, 2)
	for name, plan := range map[string]func(d Pipeline) Plan[Estimates]{
		"largest":     func(d Pipeline) Plan[Estimates] { return d.Select("x").MaxAbs(0.1).Mean(target) },
		"frequencies": func(d Pipeline) Plan[Estimates] { return d.FrequencyEncode("town").Select("town").Mean(target) },
		"targets": func(d Pipeline) Plan[Estimates] {
			return d.TargetEncode(TargetPrior{Value: 0.5, Weight: 300}, "town").Select("town").Mean(target)
		},
		"private means": func(d Pipeline) Plan[Estimates] {
			return d.Impute(PrivateMean{Share: 0.2}, "z").Select("x", "z").Mean(target)
		},
		"private standards": func(d Pipeline) Plan[Estimates] {
			return d.Select("x").Standardize(PrivateStandard{Floor: 0.1, Gain: 0.3, Share: 0.2}).Mean(target)
		},
		"standards": func(d Pipeline) Plan[Estimates] {
			return d.Select("x").Standardize(Standard{Floor: 0.1, Gain: 0.3}).Mean(target)
		},
		"private bounds": func(d Pipeline) Plan[Estimates] {
			return d.Select("x").Winsorize(PrivateBounds{Share: 0.2}, "x").Mean(target)
		},
	} {
		release := func(src frames.Source) string {
			r, err := plan(must(Demo(src, 3, ReplaceOne)).Data()).Release(t.Context())
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			return asJSON(r.Value)
		}
		// Sums with compensation differ by their order in about one of 10⁷ last bits.
		if got, want := release(afar), release(here); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// TestPeopleElsewhere: rows of people who have some in several shards are dealt to buckets, and what is released of them is that of one process:
// with places that blocks cut in two, keys that are found, and rows that are removed before and behind.
func TestPeopleElsewhere(t *testing.T) {
	t.Parallel()
	schema := mustSchema(frames.Person("id"), frames.Numeric("x", -2, 2), frames.Category("town", "a", "b", "c"), frames.NumericLabel("y", 0, 1))
	whole := must(framesOf(schema, 3000))
	for i, cuts := range [][]int{nil, {1400}, {1, 900, 2700}} {
		afar, here, _ := sharded(t, whole, cuts, uint64(i))
		target := Target{Epsilon: 1, Delta: 1e-6}
		bound := Contributing{Rows: 7}
		for name, plan := range map[string]func(d Pipeline) AnyPlan{
			"people": func(d Pipeline) AnyPlan { return d.Bound(bound).By("town").People().Count().Mean("x").Table(target) },
			"removed": func(d Pipeline) AnyPlan {
				return d.Where(Between("x", -1, 2)).Bound(bound).Where(Is("town", "a", "b")).By("town").Mean("x").Table(target)
			},
			"found": func(d Pipeline) AnyPlan {
				return d.Bound(bound).By("town").People().Found(target)
			},
			"one row": func(d Pipeline) AnyPlan {
				return d.PerPerson(CountRows{Max: 9}, MeanOf{Column: "x"}).Scale().Gram(target)
			},
			"components": func(d Pipeline) AnyPlan {
				return d.PerPerson(CountRows{Max: 9}, MeanOf{Column: "x"}).Scale().Standardize(Standard{Floor: 0.1, Gain: 0.2}).Mean(target)
			},
		} {
			release := func(src frames.Source) string {
				s := must(Demo(src, 3, ReplaceOne))
				r, err := must(Parse[any](s, plan(s.Data()).plan().String())).Release(t.Context())
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
				return asJSON(r.Value)
			}
			if got, want := release(afar), release(here); got != want {
				t.Errorf("%d cuts, %s: got %.300s, want %.300s", len(cuts), name, got, want)
			}
		}
	}
}

// TestPointsElsewhere: a job of a pass at a point that no pass of its release has is refused.
func TestPointsElsewhere(t *testing.T) {
	schema := mustSchema(frames.Numeric("x", -2, 2), frames.Label("y", "no", "yes"))
	afar, _, _ := sharded(t, must(framesOf(schema, 400)), nil, 1)
	kept := &keptJob{Reader: afar.Reader().(remote.Reader)}
	raw := must(frames.Opened(t.Context(), must(frames.Check(t.Context(), must(framesOf(schema, 400))))))
	src := must(frames.NewSharded(schema, [][]byte{raw}, kept))
	must(must(Demo(src, 1, ReplaceOne)).Data().Scale().FitLogistic(ByObjective{Epsilon: 1, Delta: 1e-6}).Release(t.Context()))
	point := len(kept.job.Before) - 1
	if point < 0 {
		t.Fatal("no point")
	}
	for name, raw := range map[string][]byte{
		"shorter": writeAnswers([][]float64{{0, 1}}), "another model": writeAnswers([][]float64{{1, 0, 0}}), "none": {}, "cut": kept.job.Before[point][:40],
	} {
		job := kept.job
		job.Before = append(slices.Clone(job.Before[:point]), raw)
		if _, err := remote.Prepare(t.Context(), job); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// keptJob keeps the latest job.
type keptJob struct {
	remote.Reader
	job remote.Job
}

func (k *keptJob) Pass(ctx context.Context, job remote.Job) ([]byte, error) {
	k.job = job
	return k.Reader.Pass(ctx, job)
}
