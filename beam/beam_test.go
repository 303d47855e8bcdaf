package beam

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/pgtest"
)

func TestMain(m *testing.M) {
	Quiet()
	switch {
	case os.Getenv(bootEnv) != "": // before the driver, whose environment it has
		os.Exit(bootAlone())
	case os.Getenv(driverEnv) != "":
		os.Exit(driveAlone(os.Getenv(driverEnv)))
	case os.Getenv(workerEnv) != "":
		os.Exit(workAlone(os.Getenv(workerEnv)))
	}
	pgtest.Main(m)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprint("test fixture: ", err))
	}
	return v
}

// classes and numbers are schemas of the same files, with a label of each kind.
func classes() frames.Schema {
	return must(frames.NewSchema(frames.Numeric("age", 0, 100), frames.Numeric("pay", -1, 1).MayMiss(), frames.Category("ward", "a", "b", "c"),
		frames.Ignored("stay"), frames.Label("back", "no", "yes")))
}

func numbers() frames.Schema {
	return must(frames.NewSchema(frames.Numeric("age", 0, 100), frames.Numeric("pay", -1, 1).MayMiss(), frames.Category("ward", "a", "b", "c"),
		frames.NumericLabel("stay", 0, 30), frames.Ignored("back")))
}

func options(runner string) Options {
	return Options{Runner: runner, CSV: frames.CSVOptions{Header: true}}
}

// asked is a plan, behind a chain.
type asked = func(d dpkit.Pipeline) fmt.Stringer

var target = dpkit.Target{Epsilon: 1, Delta: 1e-6}

// exact are releases whose states add exactly, of each kind that runs here, behind fits of each kind.
var exact = map[string]asked{
	"count":                  func(d dpkit.Pipeline) fmt.Stringer { return d.Where(dpkit.Between("age", 50, 100)).Count(target) },
	"sum":                    func(d dpkit.Pipeline) fmt.Stringer { return d.Impute(dpkit.Fixed{}, "pay").Sum(target, "pay") },
	"histogram":              func(d dpkit.Pipeline) fmt.Stringer { return d.Histogram("ward", target) },
	"quantile":               func(d dpkit.Pipeline) fmt.Stringer { return d.Quantile(dpkit.Target{Epsilon: 1}, 0.5, "age") },
	"means behind means":     func(d dpkit.Pipeline) fmt.Stringer { return d.OneHot().Impute(dpkit.Mean{}).Scale().Mean(target) },
	"means behind midpoints": func(d dpkit.Pipeline) fmt.Stringer { return scaled(d).Mean(target) },
	"means behind a test": func(d dpkit.Pipeline) fmt.Stringer {
		most := dpkit.Test(3000, dpkit.Tested{Share: 0.1, Delta: 1e-9})
		return d.Impute(dpkit.Mean{MaxMissing: most}, "pay").Select("pay").Mean(target)
	},
	"gram": func(d dpkit.Pipeline) fmt.Stringer { return scaled(d).Gram(target) },
	"classes by mixing": func(d dpkit.Pipeline) fmt.Stringer {
		return scaled(d).FitLogistic(dpkit.ByMixing{Epsilon: 1, Delta: 1e-6})
	},
	"table": func(d dpkit.Pipeline) fmt.Stringer { return d.By("ward", "back").Count().Mean("age").Table(target) },
	"together": func(d dpkit.Pipeline) fmt.Stringer {
		return dpkit.Together(target, d.Count(dpkit.Target{}, dpkit.Is("ward", "a")), d.Select("age").Mean(dpkit.Target{}))
	},
}

// numeric are those of a numeric label.
var numeric = map[string]asked{
	"adassp": func(d dpkit.Pipeline) fmt.Stringer { return scaled(d).FitLinear(dpkit.AdaSSP{Epsilon: 1, Delta: 1e-6}) },
	"mixing": func(d dpkit.Pipeline) fmt.Stringer {
		return scaled(d).FitLinear(dpkit.LinearMixing{Epsilon: 1, Delta: 1e-6})
	},
	"huber": func(d dpkit.Pipeline) fmt.Stringer {
		return scaled(d).FitHuber(dpkit.HuberLoss{}, dpkit.ByObjective{Epsilon: 1, Delta: 1e-6})
	},
	"sketch": func(d dpkit.Pipeline) fmt.Stringer {
		return scaled(d).GaussMix(dpkit.Sketching{Epsilon: 1, Delta: 1e-6, Rows: 50})
	},
}

// fitted are behind fits to sums of numbers, and minimisers by Newton's method.
var fitted = map[string]asked{
	"standards": func(d dpkit.Pipeline) fmt.Stringer {
		return d.Select("age", "pay").Impute(dpkit.Midpoint{}).Scale().Standardize(dpkit.Standard{Floor: 0.1, Gain: 0.2}).Mean(target)
	},
	"components": func(d dpkit.Pipeline) fmt.Stringer {
		return scaled(d).PCA(dpkit.SoftThreshold{Lambda: 0.1}).Mean(target)
	},
	"private PCA": func(d dpkit.Pipeline) fmt.Stringer {
		return scaled(d).PCA(dpkit.PrivateComponents{K: 2, Share: 0.2}).Mean(target)
	},
	"centred components": func(d dpkit.Pipeline) fmt.Stringer {
		return scaled(d).PCA(dpkit.SoftThreshold{Lambda: 0.1, Centered: true}).Mean(target)
	},
	"middles": func(d dpkit.Pipeline) fmt.Stringer { return scaled(d).Center().Mean(target) },
	"private standards": func(d dpkit.Pipeline) fmt.Stringer {
		return scaled(d).Standardize(dpkit.PrivateStandard{Floor: 0.1, Share: 0.2}).Mean(target)
	},
	"private means": func(d dpkit.Pipeline) fmt.Stringer {
		return d.OneHot().Impute(dpkit.PrivateMean{Share: 0.2}).Scale().Mean(target)
	},
	"classes by objective": func(d dpkit.Pipeline) fmt.Stringer {
		return scaled(d).FitLogistic(dpkit.ByObjective{Epsilon: 1, Delta: 1e-6})
	},
	"hinge": func(d dpkit.Pipeline) fmt.Stringer {
		return scaled(d).FitHinge(dpkit.HingeLoss{}, dpkit.ByObjective{Epsilon: 1, Delta: 1e-6})
	},
}

func scaled(d dpkit.Pipeline) dpkit.Pipeline { return d.OneHot().Impute(dpkit.Midpoint{}).Scale() }

// released is a demonstration of a plan.
func released(t *testing.T, src frames.Source, of asked) string {
	t.Helper()
	d := must(dpkit.Demo(src, 3, dpkit.ReplaceOne))
	r, err := must(dpkit.Parse[any](d, of(d.Data()).String())).Release(t.Context())
	if err != nil {
		t.Errorf("%v", err)
	}
	return string(must(json.Marshal(r.Value)))
}
