package unbounded

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// Methods of the study, in the order of its tables.
const (
	Adaptive   = "adaptive"
	Weak       = "weak contraction (0.7)"
	Naive      = "naive"
	Oracle     = "AdaSSP, clipped at the true bounds"
	Guessed    = "AdaSSP, bounds ten times too wide"
	NonPrivate = "least squares, not private"
)

// Methods lists them.
var Methods = []string{Adaptive, Weak, Naive, Oracle, Guessed, NonPrivate}

const delta = 1e-6

// Setting is a population and a target.
type Setting struct {
	Rows    int     `json:"rows"`
	Columns int     `json:"columns"`
	Kappa   float64 `json:"kappa"` // condition number of the features' covariance
	Epsilon float64 `json:"epsilon"`
}

// Point is a setting with the relative errors of every method, one for each run; none where the method refuses rows
// that are too few.
type Point struct {
	Setting
	Errors map[string][]float64 `json:"errors"`
}

// Quartiles returns the median and the quartiles of a method's errors; NaN where it has none.
func (p Point) Quartiles(method string) (lo, median, hi float64) {
	e := slices.Sorted(slices.Values(p.Errors[method]))
	if len(e) == 0 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	at := func(q float64) float64 { return e[int(math.Round(q*float64(len(e)-1)))] }
	return at(0.25), at(0.5), at(0.75)
}

// Three holds, for a number of rows, errors in the three settings of Milionis: relative ones of the coefficients in linear
// regression and in least squares with a bounded label, and the sine of the angle to the true hyperplane in binary
// regression.
type Three struct {
	Rows    int       `json:"rows"`
	Linear  []float64 `json:"linear"`
	Bounded []float64 `json:"bounded"`
	Binary  []float64 `json:"binary"`
}

// Credit is the fit of a card's bill from the month before, on the UCI data, at a target: R² on rows set aside.
type Credit struct {
	Epsilon  float64 `json:"epsilon"`
	Adaptive float64 `json:"adaptive"` // NaN is not stored: Refused says why there is none
	Guessed  float64 `json:"guessed"`
	Refused  string  `json:"refused,omitempty"`
}

// Results is what a run stores.
type Results struct {
	Seed       uint64             `json:"seed"`
	Runs       int                `json:"runs"`
	Delta      float64            `json:"delta"`
	Sweeps     map[string][]Point `json:"sweeps"` // by what varies: rows, columns, kappa, epsilon
	Three      []Three            `json:"three"`
	Credit     []Credit           `json:"credit,omitempty"`
	NonPrivate float64            `json:"credit_nonprivate,omitempty"` // R² of least squares on the credit rows
	CreditSHA  string             `json:"credit_sha256,omitempty"`
}

// Config says how much of the study to run.
type Config struct {
	Seed uint64
	Runs int
	Data string // folder of the real data; "" leaves it out
}

// Base is the setting around which one parameter at a time varies.
var Base = Setting{Rows: 100_000, Columns: 5, Kappa: 1e4, Epsilon: 1}

// Sweeps are the settings of the study.
func Sweeps() map[string][]Setting {
	out := map[string][]Setting{}
	for _, n := range []int{30_000, 100_000, 300_000} {
		s := Base
		s.Rows = n
		out["rows"] = append(out["rows"], s)
	}
	for _, d := range []int{1, 2, 5, 10, 20} {
		s := Base
		s.Columns = d
		out["columns"] = append(out["columns"], s)
	}
	for _, k := range []float64{1, 1e2, 1e4, 1e6, 1e8} {
		s := Base
		s.Kappa = k
		out["kappa"] = append(out["kappa"], s)
	}
	for _, e := range []float64{0.3, 1, 3, 10} {
		s := Base
		s.Epsilon = e
		out["epsilon"] = append(out["epsilon"], s)
	}
	return out
}

// Run makes the study.
func Run(ctx context.Context, c Config) (Results, error) {
	r := Results{Seed: c.Seed, Runs: c.Runs, Delta: delta, Sweeps: map[string][]Point{}}
	for name, settings := range Sweeps() {
		for _, s := range settings {
			p := Point{Setting: s, Errors: map[string][]float64{}}
			for run := range c.Runs {
				e, err := Once(ctx, s, c.Seed+uint64(run))
				if err != nil {
					return r, fmt.Errorf("unbounded study: %+v: %w", s, err)
				}
				for m, v := range e {
					p.Errors[m] = append(p.Errors[m], v)
				}
			}
			r.Sweeps[name] = append(r.Sweeps[name], p)
		}
	}
	for _, n := range []int{50_000, 100_000, 300_000} {
		t := Three{Rows: n}
		for run := range c.Runs {
			l, b, y, err := ThreeOnce(ctx, n, c.Seed+uint64(run))
			if err != nil {
				return r, fmt.Errorf("unbounded study: %d rows: %w", n, err)
			}
			t.Linear, t.Bounded, t.Binary = append(t.Linear, l), append(t.Bounded, b), append(t.Binary, y)
		}
		r.Three = append(r.Three, t)
	}
	if c.Data == "" {
		return r, nil
	}
	return r, r.credit(ctx, c)
}

//go:embed results.json
var stored []byte

// Stored returns the results of the full study.
func Stored() (r Results, err error) {
	return r, json.Unmarshal(stored, &r)
}
