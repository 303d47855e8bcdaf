package beam

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"

	"github.com/dpkit-go/dpnb/accountant/ledger"
	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

// quiet drops what Beam logs.
type quiet struct{}

func (quiet) Log(context.Context, log.Severity, int, string) {}

func TestMain(m *testing.M) {
	log.SetLogger(quiet{})
	if task := os.Getenv(workerEnv); task != "" {
		os.Exit(workAlone(task))
	}
	os.Exit(m.Run())
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprint("test fixture: ", err))
	}
	return v
}

func testSchema() frames.Schema {
	return must(frames.NewSchema(
		frames.Numeric("age", 0, 100),
		frames.Numeric("pay", -1, 1).MayMiss(),
		frames.Category("ward", "a", "b", "c"),
		frames.Numeric("stay", 0, 30),
		frames.Label("back", "no", "yes"),
	))
}

// writeShards writes rows into so many files of different sizes.
func writeShards(t testing.TB, rows, files int) (pattern string) {
	t.Helper()
	folder := t.TempDir()
	r := rand.New(rand.NewPCG(1, 2))
	texts := make([]strings.Builder, files)
	for i := range texts {
		texts[i].WriteString("age,pay,ward,stay,back\n")
	}
	for i := range rows {
		pay := fmt.Sprint(2*r.Float64() - 1)
		if r.IntN(5) == 0 {
			pay = "NA"
		}
		age := 100 * r.Float64()
		back := "no"
		if age*r.Float64() > 40 {
			back = "yes"
		}
		at := min(int(float64(files)*float64(i*i)/float64(rows*rows)), files-1) // later shards are larger
		fmt.Fprintf(&texts[files-1-at], "%v,%s,%c,%v,%s\n", age, pay, 'a'+rune(r.IntN(3)), age/10*r.Float64(), back)
	}
	for i := range texts {
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("part-%02d.csv", i)), []byte(texts[i].String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(folder, "part-*.csv")
}

// here are the same shards behind one another in this process.
func here(t testing.TB, pattern string) frames.Source {
	t.Helper()
	var all []frames.Source
	for _, path := range must(frames.Shards(pattern)) {
		all = append(all, must(frames.OpenCSV(path, testSchema(), frames.CSVOptions{Header: true})))
	}
	return must(frames.Concat(all...))
}

func options(runner string) Options {
	return Options{Runner: runner, CSV: frames.CSVOptions{Header: true}}
}

// plans are releases of each kind that runs here, behind fits of each kind, as they print.
var plans = map[string]string{
	"count":                    `Where(Between("age", 50, 100)).Count(ε = 1, δ = 1e-06)`,
	"sum":                      `Impute(Fixed{}, "pay").Sum(ε = 1, δ = 1e-06, Columns = ["pay"])`,
	"histogram":                `Histogram("ward", ε = 1, δ = 1e-06)`,
	"quantile":                 `Quantile(ε = 1, Q = 0.5, Column = "stay")`,
	"means behind means":       `OneHot().Impute(Mean{}).Scale().Mean(ε = 1, δ = 1e-06)`,
	"means behind medians":     `Impute(Median{}, "pay").Select("age", "pay").Mean(ε = 1, δ = 1e-06)`,
	"means behind standards":   `Select("age", "pay").Impute(Midpoint{}).Scale().Standardize(Standard{Floor: 0.1, Gain: 0.2}).Mean(ε = 1, δ = 1e-06)`,
	"means behind a ridge":     `OneHot().Scale().Impute(Ridge{Lambda: 0.5}, "pay").Mean(ε = 1, δ = 1e-06)`,
	"means behind components":  `OneHot().Impute(Midpoint{}).Scale().PCA(SoftThreshold{Lambda: 0.1}).Mean(ε = 1, δ = 1e-06)`,
	"means behind private PCA": `OneHot().Impute(Midpoint{}).Scale().PCA(PrivateComponents{K: 2, Share: 0.2}).Mean(ε = 1, δ = 1e-06)`,
	"means behind a test":      `Impute(Mean{MaxMissing: Test(3000, Tested{Share: 0.1, Delta: 1e-9})}, "pay").Select("pay").Mean(ε = 1, δ = 1e-06)`,
	"gram":                     `OneHot().Impute(Midpoint{}).Scale().Gram(ε = 1, δ = 1e-06)`,
	"adassp":                   `OneHot().Impute(Midpoint{}).Scale().FitLinear(AdaSSP{Epsilon: 1, Delta: 1e-06})`,
	"mixing":                   `OneHot().Impute(Mean{}).Scale().FitLinear(LinearMixing{Epsilon: 1, Delta: 1e-06})`,
	"classes by mixing":        `OneHot().Impute(Midpoint{}).Scale().FitLogistic(ByMixing{Epsilon: 1, Delta: 1e-06})`,
	"table":                    `Table(By = ["ward", "back"], Of = [{Of: "count"}, {Of: "mean", Column: "stay"}], ε = 1, δ = 1e-06)`,
}

// plan is a plan of a session, by its text.
func plan(s *dpkit.Session, text string) (dpkit.Plan[any], error) { return dpkit.Parse[any](s, text) }

// released is a demonstration of a plan.
func released(t *testing.T, src frames.Source, text string) string {
	t.Helper()
	p, err := plan(must(dpkit.Demo(src, 3, dpkit.ReplaceOne)), text)
	if err != nil {
		t.Errorf("%s: %v", text, err)
		return ""
	}
	r, err := p.Release(t.Context())
	if err != nil {
		t.Errorf("%s: %v", text, err)
	}
	return string(must(json.Marshal(r.Value)))
}

// TestBits: a release has the bits that it has in one process, on every runner.
func TestBits(t *testing.T) {
	ctx := t.Context()
	for _, files := range []int{1, 4} {
		pattern := writeShards(t, 6000, files)
		one := here(t, pattern)
		for _, runner := range []string{"direct", "prism"} {
			shards, err := Open(ctx, pattern, testSchema(), options(runner))
			if err != nil {
				t.Fatal(err)
			}
			for name, text := range plans {
				if want, got := released(t, one, text), released(t, shards, text); got != want {
					t.Errorf("%d files, %s, %s: got %s, want %s", files, runner, name, got, want)
				}
			}
		}
	}
}

var _ = errors.Is
var _ = ledger.Forget
