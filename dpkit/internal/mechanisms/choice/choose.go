package choice

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// Choose does not embed its target: the steps' private queries are Gaussian, and their shares have no place beside weights.
type Choose struct {
	Target query.Target `dp:"inline"`
	Models []models.Candidate
}

func (Choose) Kind() kind.Kind { return kind.Kind{Name: "choice", Law: 1, Call: "Choose"} }

// IdentityText leaves out where the models came from, as their errors do not depend on it.
func (c Choose) IdentityText() string {
	bare := Choose{Target: c.Target}
	for _, m := range c.Models {
		bare.Models = append(bare.Models, m.Bare())
	}
	return kind.TextOf(bare)
}

// Asks says that no query of its own may refuse the release.
func (Choose) Asks() bool { return false }

// LeavesTexts says that cells of texts are left alone: models bring the steps that give them levels.
func (Choose) LeavesTexts() {}

// Scope is [Choose.ScopeIn] where every row is somebody.
func (c Choose) Scope() accountant.Scope {
	return c.ScopeIn(accountant.PerRow, accountant.ReplaceOne, false)
}

// ScopeIn names the models that no private release made, or one that protects others than the session does: if they depend on the rows,
// neighbouring tables have other models to choose among. In a demonstration models of demonstrations stand for what private releases
// would make.
func (c Choose) ScopeIn(unit accountant.Unit, rel accountant.Neighbours, demonstration bool) accountant.Scope {
	var on []string
	for i, m := range c.Models {
		switch g, ok := m.Released(demonstration); {
		case !ok:
			on = append(on, fmt.Sprintf("model %d of the choice, which no private release made, does not depend on these rows", i+1))
		case g != nil && (g.Unit != unit || g.Neighbours != rel):
			on = append(on, fmt.Sprintf("model %d of the choice, whose release was private per %s, %s, does not depend on these rows", i+1, g.Unit, g.Neighbours))
		}
	}
	if on == nil {
		return accountant.Scope{Kind: accountant.Unconditional}
	}
	return accountant.Scope{Kind: accountant.Conditional, On: on}
}

// ColumnsRead are those that the models' predictions depend on, and the label.
func (c Choose) ColumnsRead(in frames.Schema) []string {
	var names []string
	for _, m := range c.Models {
		j, err := m.Judge(in)
		if err != nil {
			continue // it has no price either
		}
		for _, name := range append(slices.Clone(j.Reads()), j.Label().Name) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

const (
	// rateUnit is what η is a fraction of, for each unit of the penalty.
	rateUnit = 1 << 63
	// leastRows is n·η from which on rows are worth their price: below it the bound on what a wrong choice costs, at 0.95 and for two
	// models, is more than 0.3 % of the rows, about what models that are worth choosing between differ by
	// (docs/theory/mechanisms.md#choosing-a-model).
	leastRows = 1000
)

// calibrated is public.
type calibrated struct {
	judges []*models.Judge
	names  []string
	best   int    // the predicted best
	rate   uint64 // η/PenaltyUnit of rateUnit

	displaced         bool // steps displace what the models read
	sensitivity, free float64
	event             accountant.Exponential
}

// eta is η, as it is drawn with.
func (p *calibrated) eta() float64 { return float64(p.rate) * (models.PenaltyUnit / 0x1p63) }

// scale is what an error of 1 is in squared units of the label; 0 of wrong rows.
func (p *calibrated) scale() float64 {
	label := p.judges[0].Label()
	if len(label.Levels) > 0 {
		return 0
	}
	return (label.Hi - label.Lo) * (label.Hi - label.Lo)
}

// of is what is counted.
func (p *calibrated) of() string {
	if p.scale() > 0 {
		return "squared errors"
	}
	return "wrong rows"
}

// calibrate settles the rate: η = ε'/(2Δ) rounded down, where an exponential mechanism of bounded range ε' meets the target.
func (c Choose) calibrate(st stage.Stage) (*calibrated, error) {
	p, err := c.judged(st.In)
	if err != nil {
		return nil, err
	}
	if err := c.checkTarget(); err != nil {
		return nil, err
	}
	for _, j := range p.judges {
		for _, name := range append(slices.Clone(j.Reads()), j.Label().Name) {
			p.displaced = p.displaced || st.Before.Displaced() && st.Taint[name]
		}
	}
	if p.sensitivity, p.free, err = moves(st.Before, p.displaced); err != nil {
		return nil, err
	}
	reach, err := query.Reach(c.Target)
	if err != nil {
		return nil, err
	}
	rate := math.Floor(reach / (2 * p.sensitivity) * (1 - 0x1p-50) * (rateUnit / models.PenaltyUnit))
	if !(rate >= 1 && rate < rateUnit) {
		return nil, fmt.Errorf("ε: got %g, want one between 1e-12 and 1e5 for weights that are drawn exactly: %w", c.Target.Epsilon, kind.ErrParameter)
	}
	p.rate = uint64(rate)
	p.event = p.at(st.Before, p.sensitivity)
	return p, nil
}

func (c Choose) checkTarget() error {
	if c.Target.Noise != "" {
		return fmt.Errorf("noise: got %q, want none: a choice is drawn from weights: %w", string(c.Target.Noise), kind.ErrParameter)
	}
	if c.Target.Delta == 0 {
		return query.CheckPure(c.Target)
	}
	return c.Target.Budget().Validate()
}

// judged makes the judges of all models.
func (c Choose) judged(in frames.Schema) (*calibrated, error) {
	if len(c.Models) < 2 {
		return nil, fmt.Errorf("got %d models, want at least 2 to choose among: %w", len(c.Models), kind.ErrParameter)
	}
	p := &calibrated{}
	seen := map[string]int{}
	for i, m := range c.Models {
		j, err := m.Judge(in)
		if err != nil {
			return nil, fmt.Errorf("model %d of %d: %w", i+1, len(c.Models), err)
		}
		text := m.Bare().Text()
		if k, twice := seen[text]; twice {
			return nil, fmt.Errorf("model %d of %d: it is model %d again: %w", i+1, len(c.Models), k+1, kind.ErrParameter)
		}
		seen[text] = i
		p.judges, p.names = append(p.judges, j), append(p.names, m.Short())
	}
	p.best = c.predictedBest(p.judges)
	return p, nil
}

// predictedBest is the first model, or, among those that read the same columns as it does, the one whose release was predicted to be off
// least by its noise. What other columns are worth no public fact tells: fewer have less noise, whatever they say of the label.
func (c Choose) predictedBest(judges []*models.Judge) int {
	least, of, ok := c.Models[0].Predicted()
	if !ok {
		return 0
	}
	best, columns := 0, slices.Sorted(slices.Values(judges[0].Reads()))
	for i, m := range c.Models {
		size, what, ok := m.Predicted()
		if ok && what == of && size < least && slices.Equal(columns, slices.Sorted(slices.Values(judges[i].Reads()))) {
			best, least = i, size
		}
	}
	return best
}

// moves bounds by how far the errors of any two models may move apart between the two tables of a pair, halved: a row adds 0 to 1 to the
// error of each, so that counted from ½ it moves each by ½ at most where it comes or goes, and by 1 where it is replaced or displaced.
func moves(s pair.State, displaced bool) (all, free float64, err error) {
	if all, free, err = (pair.Query{C: 0.5, Lipschitz: math.Inf(1)}).Sensitivity(s); !displaced {
		all = free
	}
	return all, free, err
}

// at is the release where errors move by that many rows.
func (p *calibrated) at(s pair.State, moves float64) accountant.Exponential {
	return accountant.Exponential{Epsilon: quad.MulUp(2*p.eta(), moves), Neighbours: s.Neighbours}
}

// Settle draws a model with weight e^{−η·errors}, or says that the rows are too few to choose by, and takes the predicted best.
func (c Choose) Settle(st stage.Stage) (mechanism.Settled[Choice], error) {
	p, err := c.calibrate(st)
	if err != nil {
		return mechanism.Settled[Choice]{}, err
	}
	if told := float64(st.Before.N) * p.eta(); told < leastRows {
		return c.unread(p, st, told)
	}
	b, err := c.price(p, st)
	s := mechanism.ReadOnce(b, p.penalties, func(penalties []uint64, rng *noise.Source) (Choice, error) {
		return p.choice(rng.Exponential(penalties, p.rate, rateUnit), p.eta()), nil
	})
	size, most := 1/p.eta(), float64(st.Before.N)
	if u := p.scale(); u > 0 {
		size, most = size*u, most*u
	}
	s.Predicted = mechanism.Prediction{
		Of: p.of() + " of the chosen model beyond those of the best one", Names: []string{"model"}, Law: mechanism.Exponential,
		Size: []float64{size}, LogK: math.Log(float64(len(p.judges) - 1)), Most: []float64{most},
	}
	return s, err
}

// unread is the release that reads no row.
func (c Choose) unread(p *calibrated, st stage.Stage, told float64) (mechanism.Settled[Choice], error) {
	why := fmt.Sprintf("too few rows to choose by: n·η = %.4g, want at least %d: the model that is predicted to be best is taken, no row is read and nothing is charged; raise ε to %.3g",
		told, leastRows, c.Target.Epsilon*leastRows/told*1.001)
	none := func(s pair.State) accountant.Event { return accountant.Exponential{Neighbours: s.Neighbours} }
	g, err := accountant.EpsilonOf(none(st.Before), st.Before.Neighbours, 0)
	b := query.Bill{Event: none(st.Before), Guarantee: g, Cost: cost.Release{
		Name: kind.Describe(c), Event: none(st.Before).String(), Constants: p.constants(), Reference: "no row is read",
		Sensitivity: p.sensitivity, FreeSensitivity: p.free,
	}, Behind: func(s pair.State) (accountant.Event, error) { return none(s), nil }}
	v := p.choice(p.best, 0)
	v.Unread = why
	s := mechanism.ReadOnce(b, func(context.Context, rows.Driver) (Choice, error) { return v, nil },
		func(v Choice, _ *noise.Source) (Choice, error) { return v, nil })
	s.Unread = why
	return s, err
}

func (p *calibrated) constants() []stage.Constant {
	return []stage.Constant{
		{Symbol: "Δ", Value: p.sensitivity, Origin: stage.FromConstruction, Meaning: "rows by which an error moves, counted from ½"},
		{Symbol: "η", Value: p.eta(), Origin: stage.FromParameter, Meaning: "a model's weight is e^(−η·errors)"},
		{Symbol: "k", Value: float64(len(p.judges)), Origin: stage.FromParameter, Meaning: "models"},
	}
}

func (c Choose) price(p *calibrated, st stage.Stage) (query.Bill, error) {
	counted, ignored, unpaid, err := query.PriceReach(c.Target, st.Before.Neighbours, p.sensitivity, p.free, func(moves float64) accountant.Exponential {
		return p.at(st.Before, moves)
	})
	if err != nil {
		return query.Bill{}, err
	}
	reference := "exponential mechanism of bounded range 2ηΔ (McSherry, Talwar 2007; Durfee, Rogers 2019), on errors of models that are released already"
	if p.displaced {
		reference += ", which every displaced row may change"
	}
	return query.Bill{Event: p.event, Guarantee: counted, Cost: cost.Release{
		Name: kind.Describe(c), Event: p.event.String(), Constants: p.constants(), Reference: reference,
		Sensitivity: p.sensitivity, FreeSensitivity: p.free, Uncounted: ignored, Nominal: unpaid,
	}, Behind: func(s pair.State) (accountant.Event, error) {
		all, _, err := moves(s, p.displaced || len(st.Taint) == 0)
		return p.at(s, all), err
	}}, nil
}

// penalties are the errors of all models, in units of 1/PenaltyUnit rows.
func (p *calibrated) penalties(ctx context.Context, in rows.Driver) ([]uint64, error) {
	sums, err := rows.IntegerSums(ctx, in, len(p.judges), func() func([]int64, []float64, float64) {
		lanes := make([]func([]float64, float64) int64, len(p.judges))
		for i, j := range p.judges {
			lanes[i] = j.Lane()
		}
		return func(sums []int64, row []float64, y float64) {
			for i, penalty := range lanes {
				sums[i] += penalty(row, y)
			}
		}
	})
	out := make([]uint64, len(sums))
	for i, v := range sums {
		out[i] = uint64(v)
	}
	return out, err
}

func (p *calibrated) choice(k int, rate float64) Choice {
	return Choice{Index: k, Models: slices.Clone(p.names), Of: p.of(), Rate: rate, Scale: p.scale()}
}

// Exact takes the model of least error, the first of such.
func (c Choose) Exact(ctx context.Context, in rows.Driver, st stage.Stage) (Choice, error) {
	p, err := c.judged(st.In)
	if err != nil {
		return Choice{}, err
	}
	penalties, err := p.penalties(ctx, in)
	if err != nil {
		return Choice{}, err
	}
	return p.choice(slices.Index(penalties, slices.Min(penalties)), 0), nil
}
