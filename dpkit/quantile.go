package dpkit

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// Quantile releases a value of a numeric column below which about the fraction q of the rows lies, 0 < q
// < 1, by the exponential mechanism (McSherry, Talwar 2007; priced by its bounded range, Durfee, Rogers 2019) on public
// candidates: in rising order, or by default 1025 that divide the column's bounds evenly; for an unbounded column they are
// 1025 of either sign, from 1e-9 to 1e9 times its guessed scale (or 1) and 8.5 % apart. Rows that were removed, and missing cells, do not count. δ may be 0, for
// pure ε; a δ above 0 lowers the noise a little. No step may have displaced the column: ranks are not
// continuous, and every displaced row would cost as much as a free one.
//
//go:noinline
func (p Pipeline) Quantile(t Target, q float64, column string, candidates ...float64) Plan[QuantileEstimate] {
	return newPlan[QuantileEstimate](p, quantile{t, q, column, slices.Clone(candidates)})
}

// QuantileEstimate is a released quantile.
type QuantileEstimate struct {
	Column string  `json:"column"`
	Q      float64 `json:"q"`
	Value  float64 `json:"value"`
	// Rate is η: candidates were drawn with weight e^{−η·error}, error being how many rows the rank of
	// q is off. It is public; 0 where there is no noise.
	Rate       float64 `json:"rate,omitempty"`
	Candidates int     `json:"candidates"`
}

// RankMargin bounds by how many rows the value's rank is further off than that of the best candidate,
// with the given probability, 0 < level < 1: (ln K − ln(1 − level))/η for K candidates.
func (e QuantileEstimate) RankMargin(level float64) (float64, error) {
	if !(level > 0) || !(level < 1) {
		return 0, fmt.Errorf("dpkit: rank margin: level: got %g, want a number strictly between 0 and 1: %w", level, ErrParameter)
	}
	if e.Rate == 0 {
		return 0, nil
	}
	return (math.Log(float64(e.Candidates)) - math.Log1p(-level)) / e.Rate, nil
}

// String renders the quantile on one line.
func (e QuantileEstimate) String() string {
	m, err := e.RankMargin(0.95)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("quantile %g of %s  %.6g, within %.3g rows\n", e.Q, e.Column, e.Value, m)
}

// quantile does not embed its target: the steps' private queries are Gaussian, and their shares have no place
// beside weights.
type quantile struct {
	Target     Target `dp:"inline"`
	Q          float64
	Column     string
	Candidates []float64
}

// defaultCells divide the bounds of a column where no candidates are given.
const defaultCells = 1024

func (quantile) kind() kind { return kind{"quantile", 1, "Quantile", "dpkit.quantile"} }

func (q quantile) columnsRead(frames.Schema) []string { return []string{q.Column} }

// q as a fraction of rankUnit, and η as a fraction of rateUnit for each unit of the penalty.
const (
	rankUnit = 1 << 20
	rateUnit = 1 << 63
)

// quantilePlan is public.
type quantilePlan struct {
	at         int
	candidates []float64
	q          int64  // of rankUnit
	rate       uint64 // η/rankUnit of rateUnit
	event      accountant.Exponential
}

func (p *quantilePlan) eta() float64 { return float64(p.rate) * (rankUnit / 0x1p63) }

// Settle: let L count the rows below a candidate and U those up to it, N all of them. The error is
// max(L − qN, qN − U, 0). A row that is added moves L − qN by 1 − q or −q, and qN − U by q or q − 1; a row
// that is replaced moves each by at most 1. So the error moves by max(q, 1−q) for each image in
// add/remove, by 1 in replace-one, wherever the rows are (docs/theory/mechanisms.md#rank-errors).
func (q quantile) Settle(st Stage) (settled[QuantileEstimate], error) {
	p, err := q.plan(st)
	if err != nil {
		return settled[QuantileEstimate]{}, err
	}
	b, err := q.price(p, st)
	return readOnce(b, p.penalties, func(penalties []uint64, rng *noise.Source) (QuantileEstimate, error) {
		return q.estimate(p, rng.Exponential(penalties, p.rate, rateUnit), p.eta()), nil
	}), err
}

func (q quantile) price(p *quantilePlan, st Stage) (bill, error) {
	counted, err := accountant.EpsilonOf(p.event, st.Before.Neighbours, q.Target.Delta)
	if err != nil {
		return bill{}, err
	}
	if !(counted.Epsilon <= q.Target.Epsilon) {
		return bill{}, fmt.Errorf("calibration: got ε = %g for the target %g; raise ε", counted.Epsilon, q.Target.Epsilon)
	}
	sensitivity := p.event.Epsilon / (2 * p.eta())
	return bill{Event: p.event, Guarantee: counted, Cost: ReleaseCost{
		Name: describe(q), Event: p.event.String(),
		Constants: []Constant{
			{"Δ", sensitivity, FromConstruction, "rows by which a rank error moves"},
			{"η", p.eta(), FromParameter, "a candidate's weight is e^(−η·error)"},
			{"K", float64(len(p.candidates)), FromParameter, "candidates"},
		},
		Reference:   "exponential mechanism of bounded range 2ηΔ (McSherry, Talwar 2007; Durfee, Rogers 2019), on a clean column",
		Sensitivity: sensitivity, FreeSensitivity: sensitivity,
		Uncounted: counted.Epsilon, Nominal: counted.Epsilon,
	}}, nil
}

func (q quantile) plan(st Stage) (*quantilePlan, error) {
	c, err := q.checkColumn(st.In)
	if err != nil {
		return nil, err
	}
	if st.Taint[q.Column] {
		return nil, fmt.Errorf("column %q differs in common rows, and each of them could change the ranks; take the quantile before the step that displaces it: %w", q.Column, ErrOrder)
	}
	p := &quantilePlan{candidates: q.grid(c)}
	p.at, _ = st.In.FeatureIndex(q.Column)
	p.q = int64(math.Round(q.Q * rankUnit))
	reach, err := q.reach()
	if err != nil {
		return nil, err
	}
	query := pair.Query{C: 0.5}
	if st.Before.Neighbours == accountant.AddRemove {
		query.C = float64(max(p.q, rankUnit-p.q)) / rankUnit
	}
	_, free, err := query.Sensitivity(st.Before)
	if err != nil {
		return nil, err
	}
	rate := math.Floor(reach / (2 * free) * (1 - 0x1p-50) * (rateUnit / rankUnit))
	if !(rate >= 1 && rate < rateUnit) {
		return nil, fmt.Errorf("ε: got %g, want one between 1e-12 and 1e5 for weights that are drawn exactly: %w", q.Target.Epsilon, ErrParameter)
	}
	p.rate = uint64(rate)
	p.event, err = pair.ExponentialOn(st.Before, query, p.eta())
	return p, err
}

// reach is the range that gives the target.
func (q quantile) reach() (float64, error) {
	if q.Target.Delta == 0 {
		return q.Target.Epsilon, nil
	}
	// Beyond ε + 2 ln 1/(1−√δ) the profile is above δ at once.
	hi := q.Target.Epsilon - 2*math.Log1p(-math.Sqrt(q.Target.Delta)) + 1
	x, _, err := accountant.Calibrate(q.Target.budget(), accountant.ReplaceOne, func(x float64) accountant.Event {
		return accountant.Exponential{Epsilon: x, Neighbours: accountant.ReplaceOne}
	}, q.Target.Epsilon, hi)
	return x, err
}

func (q quantile) checkColumn(in frames.Schema) (frames.Column, error) {
	bad := func(err error) (frames.Column, error) { return frames.Column{}, err }
	if q.Target.Noise != "" {
		return bad(fmt.Errorf("noise: got %q, want none: a quantile is drawn from weights: %w", string(q.Target.Noise), ErrParameter))
	}
	check := q.Target.budget().Validate
	if q.Target.Delta == 0 {
		check = q.Target.pure
	}
	if err := check(); err != nil {
		return bad(err)
	}
	if r := math.Round(q.Q * rankUnit); !(r >= 1 && r < rankUnit) {
		return bad(fmt.Errorf("q: got %g, want a number strictly between 0 and 1: %w", q.Q, ErrParameter))
	}
	if err := numericColumns(in, []string{q.Column}); err != nil {
		return bad(err)
	}
	c, _ := in.Column(q.Column)
	for i, v := range q.Candidates {
		if !(v >= c.Lo && v <= c.Hi) || (i > 0 && !(v > q.Candidates[i-1])) {
			return bad(fmt.Errorf("candidate %d: got %g, want rising numbers in the column's bounds [%g, %g]: %w", i+1, v, c.Lo, c.Hi, ErrParameter))
		}
	}
	return c, nil
}

// grid returns the candidates.
func (q quantile) grid(c frames.Column) []float64 {
	if len(q.Candidates) > 0 {
		return q.Candidates
	}
	if c.NoBounds {
		return openGrid(c)
	}
	grid := make([]float64, 0, defaultCells+1)
	for k := range defaultCells + 1 {
		f := float64(k) / defaultCells
		v := min(max(c.Lo*(1-f)+c.Hi*f, c.Lo), c.Hi)
		if k == 0 || v > grid[len(grid)-1] {
			grid = append(grid, v)
		}
	}
	return grid
}

// openGrid holds 0 and 512 sizes of either sign, each 1.085 times the one before, from 1e-9 to 1e9 times the guessed
// scale: all quantiles of a column without bounds to within about 4 %, where they are not smaller or larger than that.
func openGrid(c frames.Column) []float64 {
	const side = defaultCells / 2
	unit := orDefault(c.Scale, 1)
	grid := make([]float64, 2*side+1)
	for k := 1; k <= side; k++ {
		v := unit * math.Pow(10, -9+18*float64(k-1)/(side-1))
		grid[side+k], grid[side-k] = v, -v
	}
	return grid
}

// penalties returns every candidate's error, in units of 1/rankUnit rows.
func (p *quantilePlan) penalties(ctx context.Context, in driver) ([]uint64, error) {
	k := len(p.candidates)
	sums, err := integerSums(ctx, in, 2*(k+1), func() func([]int64, []float64, float64) {
		return func(sums []int64, row []float64, _ float64) {
			x := row[p.at]
			if math.IsNaN(x) {
				return
			}
			i := sort.SearchFloat64s(p.candidates, x)
			sums[i]++
			if i < k && p.candidates[i] == x {
				sums[k+1+i]++
			}
		}
	})
	first := sums[:k+1]  // rows whose first candidate ≥ x is this one
	inside := sums[k+1:] // those of them that equal it
	n := int64(0)
	for _, c := range first {
		n += c
	}
	out := make([]uint64, k)
	upTo := int64(0)
	for i := range out {
		upTo += first[i] // x ≤ candidate
		below := upTo - inside[i]
		out[i] = uint64(max(below*rankUnit-p.q*n, p.q*n-upTo*rankUnit, 0))
	}
	return out, err
}

// Exact returns the candidate whose rank is best.
func (q quantile) Exact(ctx context.Context, in driver, st Stage) (QuantileEstimate, error) {
	c, err := q.checkColumn(st.In)
	if err != nil {
		return QuantileEstimate{}, err
	}
	p := &quantilePlan{candidates: q.grid(c), q: int64(math.Round(q.Q * rankUnit))}
	p.at, _ = st.In.FeatureIndex(q.Column)
	penalties, err := p.penalties(ctx, in)
	if err != nil {
		return QuantileEstimate{}, err
	}
	return q.estimate(p, slices.Index(penalties, slices.Min(penalties)), 0), nil
}

func (q quantile) estimate(p *quantilePlan, k int, rate float64) QuantileEstimate {
	return QuantileEstimate{Column: q.Column, Q: q.Q, Value: p.candidates[k], Rate: rate, Candidates: len(p.candidates)}
}
