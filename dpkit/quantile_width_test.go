package dpkit

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// displacedLine is a stage of n rows in [0, 1], of which m are displaced by tau in all.
func displacedLine(t *testing.T, rel accountant.Neighbours, n, m int, tau float64) (frames.Schema, stage.Stage) {
	t.Helper()
	s := must(frames.NewSchema(frames.Numeric("x", 0, 1), frames.Label("y", "no", "yes")))
	p := must(pair.Start(n, 1, rel))
	p.M, p.T1, p.TF, p.TInf = m, tau, tau, tau
	return s, stage.Stage{In: s, Out: s, Before: p, After: p, Taint: stage.Taint{"x": true}}
}

// TestQuantileWithinAWidth: the error of a candidate, by hand, and that it is never above that of ranks.
func TestQuantileWithinAWidth(t *testing.T) {
	const n = 4
	s, st := displacedLine(t, ReplaceOne, n, n-1, 0.9) // of so few rows any is as good: the width is the range
	candidates := []float64{0, 0.25, 0.5, 1}
	mech := sums.Quantile{Target: Target{Epsilon: 1}, Q: 0.5, Column: "x", Candidates: candidates}
	f := frameOf(t, s, [][]float64{{0, 0}, {0.5, 0}, {0.5, 0}, {1, 0}})
	soft := must(mech.Calibrate(st))
	got := must(soft.Penalties(t.Context(), rows.InProcess{In: f}))
	// With w = 1 rows add c − x where they are below c, and 1 + c − x where they are not.
	for i, c := range candidates {
		l, u := 0.0, 0.0
		for _, x := range []float64{0, 0.5, 0.5, 1} {
			l, u = l+min(max(c-x, 0), 1), u+min(max(1+c-x, 0), 1)
		}
		if want := max(l-2, 2-u, 0); float64(got[i])/sums.RankUnit != want {
			t.Errorf("candidate %g: error %g, want %g", c, float64(got[i])/sums.RankUnit, want)
		}
	}
	st.Before.M, st.Before.T1, st.Before.TF, st.Before.TInf, st.Taint = 0, 0, 0, 0, nil
	hard := must(must(mech.Calibrate(st)).Penalties(t.Context(), rows.InProcess{In: f}))
	for i := range hard {
		if got[i] > hard[i] {
			t.Errorf("candidate %g: error %d within a width, %d by ranks", candidates[i], got[i], hard[i])
		}
	}
}

// TestQuantileOfNextToNoDisplacement: rows that move next to nothing ask for no finer grid than clean ones.
func TestQuantileOfNextToNoDisplacement(t *testing.T) {
	for _, tau := range []float64{5e-324, 1e-300, 1e-15, 1e-3, 1} {
		s, st := displacedLine(t, AddRemove, 1000, 999, tau)
		p := must(sums.Quantile{Target: Target{Epsilon: 1}, Q: 0.5, Column: "x"}.Calibrate(st))
		f := frameOf(t, s, [][]float64{{0, 0}, {0.5, 0}, {1, 0}})
		if n := len(must(p.Penalties(t.Context(), rows.InProcess{In: f}))); n < 1025 || n > 65537 {
			t.Errorf("τ = %g: %d candidates", tau, n)
		}
	}
}

// TestAttackQuantileWithinAWidth searches structured neighbours, rows displaced together and a free row with them, for one on which
// the law of the released candidate breaks the price: the log ratios of all candidates span 2ηΔ at most.
func TestAttackQuantileWithinAWidth(t *testing.T) {
	t.Parallel()
	const n = 240
	grid := make([]float64, 1024)
	for i := range grid {
		grid[i] = (float64(i) + 0.5) / 1024
	}
	for _, rel := range []accountant.Neighbours{ReplaceOne, AddRemove} {
		for _, q := range []float64{0.5, 0.1, 0.97} {
			for _, m := range []int{1, 7, n - 1} {
				for _, tau := range []float64{1e-9, 0.01, 0.3, 2} {
					t.Run(fmt.Sprintf("%v, q = %g, %d rows by %g", rel, q, m, tau), func(t *testing.T) {
						s, st := displacedLine(t, rel, n, m, tau)
						worst := 0.0
						grid := grid // of 1024 cells; that of 65536, where nothing else is given, once for every q and every m
						if q == 0.5 && m == 7 || q == 0.1 && m == 1 || q == 0.97 && m == n-1 {
							grid = nil
						}
						for _, candidates := range [][]float64{grid, {0.1, 0.4, 0.8, 1}, {0.49, 0.51}, {math.Nextafter(0.5, 0), 0.5, math.Nextafter(0.5, 1)}} {
							mech := sums.Quantile{Target: Target{Epsilon: 1}, Q: q, Column: "x", Candidates: candidates}
							p := must(mech.Calibrate(st))
							for _, at := range []float64{0, 0.25, 0.4, 0.5, math.Nextafter(0.5, 1), 0.8, 1} { // where displaced rows are
								for _, rest := range []float64{0, 0.5, 1} {
									// Pairs share tables: of each the penalties are computed once.
									type table struct {
										moved, free float64
										away        bool
									}
									kept := map[table][]uint64{}
									penalties := func(of table) []uint64 {
										if of.away {
											of.free = rest
										}
										if got := kept[of]; got != nil {
											return got
										}
										x := make([][]float64, n)
										for i := range n {
											if x[i] = []float64{rest, 0}; i > 0 && i <= m {
												x[i][0] = of.moved
											}
										}
										x[0][0] = of.free
										kept[of] = penaltiesOf(t, p.Penalties, s, x, of.away)
										return kept[of]
									}
									for _, free := range [][2]float64{{0, 1}, {1, 0}, {at, rest}} {
										for _, way := range []float64{1, -1} {
											a := penalties(table{moved: at, free: free[0]})
											b := penalties(table{moved: min(max(at+way*tau/float64(m), 0), 1), free: free[1], away: rel == AddRemove})
											lo, hi := math.Inf(1), math.Inf(-1)
											for k := range a {
												d := (float64(a[k]) - float64(b[k])) / sums.RankUnit * p.Eta()
												lo, hi = min(lo, d), max(hi, d)
											}
											worst = max(worst, (hi-lo)/p.Event.Epsilon)
										}
									}
								}
							}
						}
						t.Logf("worst observed/bound %.4f", worst)
						if !(worst <= 1) || worst < 0.3 {
							t.Errorf("observed/bound is %v, want in [0.3, 1]", worst)
						}
					})
				}
			}
		}
	}
}

func penaltiesOf(t *testing.T, of func(context.Context, rows.Driver) ([]uint64, error), s frames.Schema, table [][]float64, away bool) []uint64 {
	t.Helper()
	m := must(rows.Materialise(t.Context(), frameOf(t, s, table), s, rows.SameRow))
	if away {
		m.Empty = make([]bool, len(table))
		m.Empty[0] = true
	}
	return must(of(t.Context(), rows.InProcess{In: m}))
}

// TestQuantileBehindAFit: behind an imputation that displaces the column a quantile is near the exact one, of a value within the width
// and a rank within the margin; the price says what the displacement cost.
func TestQuantileBehindAFit(t *testing.T) {
	f := tinyFrame(t, 20_000, 5)
	for _, rel := range []accountant.Neighbours{ReplaceOne, AddRemove} {
		for _, target := range []Target{{Epsilon: 1}, {Epsilon: 1, Delta: 1e-6}} {
			for _, q := range []float64{0.1, 0.5, 0.9} {
				t.Run(fmt.Sprintf("%v, %v, q = %g", rel, target, q), func(t *testing.T) {
					chain := func(p Pipeline) Plan[QuantileEstimate] { return p.Impute(Mean{}, "pay").Quantile(target, q, "pay") }
					plan := chain(must(Demo(f, 1, rel)).Data())
					c := must(plan.Cost())
					if g := c.Guarantee.Epsilon; !(g <= 1 && g > 0.999) || !(c.Release.Uncounted < 0.5*g) || !(c.Release.Nominal > 2*g) {
						t.Errorf("ε = %g, %g without the displacement, %g with it unpaid", g, c.Release.Uncounted, c.Release.Nominal)
					}
					if tau := c.Tau(); !(c.SRDP(2, tau) > 0) || math.IsInf(c.Displaced(2, tau), 1) || c.Curves().Why != "" {
						t.Errorf("no smooth curve: %v", c.Curves())
					}
					got := must(plan.Release(t.Context())).Value
					if !(got.Width > 0) || !(got.Lo <= got.Value && got.Value <= got.Hi) || !(got.Hi-got.Lo <= 2*got.Width*(1+1e-12)) {
						t.Errorf("%v, want numbers at most %g below and above", got, got.Width)
					}
					m := must(got.RankMargin(1 - 1e-12))
					below, upTo, n := around(t, f, "pay", got.Value, got.Width)
					if q*n > upTo+m+1 || q*n < below-m-1 {
						t.Errorf("%v: rank %g of %g rows, want it in [%g, %g] give or take %g", got, q*n, n, below, upTo, m)
					}
				})
			}
		}
	}
}

// around counts the rows below v − w, up to v + w, and all, with missing cells filled by the mean.
func around(t *testing.T, f *frames.Frame, column string, v, w float64) (below, upTo, n float64) {
	t.Helper()
	at, _ := f.Schema().FeatureIndex(column)
	var there []float64
	missing, sum := 0.0, 0.0
	if err := stage.ScanRows(t.Context(), f, func(row []float64, _ float64) {
		if x := row[at]; math.IsNaN(x) {
			missing++
		} else {
			there, sum = append(there, x), sum+x
		}
	}); err != nil {
		t.Fatal(err)
	}
	count := func(x, rows float64) {
		n += rows
		if x < v-w {
			below += rows
		}
		if x <= v+w {
			upTo += rows
		}
	}
	count(sum/float64(len(there)), missing)
	for _, x := range there {
		count(x, 1)
	}
	return below, upTo, n
}
