package sums

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// QuantileEstimate is a released quantile.
type QuantileEstimate struct {
	Column string  `json:"column"`
	Q      float64 `json:"q"`
	Value  float64 `json:"value"`
	// Rate is η: candidates were drawn with weight e^{−η·error}, error being how many rows the rank of
	// q is off. It is public; 0 where there is no noise.
	Rate       float64 `json:"rate,omitempty"`
	Candidates int     `json:"candidates"`
	// Width is how far from a candidate, in units of the column, a value may lie whose rank is what counts: public, and 0 where no
	// step displaced the column. Behind steps that did ranks jump, and ranks within a width do not.
	Width float64 `json:"width,omitempty"`
	// Lo and Hi are public numbers below and above Value. Of the n rows that have a value, at most q·n plus the margin lie below Lo,
	// and at least q·n less the margin lie at or below Hi. Value alone has no such bound where many rows share a number between two
	// candidates. Both are 0 in values that were stored without them.
	Lo float64 `json:"lo,omitempty"`
	Hi float64 `json:"hi,omitempty"`
	// Rounded is by how many rows q·n is off at most, as ranks are counted for q rounded to a multiple of 2⁻²⁰. Margins count it.
	Rounded float64 `json:"rounded,omitempty"`
	origin.Provenance
}

// RankMargin returns m, so that with the given probability at most q·n + m rows lie below Lo and at least q·n − m rows at or below Hi,
// of the n rows that have a value, 0 < level < 1. It is (ln K − ln(1 − level))/η + Rounded for K candidates. It holds on all data, with
// ties and gaps.
func (e QuantileEstimate) RankMargin(level float64) (float64, error) {
	if !(level > 0) || !(level < 1) {
		return 0, fmt.Errorf("dpkit: rank margin: level: got %g, want a number strictly between 0 and 1: %w", level, kind.ErrParameter)
	}
	if e.Rate == 0 {
		return e.Rounded, nil
	}
	return (math.Log(float64(e.Candidates))-math.Log1p(-level))/e.Rate + e.Rounded, nil
}

// String renders the quantile, and on a second line what its margin says.
func (e QuantileEstimate) String() string {
	return origin.Under(e.Provenance, fmt.Sprintf("quantile %g of %s  %.6g\n%s\n", e.Q, e.Column, e.Value, e.InWords()))
}

// InWords says what the rank margin bounds, with probability 0.95.
func (e QuantileEstimate) InWords() string {
	m, err := e.RankMargin(0.95)
	if err != nil {
		return err.Error()
	}
	if !(e.Lo < e.Hi) {
		return fmt.Sprintf("its rank is at most %s rows further off than that of the best of %d candidates, with probability 95 %%", UpTo(m), e.Candidates)
	}
	lo, hi := Outwards(e.Lo, e.Hi)
	text := fmt.Sprintf("at most %g·n + %s rows lie below %s, and at least %g·n − %s at or below %s, of the n rows with a value", e.Q, UpTo(m), lo, e.Q, UpTo(m), hi)
	if e.Rate > 0 {
		text += ", with probability 95 %"
	}
	return text
}

// Quantile does not embed its target: the steps' private queries are Gaussian, and their shares have no place
// beside weights.
type Quantile struct {
	Target     query.Target `dp:"inline"`
	Q          float64
	Column     string
	Candidates []float64
}

// defaultCells divide the bounds of a column where no candidates are given: rows, not candidates, are to limit what is found. Where noise
// is so small that it would tell rows of a cell apart, up to mostCells do.
const defaultCells, mostCells = 1 << 16, 1 << 18

// cellsFor are the cells of a column of n rows: where rows are spread over its bounds evenly, a cell has a quarter of the 1/η rows that
// noise is worth, or less. Those of most columns crowd together, on a fifth of the bounds or less.
func cellsFor(n int, eta float64) int {
	cells := defaultCells
	for cells < mostCells && float64(cells) < 4*float64(n)*eta {
		cells *= 2
	}
	return cells
}

// cellsInWidth are at least in a width, where ranks count within one: more tell little, and each row counts at all of them.
const cellsInWidth = 8

// Kind: law 1 had 1025 default candidates, and displaced columns were refused; in law 2 rows between two candidates were at neither; law 3
// had 65537 however small the noise.
func (Quantile) Kind() kind.Kind {
	return kind.Kind{Name: "quantile", Law: 4, Replays: 1, Call: "Quantile", Was: "dpkit.quantile"}
}

func (q Quantile) ColumnsRead(frames.Schema) []string { return []string{q.Column} }

// q as a fraction of RankUnit, and η as a fraction of RateUnit for each unit of the penalty.
const (
	RankUnit = 1 << 20
	RateUnit = 1 << 63
)

// calibratedQuantile is public.
type calibratedQuantile struct {
	at         int
	candidates []float64
	q          int64  // of RankUnit
	rate       uint64 // η/RankUnit of RateUnit
	Event      accountant.Exponential

	displaced         bool    // steps displace the column
	person            int     // K: free rows of one person
	width             float64 // w of softRanks; 0 for ranks
	sensitivity, free float64 // by how many rows an error moves on the pair, and for its free rows alone
}

// Eta is η, the rate of [QuantileEstimate], as it is drawn with.
func (p *calibratedQuantile) Eta() float64 { return float64(p.rate) * (RankUnit / 0x1p63) }

// Settle: let L count the rows below a candidate and U those up to it, N all of them. The error is
// max(L − qN, qN − U, 0). A row that is added moves L − qN by 1 − q or −q, and qN − U by q or q − 1; a row
// that is replaced moves each by at most 1. So the error moves by max(q, 1−q) for each image in
// add/remove, by 1 in replace-one, wherever the rows are (docs/theory/mechanisms.md#rank-errors). What a displaced row adds, moves
// says.
func (q Quantile) Settle(st stage.Stage) (mechanism.Settled[QuantileEstimate], error) {
	p, err := q.Calibrate(st)
	if err != nil {
		return mechanism.Settled[QuantileEstimate]{}, err
	}
	b, err := q.price(p, st)
	s := mechanism.ReadOnce(b, p.Penalties, func(penalties []uint64, rng *noise.Source) (QuantileEstimate, error) {
		return q.estimate(p, st, rng.Exponential(penalties, p.rate, RateUnit), p.Eta()), nil
	})
	c, _ := st.In.Column(q.Column)
	most := float64(st.Before.N) / 2
	if p.width > 0 {
		// Rows that are spread over the range evenly: a width tells as little as the rows in it.
		most = max(math.SmallestNonzeroFloat64, most-p.width/(c.Hi-c.Lo)*float64(st.Before.N))
	}
	s.Predicted = mechanism.Prediction{
		Of: RanksOff + " the value " + apart(p.apart(c)), Names: []string{q.Column}, Law: mechanism.Exponential,
		Size: []float64{1 / p.Eta()}, LogK: math.Log(float64(len(p.candidates))) + p.Eta()*q.rounded(p, st.Before.N), Most: []float64{most}, Beside: p.width,
	}
	return s, err
}

func (q Quantile) price(p *calibratedQuantile, st stage.Stage) (query.Bill, error) {
	counted, ignored, unpaid, err := query.PriceReach(q.Target, st.Before.Neighbours, p.sensitivity, p.free, func(moves float64) accountant.Exponential {
		return p.event(st.Before, moves)
	})
	if err != nil {
		return query.Bill{}, err
	}
	constants := []stage.Constant{
		{Symbol: "Δ", Value: p.sensitivity, Origin: stage.FromConstruction, Meaning: "rows by which a rank error moves"},
		{Symbol: "η", Value: p.Eta(), Origin: stage.FromParameter, Meaning: "a candidate's weight is e^(−η·error)"},
		{Symbol: "K", Value: float64(len(p.candidates)), Origin: stage.FromParameter, Meaning: "candidates"},
	}
	reference := "on a clean column"
	if p.displaced {
		reference = "by ranks, which every displaced row may change"
	}
	if p.width > 0 {
		constants = append(constants, stage.Constant{Symbol: "w", Value: p.width, Origin: stage.FromConstruction, Meaning: "a candidate is as good as any number within w, so that displaced rows move errors by τ/w"})
		reference = "by ranks within a width, which displaced rows move by τ/w"
	}
	return query.Bill{Event: p.Event, Guarantee: counted, Cost: cost.Release{
		Name: kind.Describe(q), Event: p.Event.String(), Constants: constants,
		Reference:   "exponential mechanism of bounded range 2ηΔ (McSherry, Talwar 2007; Durfee, Rogers 2019), " + reference,
		Sensitivity: p.sensitivity, FreeSensitivity: p.free,
		Uncounted: ignored, Nominal: unpaid,
	}, Behind: func(s pair.State) (accountant.Event, error) {
		moves, _, err := p.moves(s, p.displaced || len(st.Taint) == 0)
		return p.event(s, moves), err
	}}, nil
}

// Calibrate settles candidates, the width within which ranks count, and rate: η = ε'/(2Δ) rounded down, where an exponential
// mechanism of bounded range ε' meets the target. Errors wrap [stage.ErrColumn], or [kind.ErrParameter] for the parameters.
func (q Quantile) Calibrate(st stage.Stage) (*calibratedQuantile, error) {
	c, err := q.checkColumn(st.In)
	if err != nil {
		return nil, err
	}
	p := &calibratedQuantile{candidates: q.grid(c, defaultCells), displaced: st.Before.Displaced() && st.Taint[q.Column], person: PersonRows(st)}
	p.at, _ = st.In.FeatureIndex(q.Column)
	p.q = int64(math.Round(q.Q * RankUnit))
	reach, err := query.Reach(q.Target)
	if err != nil {
		return nil, err
	}
	if p.displaced {
		p.width = p.chooseWidth(q, st.Before, c, reach)
	}
	if p.width > 0 {
		p.candidates = q.grid(c, max(1024, int(math.Ceil(cellsInWidth*(c.Hi-c.Lo)/p.width))))
	}
	if p.sensitivity, p.free, err = p.moves(st.Before, p.displaced); err != nil {
		return nil, err
	}
	if p.rate, _, err = RateOf(reach, p.sensitivity); err != nil {
		return nil, err
	}
	if cells := cellsFor(st.Before.N, p.Eta()); !p.displaced && cells > defaultCells {
		p.candidates = q.grid(c, cells)
	}
	p.Event = p.event(st.Before, p.sensitivity)
	return p, nil
}

func (q Quantile) checkColumn(in frames.Schema) (frames.Column, error) {
	bad := func(err error) (frames.Column, error) { return frames.Column{}, err }
	if q.Target.Noise != "" {
		return bad(fmt.Errorf("noise: got %q, want none: a quantile is drawn from weights: %w", string(q.Target.Noise), kind.ErrParameter))
	}
	check := q.Target.Budget().Validate
	if q.Target.Delta == 0 {
		check = func() error { return query.CheckPure(q.Target) }
	}
	if err := check(); err != nil {
		return bad(err)
	}
	if _, err := QuantileUnits(q.Q); err != nil {
		return bad(err)
	}
	if err := domain.NumericColumns(in, []string{q.Column}); err != nil {
		return bad(err)
	}
	c, _ := in.Column(q.Column)
	for i, v := range q.Candidates {
		if !(v >= c.Lo && v <= c.Hi) || (i > 0 && !(v > q.Candidates[i-1])) {
			return bad(fmt.Errorf("candidate %d: got %g, want rising numbers in the column's bounds [%g, %g]: %w", i+1, v, c.Lo, c.Hi, kind.ErrParameter))
		}
	}
	return c, nil
}

// grid returns the candidates, by default those that divide the bounds into that many cells.
func (q Quantile) grid(c frames.Column, cells int) []float64 {
	if len(q.Candidates) > 0 {
		return q.Candidates
	}
	if c.NoBounds {
		return openGrid(c)
	}
	grid := make([]float64, 0, cells+1)
	for k := range cells + 1 {
		f := float64(k) / float64(cells)
		v := min(max(c.Lo*(1-f)+c.Hi*f, c.Lo), c.Hi)
		if k == 0 || v > grid[len(grid)-1] {
			grid = append(grid, v)
		}
	}
	return grid
}

// openGrid holds 0 and 32768 sizes of either sign, each 1.0013 times the one before, from 1e-9 to 1e9 times the guessed scale: all
// quantiles of a column without bounds to within 0.07 %, where they are not smaller or larger than that.
func openGrid(c frames.Column) []float64 {
	const side = defaultCells / 2
	unit := cmp.Or(c.Scale, 1)
	grid := make([]float64, 2*side+1)
	for k := 1; k <= side; k++ {
		v := unit * math.Pow(10, -9+18*float64(k-1)/(side-1))
		grid[side+k], grid[side-k] = v, -v
	}
	return grid
}

// Exact returns the candidate whose rank is best.
func (q Quantile) Exact(ctx context.Context, in rows.Driver, st stage.Stage) (QuantileEstimate, error) {
	c, err := q.checkColumn(st.In)
	if err != nil {
		return QuantileEstimate{}, err
	}
	p := &calibratedQuantile{candidates: q.grid(c, defaultCells), q: int64(math.Round(q.Q * RankUnit))}
	p.at, _ = st.In.FeatureIndex(q.Column)
	penalties, err := p.Penalties(ctx, in)
	if err != nil {
		return QuantileEstimate{}, err
	}
	return q.estimate(p, st, slices.Index(penalties, slices.Min(penalties)), 0), nil
}

func (q Quantile) estimate(p *calibratedQuantile, st stage.Stage, k int, rate float64) QuantileEstimate {
	c, _ := st.In.Column(q.Column)
	lo, hi := p.cell(c, k)
	return QuantileEstimate{
		Column: q.Column, Q: q.Q, Value: p.candidates[k], Rate: rate, Candidates: len(p.candidates), Width: p.width,
		Lo: lo, Hi: hi, Rounded: q.rounded(p, st.Before.N),
	}
}

// rounded is by how many of at most n rows q·n is off, and within a width the parts of rows, in fixed point.
func (q Quantile) rounded(p *calibratedQuantile, n int) float64 {
	off := RankRounded(q.Q, n)
	if p.width > 0 {
		off += float64(n) / RankUnit
	}
	return off
}

// ReadsUnbounded says that no bound of a column enters.
func (Quantile) ReadsUnbounded() {}
