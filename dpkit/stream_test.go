package dpkit

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// csvOf writes the rows of a frame to a file.
func csvOf(t testing.TB, f *frames.Frame) string {
	t.Helper()
	var b strings.Builder
	for i := range f.Rows() {
		b.WriteString(strings.Join(frames.Public(f).Row(i), ",") + "\n")
	}
	path := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func openRows(t testing.TB, path string) *frames.File {
	t.Helper()
	return must(frames.OpenCSV(path, tinySchema(t), frames.CSVOptions{}))
}

// streamed are chains with every kind of step of this file's interest.
var streamed = []struct {
	name  string
	build func(Pipeline) Pipeline
}{
	{"nothing", func(p Pipeline) Pipeline { return p }},
	{"public steps", func(p Pipeline) Pipeline {
		return p.ClipColumns(0, 3, "pay").Quantize(0.5, "age").OneHot().Indicate().Impute(Midpoint{}).Scale().ClipNorm(0.8)
	}},
	{"means", func(p Pipeline) Pipeline { return p.OneHot().Impute(Mean{}).Scale() }},
	{"trimmed means, then means", func(p Pipeline) Pipeline {
		return p.Impute(TrimmedMean{Trim: 0.1, Pad: 10}, "pay").OneHot().Impute(Mean{Pad: 100}).Scale()
	}},
	{"filter", func(p Pipeline) Pipeline {
		return p.OneHot().Impute(Mean{}).Scale().PCA(SoftThreshold{Lambda: 0.05}).PCA(Tikhonov{Lambda: 0.1})
	}},
	{"duplicates", func(p Pipeline) Pipeline { return p.Quantize(20, "age").Dedup(Exact{}).OneHot().Impute(Mean{}).Scale() }},
	{"scales", func(p Pipeline) Pipeline {
		return p.OneHot().Impute(Midpoint{}).Scale().Winsorize(SmoothedQuantile{Q: 0.1, Window: 0.1}, "age", "pay").Center()
	}},
	{"a step of the caller's own", func(p Pipeline) Pipeline { return p.OneHot().With(struct{ scratch }{}).Impute(Mean{}).Scale() }},
}

// scratch, in an unnamed type that is not of this package, is a step of the caller's own whose map
// uses memory that its calls share.
type scratch struct{ steps.MidpointImpute }

func (scratch) String() string { return "scratch" }

func (scratch) Check(in frames.Schema) (frames.Schema, error) { return in, nil }

func (scratch) Propagate(st stage.Stage) (stage.Propagation, error) {
	return stage.Columnwise(st, stage.Bounds{K: 1, R: st.Before.R}, "a copy")
}

func (scratch) Deploy(stage.Stage) (stage.RowMap, error) { return stage.RowMap{}, nil }

func (scratch) Fit(_ context.Context, _ frames.Source, st stage.Stage) (stage.Transform, error) {
	held := make([]float64, len(st.In.Features()))
	return stage.ByRow(func(dst, src []float64) {
		copy(held, src)
		copy(dst, held)
	}), nil
}

// TestStreamedRowsAreTheRows: the rows at the end of a chain have the same bits in memory and
// streamed, from a frame and from a file, for any number of workers.
func TestStreamedRowsAreTheRows(t *testing.T) {
	t.Parallel()
	f := tinyFrame(t, 5000, 3)
	file := openRows(t, csvOf(t, f))
	for _, c := range streamed {
		t.Run(c.name, func(t *testing.T) {
			var want *rows.Matrix
			for _, src := range []frames.Source{f, file, f.Blocks(333), must(frames.Concat(file))} {
				for _, held := range []int{0, 5000 * 5, 1} {
					for _, procs := range []int{1, 3} {
						old := runtime.GOMAXPROCS(procs)
						s := must(Demo(src, 1, ReplaceOne))
						stages, end, err := c.build(s.Data()).trace()
						if err != nil {
							t.Fatal(err)
						}
						q := quote{stages: stages, end: end, held: held}
						fitted, err := q.apply(t.Context(), src, nil)
						if err != nil {
							t.Fatal(err)
						}
						out := fitted.rows
						_, lazy := out.(*rows.Mapped)
						if lazy != (held == 1) && held != 5000*5 {
							t.Errorf("%T, at most %d cells: the result is a %T", src, held, out)
						}
						got := must(rows.Materialise(t.Context(), out, end.In, rows.SameRow))
						if want == nil {
							want = got
						}
						if !sameBits(got.X, want.X) || !slices.Equal(got.Y, want.Y) {
							t.Errorf("%T, at most %d cells, %d workers: other rows", src, held, procs)
						}
						runtime.GOMAXPROCS(old)
					}
				}
			}
		})
	}
}

func sameBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return x == y || x != x && y != y })
}

// TestStreamedReleases are those in memory.
func TestStreamedReleases(t *testing.T) {
	ctx := t.Context()
	f := tinyFrame(t, 3000, 4)
	file := openRows(t, csvOf(t, f))
	target := Target{Epsilon: 1, Delta: 1e-6}
	var means, counts []float64
	var model, plain LogisticModel
	for _, src := range []frames.Source{f, file} {
		for _, held := range []int{0, 1} {
			s := must(Demo(src, 1, ReplaceOne))
			if held > 0 {
				must(0, s.Memory(16*held))
			}
			p := s.Data().OneHot().Impute(TrimmedMean{Trim: 0.2}, "pay").Impute(Mean{}).Scale()
			m := must(p.Mean(target).Release(ctx)).Value.Values
			h := must(s.Data().Histogram("work", target).Release(ctx)).Value.Values
			raw := must(s.Data().Select("age").FitLogistic(ByGradient{Epsilon: 1, Delta: 1e-6, Steps: 10}).Release(ctx)).Value
			l := must(p.FitLogistic(ByGradient{Epsilon: 1, Delta: 1e-6, Steps: 12}).Release(ctx)).Value
			if means == nil {
				means, counts, model, plain = m, h, l, raw
				continue
			}
			if !slices.Equal(m, means) || !slices.Equal(h, counts) || !slices.Equal(l.Coef, model.Coef) || l.Intercept != model.Intercept || !slices.Equal(raw.Coef, plain.Coef) {
				t.Errorf("%T, at most %d cells: another release", src, held)
			}
		}
	}
}

// TestStreamedFitOnRawRows: a fit without any step before it streams, too.
func TestStreamedFitOnRawRows(t *testing.T) {
	schema := must(frames.NewSchema(frames.Numeric("x", -1, 1), frames.Label("y", "no", "yes")))
	var b frames.Block
	for i := range 3000 {
		b.X, b.Y = append(b.X, float64(i%7)/7), append(b.Y, float64(i%7/4))
	}
	b.Rows, b.Cols = len(b.X), 1
	f := must(frames.FromBlock(schema, &b))
	fit := func(held int) []float64 {
		s := demo(t, f)
		must(0, s.Memory(16*held))
		return must(s.Data().FitLogistic(ByGradient{Epsilon: 1, Delta: 1e-6}).Release(t.Context())).Value.Coef
	}
	if a, b := fit(1<<20), fit(1); !slices.Equal(a, b) {
		t.Errorf("in memory %v, streamed %v", a, b)
	}
	if err := demo(t, f).Memory(0); !errors.Is(err, ErrParameter) {
		t.Errorf("0 bytes: got %v, want ErrParameter", err)
	}
}

// TestFrameAndFileReplay: one release over rows in memory and over their file is paid for once.
func TestFrameAndFileReplay(t *testing.T) {
	ctx := t.Context()
	f := tinyFrame(t, 200, 5)
	file := openRows(t, csvOf(t, f))
	path := ledgerPath(t)
	for i, src := range []frames.Source{f, file, must(frames.Concat(file)), f.Blocks(7)} {
		s := must(Create(src, Options{Ledger: path, Budget: Budget{Epsilon: 3, Delta: 1e-5}, Neighbours: ReplaceOne, Dataset: "test"}))
		r, err := standard(s, ByGradient{Epsilon: 1, Delta: 1e-6}).Release(ctx)
		if err != nil || r.Replayed != (i > 0) {
			t.Errorf("%T: %v, replayed %v", src, err, r.Replayed)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestChangedFile: a file that is no longer the one that was charged for gives no release.
func TestChangedFile(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	f := tinyFrame(t, 2500, 6)
	text := string(must(os.ReadFile(csvOf(t, f))))
	for name, changed := range map[string]string{
		"another cell": strings.Replace(text, "low", "high", 1),
		"more rows":    text + text,
		"fewer rows":   text[:strings.LastIndex(text[:len(text)-1], "\n")+1],
		"no table":     "x",
	} {
		for _, held := range []int{0, 1} {
			for _, build := range []func(*Session) error{
				func(s *Session) error {
					_, err := standard(s, ByGradient{Epsilon: 1, Delta: 1e-6}).Release(ctx)
					return err
				},
				func(s *Session) error {
					_, err := s.Data().Histogram("work", Target{Epsilon: 1, Delta: 1e-6}).Release(ctx)
					return err
				},
				func(s *Session) error {
					_, err := s.Data().Impute(TrimmedMean{Trim: 0.1}, "pay").Select("age", "pay").Mean(Target{Epsilon: 1, Delta: 1e-6}).Release(ctx)
					return err
				},
			} {
				path := csvOf(t, f)
				s := must(Create(openRows(t, path), Options{Ledger: ledgerPath(t), Budget: Budget{Epsilon: 3, Delta: 1e-5}, Neighbours: ReplaceOne, Dataset: "test"}))
				if held > 0 {
					must(0, s.Memory(16*held))
				}
				if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
					t.Fatal(err)
				}
				if err := build(s); !errors.Is(err, frames.ErrChanged) {
					t.Errorf("%s, at most %d cells: got %v, want ErrChanged", name, held, err)
				}
				if st := must(s.Status()); len(st.Interrupted) != 1 {
					t.Errorf("%s: the ledger holds %+v, want one interrupted release", name, st)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// TestReleaseStops: a release ends between blocks when its context does.
func TestReleaseStops(t *testing.T) {
	t.Parallel()
	f := tinyFrame(t, 20000, 7)
	file := openRows(t, csvOf(t, f))
	for _, c := range streamed {
		for _, src := range []frames.Source{f, file} {
			for _, held := range []int{0, 1} {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				s := must(Demo(src, 1, ReplaceOne))
				stages, end, err := c.build(s.Data()).trace()
				if err != nil {
					t.Fatal(err)
				}
				blocks := 0
				q := quote{stages: stages, end: end, held: held}
				fitted, err := q.apply(ctx, src, nil)
				if err == nil {
					err = fitted.rows.Scan(ctx, func(*frames.Block) error { blocks++; cancel(); return nil })
				}
				if !errors.Is(err, context.Canceled) || blocks != 1 {
					t.Errorf("%s, %T, at most %d cells: got %v behind %d blocks", c.name, src, held, err, blocks)
				}
				if _, err := q.apply(ctx, src, nil); len(stages) > 0 && held == 0 && !errors.Is(err, context.Canceled) {
					t.Errorf("%s, %T: a chain under a context that has ended: got %v", c.name, src, err)
				}
			}
		}
	}
}

// TestSessionsRefuseUncheckedRows: every bound needs rows that were held to their schema.
func TestSessionsRefuseUncheckedRows(t *testing.T) {
	f := tinyFrame(t, 10, 8)
	var none *frames.Frame
	for name, src := range map[string]frames.Source{
		"the caller's own":        struct{ frames.Source }{f},
		"the caller's own inside": must(frames.Concat(f, struct{ frames.Source }{f})),
		"nothing":                 nil,
		"no frame":                none,
	} {
		if _, err := Demo(src, 1, ReplaceOne); !errors.Is(err, ErrParameter) {
			t.Errorf("%s: got %v, want ErrParameter", name, err)
		}
	}
}
