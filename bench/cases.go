package main

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

// benchCase is something that people do with tables.
type benchCase struct {
	name    string
	share   float64                                                                              // of the rows that were asked for
	prepare func(dir string, rows int) error                                                     // writes the files that both sides read
	load    func(ctx context.Context, dir string, rows int) (func(context.Context) error, error) // what is not measured
	beside  []counterpart
}

// target is what every release of a case asks for.
func target() dpkit.Target { return dpkit.Target{Epsilon: 1, Delta: 1e-6} }

const numbers = "import numpy as np\nx = np.fromfile(folder + '/numbers', dtype='f8').reshape(rows, -1)\ny = (x[:, 0] > 0).astype(int)\n"

func cases() []benchCase {
	return slices.Concat(bandwidthCases(), tableCases(), coreCases(), memoryCases(), checkCases())
}

func tableCases() []benchCase {
	return []benchCase{
		{"csv", 1, writeCSV, loadCSV, []counterpart{
			{"pandas.read_csv", "pandas", "import pandas", "pandas.read_csv(folder + '/table.csv')"},
			{"pandas.read_csv with pyarrow", "pandas pyarrow", "import pandas", "pandas.read_csv(folder + '/table.csv', engine='pyarrow')"},
		}},
		{"stream", 1, writeCSV, loadStream, []counterpart{
			{"pandas.read_csv in chunks, means", "pandas", "import pandas", "sum(c.select_dtypes('number').sum() for c in pandas.read_csv(folder + '/table.csv', chunksize=100_000)) / rows"},
		}},
		{"fingerprint", 1, writeCSV, loadFingerprint, []counterpart{
			{"pandas.util.hash_pandas_object", "pandas", "import pandas\nd = pandas.read_csv(folder + '/table.csv')", "pandas.util.hash_pandas_object(d)"},
		}},
		{"gram", 1, writeNumbers, release(func(p dpkit.Pipeline) released { return value(p.Gram(target())) }), []counterpart{
			{"numpy x.T @ x", "numpy", numbers, "x.T @ x"},
		}},
		{"means", 1, writeNumbers, release(func(p dpkit.Pipeline) released { return value(p.Mean(target())) }), []counterpart{
			{"numpy x.mean(0)", "numpy", numbers, "x.mean(0)"},
		}},
		{"scaled means", 1, writeNumbers, release(func(p dpkit.Pipeline) released { return value(p.Scale().Mean(target())) }), []counterpart{
			{"numpy (x / 8).mean(0)", "numpy", numbers, "(x / 8).mean(0)"},
		}},
		{"quantile", 1, writeNumbers, release(func(p dpkit.Pipeline) released { return value(p.Quantile(target(), 0.5, "x1")) }), []counterpart{
			{"numpy.median", "numpy", numbers, "np.median(x[:, 0])"},
		}},
		{"small count", 0.03, writeNumbers, release(func(p dpkit.Pipeline) released { return value(p.Count(target(), dpkit.Between("x1", 0, 8))) }), []counterpart{
			{"numpy (x > 0).sum()", "numpy", numbers, "(x[:, 0] > 0).sum()"},
			{asCount, "numpy", numbers + diffprivlib, "count(x[:, 0] > 0, 1.0)"},
		}},
		{"logistic", 0.03, writeNumbers, release(func(p dpkit.Pipeline) released {
			return value(p.FitLogistic(dpkit.ByObjective{Epsilon: 1, Delta: 1e-6}))
		}), []counterpart{
			{"sklearn LogisticRegression", "sklearn", numbers + "from sklearn.linear_model import LogisticRegression", "LogisticRegression(C=1e-2).fit(x, y)"},
		}},
		{"ball", 0.1, writeNumbers, release(func(p dpkit.Pipeline) released {
			return value(p.Select(columns(10)...).Dedup(dpkit.Ball{Eta: 0.3, MaxCluster: 8}).Mean(target()))
		}), []counterpart{
			{"sklearn KDTree, all queries", "sklearn", numbers + "from sklearn.neighbors import KDTree\nz = np.ascontiguousarray(x[:, :10])", "KDTree(z).query_radius(z, 0.3, count_only=True)"},
		}},
		{"table", 1, writeVisits, loadVisits, []counterpart{
			{"pandas groupby.agg on text", "pandas", visits, "d.groupby('g').agg({'x': ['count', 'mean'], 'z': 'mean'})"},
			{"pandas groupby.agg on categories", "pandas", visits + "d['g'] = d['g'].astype('category')", "d.groupby('g', observed=True).agg({'x': ['count', 'mean'], 'z': 'mean'})"},
			{"pandas shuffle, 10 rows a person, groupby", "pandas", visits, "s = d.sample(frac=1)\ns[s.groupby('p').cumcount() < 10].groupby('g').agg({'x': ['count', 'mean'], 'z': 'mean'})"},
		}},
	}
}

// released is a plan of some value.
type released func(ctx context.Context) error

func value[V any](p dpkit.Plan[V]) released {
	return func(ctx context.Context) error {
		_, err := p.Release(ctx)
		return err
	}
}

// release loads the numbers and releases what plan makes of them.
func release(plan func(p dpkit.Pipeline) released) func(context.Context, string, int) (func(context.Context) error, error) {
	return func(ctx context.Context, dir string, rows int) (func(context.Context) error, error) {
		s, err := ofNumbers(ctx, dir, rows)
		if err != nil {
			return nil, err
		}
		return plan(s.Data()), nil
	}
}

// ofNumbers is a session on the numbers, which it loads.
func ofNumbers(ctx context.Context, dir string, rows int) (*dpkit.Session, error) {
	f, err := readNumbers(ctx, filepath.Join(dir, "numbers"), rows)
	if err != nil {
		return nil, err
	}
	return dpkit.Demo(f, 1, accountant.AddRemove)
}

func loadCSV(_ context.Context, dir string, _ int) (func(context.Context) error, error) {
	s, err := tableSchema()
	return func(context.Context) error {
		_, err := frames.ReadCSV(filepath.Join(dir, "table.csv"), s, frames.CSVOptions{Header: true})
		return err
	}, err
}

// loadStream opens a file and releases means of its scaled rows, none of which is held: the file is parsed twice, to be checked and to be summed.
func loadStream(_ context.Context, dir string, _ int) (func(context.Context) error, error) {
	s, err := tableSchema()
	return func(ctx context.Context) error {
		f, err := frames.OpenCSV(filepath.Join(dir, "table.csv"), s, frames.CSVOptions{Header: true})
		if err != nil {
			return err
		}
		session, err := dpkit.Demo(f, 1, accountant.AddRemove)
		if err != nil {
			return err
		}
		if err := session.Memory(32 << 20); err != nil {
			return err
		}
		return value(session.Data().Drop("c").Scale().Mean(target()))(ctx)
	}, err
}

func loadFingerprint(_ context.Context, dir string, _ int) (func(context.Context) error, error) {
	s, err := tableSchema()
	if err != nil {
		return nil, err
	}
	f, err := frames.ReadCSV(filepath.Join(dir, "table.csv"), s, frames.CSVOptions{Header: true})
	return func(ctx context.Context) error {
		_, err := frames.ContentOf(ctx, struct{ frames.Source }{f}) // which is not remembered, as a frame is
		return err
	}, err
}
