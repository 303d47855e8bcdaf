package pdp

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
)

// TestAllRowsAreAmongAnyone: a bound for all rows at once is never above one for everybody at once, nor below that for one record, for
// rows of any size and label, models near and far, few and many rows and columns, with statistics and without.
func TestAllRowsAreAmongAnyone(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	compared, equal := 0, 0
	for _, n := range []int{2, 50, 10_000, math.MaxInt32} {
		for _, k := range []int{1, 2, 8, 30} {
			for _, rho := range []float64{1e-6, 0.05, 0.5} {
				for _, size := range []float64{1e-3, 1, 30} { // of the model
					for _, with := range []bool{false, true} {
						r := Report{Theta: make([]float64, k), Radius: 1, Sigma: 3, Lambda: 2, Rows: n, Rho: rho, Output: 0.01, Worst: accountant.Budget{Epsilon: 1}}
						for j := range r.Theta {
							r.Theta[j] = size * rng.NormFloat64()
						}
						if with {
							r.Gradient = &NoisyVector{Value: make([]float64, k), Sigma: 2}
							r.Hessian = &NoisyVector{Value: make([]float64, k*(k+1)/2), Sigma: 5}
							for j := range r.Gradient.Value {
								r.Gradient.Value[j] = 3 * rng.NormFloat64()
							}
							for j := range r.Hessian.Value {
								r.Hessian.Value[j] = 5 * rng.NormFloat64()
							}
							r.Eigenvalue = &NoisyNumber{Value: 1, Sigma: 1}
						}
						t.Run(fmt.Sprintf("%d rows, %d columns, ρ = %g, size %g, %v", n, k, rho, size, with), func(t *testing.T) {
							var by [3]*Bounds
							for who := range by {
								b, err := r.Bounds(Who(who))
								if err != nil {
									t.Fatal(err)
								}
								by[who] = b
							}
							rows := [][]float64{make([]float64, k), make([]float64, k), make([]float64, k)}
							for j := range k {
								rows[0][j], rows[1][j] = rng.NormFloat64(), r.Theta[j]/size
							}
							rows[2][k-1] = 1e-6
							for _, x := range rows {
								for _, y := range []float64{-1, 1} {
									for name, of := range map[string]func(*Bounds) (View, error){
										"At":        func(b *Bounds) (View, error) { return b.At(x, y) },
										"Member":    func(b *Bounds) (View, error) { return b.Member(x, y) },
										"NonMember": func(b *Bounds) (View, error) { return b.NonMember(x, y) },
									} {
										var v [3]View
										for who, b := range by {
											var err error
											if v[who], err = of(b); err != nil {
												t.Fatal(err)
											}
										}
										all, any := v[ForAllRows], v[ForAnyone]
										const round = 1 + 1e-9
										if all.Model > any.Model*round || all.Report > any.Report*round || all.Both > any.Both*round {
											t.Errorf("%s: all rows %v, anyone %v", name, all, any)
										}
										compared++
										if math.Abs(all.Both-any.Both) <= 1e-9*any.Both {
											equal++
										}
									}
								}
							}
						})
					}
				}
			}
		}
	}
	if compared == 0 || equal == 0 || equal == compared {
		t.Errorf("of %d bounds %d are the same: want some, and not all", compared, equal)
	}
}
