package tables

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
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// TopK ranks the groups that most people are in, by one exponential mechanism after the other on those that are left. Its target is not
// embedded: private queries of steps are Gaussian, and their shares have no place beside weights.
type TopK struct {
	K      int
	By     []string
	Target query.Target `dp:"inline"`
}

func (TopK) Kind() kind.Kind { return kind.Kind{Name: "table/top", Law: 1, Call: "TopK"} }

// ColumnsRead are those of the groups.
func (t TopK) ColumnsRead(frames.Schema) []string { return t.By }

// ReadsUnbounded says that no bound of a column enters.
func (TopK) ReadsUnbounded() {}

// LeavesTexts says that cells of texts are left alone.
func (TopK) LeavesTexts() {}

// mostRanked bounds k: the mechanisms of all ranks are priced together.
const mostRanked = 1 << 10

// ranking is public.
type ranking struct {
	groups groups
	each   int     // places of a person
	moves  float64 // people by which a count moves, counted from ½
	rate   uint64  // η/RankUnit of sums.RateUnit
	eta    float64
	event  accountant.Event
	priced accountant.Guarantee
}

// describe are the groups and what a person moves, without noise.
func (t TopK) describe(st stage.Stage) (*ranking, error) {
	g, err := groupsOf(t.By, st)
	if err != nil {
		return nil, err
	}
	r := &ranking{groups: g, each: max(1, st.Contributions.Rows)}
	switch {
	case g.n < 2:
		return nil, fmt.Errorf("by: got columns %q with one group, want at least 2 to rank: %w", t.By, kind.ErrParameter)
	case t.K < 1 || t.K >= g.n || t.K > mostRanked:
		return nil, fmt.Errorf("k: got %d, want 1 to %d, fewer than the %d groups: %w", t.K, min(g.n-1, mostRanked), g.n, kind.ErrParameter)
	//dp:refuses top-k/people-out-of-order places say no more whose rows they are, or others are free
	case st.Before.F != r.each || r.each > 1 && st.Unordered:
		return nil, fmt.Errorf("people: an earlier step frees further rows, or takes rows out of the order of people: put it before Bound, or leave it out: %w", stage.ErrOrder)
	}
	r.moves = r.moved(st.Before, false)
	return r, nil
}

// moved bounds by how many people any two counts may move apart between the two tables of a pair, halved (docs/theory/tables.md#top-groups): a
// person moves each count by 1 at most, in one direction where they come or go and in either where they are replaced, in however many groups.
func (r *ranking) moved(p pair.State, displaced bool) float64 {
	people := float64((p.F + r.each - 1) / r.each)
	if p.Neighbours == accountant.AddRemove {
		people -= 0.5
	}
	if displaced {
		people += float64(p.M)
	}
	return people
}

// at is the release where counts move so far apart.
func (r *ranking) at(k int, rel accountant.Neighbours, moves float64) accountant.Event {
	one := accountant.Exponential{Epsilon: quad.MulUp(2*r.eta, moves), Neighbours: rel}
	if k == 1 {
		return one
	}
	return accountant.Repeat(one, k)
}

// calibrate settles η from public facts alone.
func (t TopK) calibrate(st stage.Stage) (*ranking, error) {
	r, err := t.describe(st)
	if err != nil {
		return nil, err
	}
	switch {
	case t.Target.Noise != "":
		return nil, fmt.Errorf("noise: got %q, want none: ranks are drawn from weights: %w", string(t.Target.Noise), kind.ErrParameter)
	case t.Target.Delta == 0:
		err = query.CheckPure(t.Target)
	default:
		err = t.Target.Budget().Validate()
	}
	if err != nil {
		return nil, err
	}
	rel, k := st.Before.Neighbours, float64(t.K)
	reach := t.Target.Epsilon / k // pure
	if t.Target.Delta > 0 {
		whole, err := query.Reach(t.Target)
		if err == nil && t.K > 1 {
			reach, _, err = accountant.Calibrate(t.Target.Budget(), rel, func(x float64) accountant.Event {
				return accountant.Repeat(accountant.Exponential{Epsilon: x, Neighbours: rel}, t.K)
			}, reach, whole)
		} else {
			reach = whole
		}
		if err != nil {
			return nil, err
		}
	}
	if r.rate, r.eta, err = sums.RateOf(reach, r.moves); err != nil {
		return nil, err
	}
	r.event = r.at(t.K, rel, r.moves)
	if r.priced, err = accountant.EpsilonOf(r.event, rel, t.Target.Delta); err != nil {
		return nil, err
	}
	if !(r.priced.Epsilon <= t.Target.Epsilon) {
		return nil, fmt.Errorf("calibration: got ε = %g for the target %g; raise ε", r.priced.Epsilon, t.Target.Epsilon)
	}
	return r, nil
}

// Settle ranks k groups: each is drawn with weight e^{η·people} of those that are left.
func (t TopK) Settle(st stage.Stage) (mechanism.Settled[Ranking], error) {
	r, err := t.calibrate(st)
	if err != nil {
		return mechanism.Settled[Ranking]{}, err
	}
	s := mechanism.ReadOnce(t.bill(r, st), r.counts(st), func(people []int64, rng *noise.Source) (Ranking, error) {
		return t.ranked(r, r.drawn(people, t.K, rng), r.eta), nil
	})
	s.Predicted = mechanism.Prediction{
		Of: "people that a group has fewer, at its rank, than the largest of those that are left", Names: []string{"each rank"}, Law: mechanism.Exponential,
		Size: []float64{1 / r.eta}, LogK: math.Log(float64(t.K) * float64(r.groups.n-1)), Most: []float64{float64(st.Before.N / r.each)},
	}
	return s, nil
}

func (t TopK) bill(r *ranking, st stage.Stage) query.Bill {
	return query.Bill{Event: r.event, Guarantee: r.priced, Cost: cost.Release{
		Name: kind.Describe(t), Event: r.event.String(), Sensitivity: r.moves, FreeSensitivity: r.moves, Uncounted: r.priced.Epsilon, Nominal: r.priced.Epsilon,
		Reference: "tables of people §3, top groups; exponential mechanisms of bounded range 2ηΔ (McSherry, Talwar 2007; Durfee, Rogers 2019)",
		Constants: []stage.Constant{
			{Symbol: "k", Value: float64(t.K), Origin: stage.FromParameter, Meaning: "ranks"},
			{Symbol: "Δ", Value: r.moves, Origin: stage.FromConstruction, Meaning: "people by which a count moves, counted from ½, in however many groups a person is"},
			{Symbol: "η", Value: r.eta, Origin: stage.FromParameter, Meaning: "a group's weight is e^(η·people)"},
			{Symbol: "groups", Value: float64(r.groups.n), Origin: stage.FromSchema, Meaning: "that are ranked: public"},
		},
	}, Behind: func(p pair.State) (accountant.Event, error) {
		return r.at(t.K, p.Neighbours, r.moved(p, len(st.Taint) == 0 && p.Displaced())), nil
	}}
}

// counts reads how many people each group has.
func (r *ranking) counts(st stage.Stage) func(ctx context.Context, in rows.Driver) ([]int64, error) {
	group := r.groups.reader(st.In)
	if r.each == 1 {
		return func(ctx context.Context, in rows.Driver) ([]int64, error) {
			return rows.IntegerSums(ctx, in, r.groups.n, func() func([]int64, []float64, float64) {
				return func(people []int64, row []float64, y float64) { people[group(row, y)]++ }
			})
		}
	}
	return func(ctx context.Context, in rows.Driver) ([]int64, error) {
		return rows.PeopleSums{Each: r.each, Group: group, Person: func(people []int64, g int) { people[g]++ }}.Of(ctx, in, r.groups.n)
	}
}

// drawn are the places of k groups: of those that are left each with probability ∝ e^{η·people}, exactly.
func (r *ranking) drawn(people []int64, k int, rng *noise.Source) []int {
	left := make([]int, len(people))
	for g := range left {
		left[g] = g
	}
	var out []int
	for range k {
		most := people[left[0]]
		for _, g := range left {
			most = max(most, people[g])
		}
		penalties := make([]uint64, len(left))
		for i, g := range left {
			penalties[i] = uint64(most-people[g]) * sums.RankUnit
		}
		i := rng.Exponential(penalties, r.rate, sums.RateUnit)
		out = append(out, left[i])
		left = slices.Delete(left, i, i+1)
	}
	return out
}

// ranked names groups.
func (t TopK) ranked(r *ranking, places []int, eta float64) Ranking {
	names := r.groups.names()
	out := Ranking{By: slices.Clone(t.By), Among: r.groups.n, Rate: eta}
	for _, g := range places {
		out.Groups = append(out.Groups, names[g])
	}
	return out
}

// Exact ranks by the numbers of people themselves, those that are equal in the order of the groups.
func (t TopK) Exact(ctx context.Context, in rows.Driver, st stage.Stage) (Ranking, error) {
	r, err := t.describe(st)
	if err != nil {
		return Ranking{}, err
	}
	people, err := r.counts(st)(ctx, in)
	if err != nil {
		return Ranking{}, err
	}
	places := make([]int, len(people))
	for g := range places {
		places[g] = g
	}
	slices.SortStableFunc(places, func(a, b int) int { return int(people[b] - people[a]) })
	return t.ranked(r, places[:t.K], 0), nil
}
