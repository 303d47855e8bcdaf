package dpkit

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// zeroRows are n rows of d features and a label, all 0.
func zeroRows(t *testing.T, n, d int) *frames.Frame {
	t.Helper()
	var cols []frames.Column
	for j := range d {
		cols = append(cols, frames.Numeric(fmt.Sprintf("x%d", j), -1, 1))
	}
	s := must(frames.NewSchema(append(cols, frames.NumericLabel("y", -1, 1))...))
	return must(frames.FromBlock(s, &frames.Block{Rows: n, Cols: d, X: make([]float64, n*d), Y: make([]float64, n)}))
}

// TestLargeEpsilon: at the δ of the papers' experiments, and at far smaller ones, what is drawn is fine enough for a price at ε up
// to 32, where the total variation of the samplers counts e^32 = 8e13 times.
func TestLargeEpsilon(t *testing.T) {
	t.Parallel()
	for _, size := range []struct{ n, d int }{{200, 1}, {1000, 4}, {100_000, 4}, {8192, 100}} {
		p := must(Demo(zeroRows(t, size.n, size.d), 1, AddRemove)).Data().Scale()
		for _, delta := range []float64{min(1e-6, 0.01/float64(size.n)), 1e-10} {
			for _, epsilon := range []float64{16, 28, 32} {
				for name, of := range map[string]func() (Cost, error){
					"sketch": func() (Cost, error) { return p.GaussMix(Sketching{Epsilon: epsilon, Delta: delta}).Cost() },
					"sketch with an eigenvalue": func() (Cost, error) {
						return p.GaussMix(Sketching{Epsilon: epsilon, Delta: delta, ReleaseEigenvalue: true}).Cost()
					},
					"mixing": func() (Cost, error) { return p.FitLinear(LinearMixing{Epsilon: epsilon, Delta: delta}).Cost() },
					"coefficients": func() (Cost, error) {
						return p.FitLinear(LinearMixing{Epsilon: epsilon, Delta: delta, CoefficientsOnly: true}).Cost()
					},
					"adassp": func() (Cost, error) { return p.FitLinear(AdaSSP{Epsilon: epsilon, Delta: delta}).Cost() },
				} {
					c, err := of()
					if err != nil {
						t.Errorf("%s of %d × %d rows at (%g, %g): %v", name, size.n, size.d, epsilon, delta, err)
						continue
					}
					if g := c.Guarantee; !(g.Epsilon <= epsilon && g.Epsilon > 0.95*epsilon && g.Delta == delta) {
						t.Errorf("%s of %d × %d rows: got %v for (%g, %g)", name, size.n, size.d, g, epsilon, delta)
					}
				}
			}
		}
	}
}

// TestLedgerAtLargeEpsilon: a ledger with that budget takes such a release, whose samplers cost it less than it keeps for them.
func TestLedgerAtLargeEpsilon(t *testing.T) {
	t.Parallel()
	const epsilon, delta = 32, 1e-6
	for name, of := range map[string]func(p Pipeline) error{
		"sketch": func(p Pipeline) error {
			_, err := p.GaussMix(Sketching{Epsilon: epsilon, Delta: delta}).Release(t.Context())
			return err
		},
		"sketch with an eigenvalue": func(p Pipeline) error {
			_, err := p.GaussMix(Sketching{Epsilon: epsilon, Delta: delta, ReleaseEigenvalue: true}).Release(t.Context())
			return err
		},
		"mixing": func(p Pipeline) error {
			_, err := p.FitLinear(LinearMixing{Epsilon: epsilon, Delta: delta}).Release(t.Context())
			return err
		},
		"coefficients": func(p Pipeline) error {
			_, err := p.FitLinear(LinearMixing{Epsilon: epsilon, Delta: delta, CoefficientsOnly: true}).Release(t.Context())
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := must(Create(zeroRows(t, 5000, 3), Options{
				Ledger: filepath.Join(t.TempDir(), "l"), Budget: Budget{Epsilon: 40, Delta: 3 * delta}, Reserve: 1.5 * delta, Neighbours: AddRemove, Dataset: name,
			}))
			defer s.Close()
			if err := of(s.Data().Scale()); err != nil {
				t.Error(err)
			}
		})
	}
}
