package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

// coreCases are releases of tables that lie in memory: what processors add to each is its gain.
func coreCases() []benchCase {
	linear := numbersAs("numbers", width, false, true, func(p dpkit.Pipeline) released {
		return value(p.FitLinear(dpkit.AdaSSP{Epsilon: 1, Delta: 1e-6}))
	})
	imputed := numbersAs("numbers", width, true, true, func(p dpkit.Pipeline) released {
		return value(p.Impute(dpkit.Mean{}).Scale().PCA(dpkit.SoftThreshold{Lambda: 0.01}).Gram(target()))
	})
	logistic := func(p dpkit.Pipeline) released {
		return value(p.Scale().FitLogistic(dpkit.ByGradient{Epsilon: 1, Delta: 1e-6, Steps: 20}))
	}
	const fit = "from sklearn.linear_model import LogisticRegression\n"
	return []benchCase{
		{"count", 1, writeNumbers, release(func(p dpkit.Pipeline) released { return value(p.Count(target(), dpkit.Between("x1", 0, 8))) }), []counterpart{
			{"numpy (x > 0).sum()", "numpy", numbers, "(x[:, 0] > 0).sum()"},
		}},
		{"filtered means", 1, writeNumbers, release(func(p dpkit.Pipeline) released { return value(p.Where(dpkit.Between("x1", 0, 8)).Mean(target())) }), []counterpart{
			{"numpy x[x > 0].mean(0)", "numpy", numbers, "x[x[:, 0] > 0].mean(0)"},
		}},
		{"exact dedup", 1, writeNumbers, release(func(p dpkit.Pipeline) released { return value(p.Dedup(dpkit.Exact{}).Mean(target())) }), []counterpart{
			{"pandas drop_duplicates, means", "pandas", "import pandas\n" + numbers + "d = pandas.DataFrame(x)", "d.drop_duplicates().mean()"},
		}},
		{"linear", 1, writeNumbers, linear, []counterpart{
			{"sklearn LinearRegression", "sklearn", numbers + "from sklearn.linear_model import LinearRegression", "LinearRegression().fit(x, y)"},
		}},
		{"impute-PCA", 1, writeNumbers, imputed, []counterpart{
			{
				"numpy fill, eigh of x.T @ x, x.T @ x", "numpy", numbers + "x[np.arange(x.size).reshape(x.shape) % 7 == 3] = np.nan\n",
				"z = np.where(np.isnan(x), np.nanmean(x, 0), x)\nw, v = np.linalg.eigh(z.T @ z)\nu = z @ v\nu.T @ u",
			},
		}},
		{"poisson steps", 1, writeNumbers, release(func(p dpkit.Pipeline) released {
			return value(p.Scale().FitLogistic(dpkit.ByGradient{Solver: dpkit.PoissonSampling{Rate: 0.02}, Epsilon: 1, Delta: 1e-6, Steps: 100}))
		}), nil},
		{"objective", 1, writeNumbers, release(func(p dpkit.Pipeline) released {
			return value(p.Scale().FitLogistic(dpkit.ByObjective{Epsilon: 1, Delta: 1e-6}))
		}), []counterpart{
			{"sklearn LogisticRegression", "sklearn", numbers + fit, "LogisticRegression(C=1e-2).fit(x, y)"},
		}},
		{"descent", 1, writeNumbers, release(logistic), []counterpart{
			{"sklearn LogisticRegression", "sklearn", numbers + fit, "LogisticRegression(C=1e-2).fit(x, y)"},
		}},
		{"wide descent", 0.1, writeWide, numbersAs("wide", 10*width, false, false, logistic), []counterpart{
			{"sklearn LogisticRegression", "sklearn", wide + fit, "LogisticRegression(C=1e-2).fit(x, y)"},
		}},
		{"small histogram", 0.03, writeAdult, adult(func(p dpkit.Pipeline) released { return value(p.Histogram("c3", target())) }), []counterpart{
			{"numpy bincount", "numpy", adults, "np.bincount(x[:, 3].astype(int), minlength=8)"},
			{"pandas value_counts", "pandas", adults + "d = d.copy()", "d['c3'].value_counts()"},
			{asHistogram, "numpy pandas", adults + diffprivlib, "histogram(x[:, 3], 1.0, 8, (0, 8))"},
		}},
		{"small mean", 0.03, writeAdult, adult(func(p dpkit.Pipeline) released { return value(p.Select("x1").Mean(target())) }), []counterpart{
			{"numpy clip, mean", "numpy", adults, "np.clip(x[:, 9], 0, 100).mean()"},
			{asMean, "numpy pandas", adults + diffprivlib, "mean(x[:, 9], 1.0, (0, 100))"},
		}},
		{"adult gradient", 0.03, writeAdult, adult(func(p dpkit.Pipeline) released {
			return value(p.OneHot().Scale().ClipNorm(1).FitLogistic(dpkit.ByGradient{Epsilon: 1, Delta: 1e-6}))
		}), adultFits},
		{"adult objective", 0.03, writeAdult, adult(func(p dpkit.Pipeline) released {
			return value(p.OneHot().Scale().ClipNorm(1).FitLogistic(dpkit.ByObjective{Epsilon: 1, Delta: 1e-6}))
		}), adultFits},
		{"streamed adult", 0.03, writeAdult, streamed(func(p dpkit.Pipeline) released {
			return value(p.OneHot().Scale().ClipNorm(1).FitLogistic(dpkit.ByGradient{Epsilon: 1, Delta: 1e-6}))
		}), adultFits},
	}
}

// numbersAs is a release of the numbers of a file of so many columns. The first is the label, too, or its sign; every seventh cell misses (and so some of each column) where some do.
func numbersAs(name string, d int, miss, numeric bool, plan func(p dpkit.Pipeline) released) func(context.Context, string, int) (func(context.Context) error, error) {
	return func(ctx context.Context, dir string, rows int) (func(context.Context) error, error) {
		var cols []frames.Column
		for _, name := range columns(d) {
			c := frames.Numeric(name, -8, 8)
			if miss {
				c = c.MayMiss()
			}
			cols = append(cols, c)
		}
		label := frames.Label("y", "no", "yes")
		if numeric {
			label = frames.NumericLabel("y", -8, 8)
		}
		s, err := frames.NewSchema(append(cols, label)...)
		if err != nil {
			return nil, err
		}
		at := 0
		return planned(ctx, &records{filepath.Join(dir, name), s, rows, 8 * d, func(b *frames.Block, record []byte) {
			y := number(record)
			switch {
			case numeric:
			case y > 0:
				y = 1
			default:
				y = 0
			}
			b.Y = append(b.Y, y)
			for j := range d {
				v := number(record[8*j:])
				if at%7 == 3 && miss {
					v = math.NaN()
				}
				b.X = append(b.X, v)
				at++
			}
		}}, plan)
	}
}

// planned collects the rows of a file and returns the release that plan makes of them.
func planned(ctx context.Context, src frames.Source, plan func(p dpkit.Pipeline) released) (func(context.Context) error, error) {
	return within(ctx, src, 0, plan)
}

// within is planned in so many bytes of working memory; 0: what a session takes.
func within(ctx context.Context, src frames.Source, bytes int, plan func(p dpkit.Pipeline) released) (func(context.Context) error, error) {
	f, err := frames.Collect(ctx, src)
	if err != nil {
		return nil, err
	}
	s, err := dpkit.Demo(f, 1, accountant.ReplaceOne)
	if err == nil && bytes > 0 {
		err = s.Memory(bytes)
	}
	if err != nil {
		return nil, err
	}
	return plan(s.Data()), nil
}

const wide = "import numpy as np\nx = np.fromfile(folder + '/wide', dtype='f8').reshape(rows, -1)\ny = (x[:, 0] > 0).astype(int)\n"

// writeWide writes ten times as many columns as the numbers have.
func writeWide(dir string, rows int) error {
	return write(dir, "wide", rows, func(w *bufio.Writer) error { return normals(w, rows*10*width) })
}

// normals writes standard normal numbers within [−8, 8].
func normals(w *bufio.Writer, n int) error {
	r := rand.New(rand.NewPCG(7, 8))
	var b [8]byte
	for range n {
		binary.LittleEndian.PutUint64(b[:], math.Float64bits(min(max(r.NormFloat64(), -8), 8)))
		w.Write(b[:]) // the writer keeps its error for Flush
	}
	return nil
}

const (
	categories = 8 // of the rows that are like those of Adult: of 2, 4, … levels
	measures   = 6 // numbers in [0, 100]
)

const adults = "import numpy as np, pandas\nx = np.fromfile(folder + '/adult', dtype='f8').reshape(rows, -1)\ny = (x[:, 8:].sum(1) > 300).astype(int)\n" +
	"d = pandas.DataFrame(x, columns=['c%d' % j for j in range(8)] + ['x%d' % j for j in range(6)])\n"

var adultFits = []counterpart{
	{
		"sklearn LogisticRegression, encoded before", "sklearn pandas", adults + "from sklearn.linear_model import LogisticRegression\nz = pandas.get_dummies(d, columns=['c%d' % j for j in range(8)]).to_numpy(float)\nz[:, :6] = z[:, :6] / 50 - 1\n",
		"LogisticRegression(C=1e-1, max_iter=1000).fit(z, y)",
	},
}

// writeAdult writes rows like those of Adult.
func writeAdult(dir string, rows int) error {
	return write(dir, "adult", rows, func(w *bufio.Writer) error {
		r := rand.New(rand.NewPCG(9, 10))
		var b [8]byte
		put := func(v float64) {
			binary.LittleEndian.PutUint64(b[:], math.Float64bits(v))
			w.Write(b[:])
		}
		for range rows {
			for j := range categories {
				put(float64(r.IntN(2 + 2*j)))
			}
			for range measures {
				put(100 * r.Float64())
			}
		}
		return nil
	})
}

// adult is a release of rows like those of Adult.
func adult(plan func(p dpkit.Pipeline) released) func(context.Context, string, int) (func(context.Context) error, error) {
	return adultWithin(0, plan)
}

// streamed is [adult] where rows are made anew in each pass: there is no memory for them.
func streamed(plan func(p dpkit.Pipeline) released) func(context.Context, string, int) (func(context.Context) error, error) {
	return adultWithin(1<<10, plan)
}

func adultWithin(bytes int, plan func(p dpkit.Pipeline) released) func(context.Context, string, int) (func(context.Context) error, error) {
	return func(ctx context.Context, dir string, rows int) (func(context.Context) error, error) {
		var cols []frames.Column
		for j := range categories {
			var levels []string
			for l := range 2 + 2*j {
				levels = append(levels, fmt.Sprint("l", l))
			}
			cols = append(cols, frames.Category(fmt.Sprint("c", j), levels...))
		}
		for j := range measures {
			cols = append(cols, frames.Numeric(fmt.Sprint("x", j), 0, 100))
		}
		s, err := frames.NewSchema(append(cols, frames.Label("y", "no", "yes"))...)
		if err != nil {
			return nil, err
		}
		return within(ctx, &records{filepath.Join(dir, "adult"), s, rows, 8 * (categories + measures), func(b *frames.Block, record []byte) {
			sum := 0.0
			for j := range categories + measures {
				v := number(record[8*j:])
				if b.X = append(b.X, v); j >= categories {
					sum += v
				}
			}
			y := 0.0
			if sum > 300 {
				y = 1
			}
			b.Y = append(b.Y, y)
		}}, bytes, plan)
	}
}
