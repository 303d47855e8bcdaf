package dpkit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// AnyPlan is a [Plan] of any value.
type AnyPlan interface{ sealed }

// Together is several plans of one session as one release: one (ε, δ) for all of them, one charge, one entry in the ledger, and all
// values or none. The plans may be of different kinds and chains, and read different columns. The target of each, its ε and δ, is
// replaced by its part of the target given here, so that they may be made with a zero one; the law of the noise stays each plan's own.
//
// Gaussian releases add up in μ², and each gets the part of its [Plan.Weight]: μ_i = μ*·√(w_i/Σw). Where others are among them, all
// noise is scaled by one factor c instead, μ_i = μ*·√(w_i/Σw)/c and for pure ones ε_i = ε·√(w_i/Σw)/c, the least at which the composition of all
// laws meets the target (docs/theory/mechanisms.md#releases-together). With δ = 0 all must be pure. What steps of a chain ask privately comes out of
// its plan's part; the failures of tests and private bounds add up, and come out of δ first.
//
// A test that does not pass refuses the value of its plan and of no other. Read the values with [Plan.Of]:
//
//	both := dpkit.Together(dpkit.Target{Epsilon: 1, Delta: 1e-6}, count, model.Weight(2))
//	r, err := both.Release(ctx)
//	n, err := count.Of(r)
//
//go:noinline
func Together(target Target, plans ...AnyPlan) Plan[Joint] {
	return typedPlan[Joint]{held{newJoint(target, plans)}}
}

// Joint is the values of plans that were released [Together]. Each is under the guarantee of all: read it with [Plan.Of].
type Joint struct {
	keys []string // of the plans, see plan.key
	all  []Result[any]
}

// Results are the releases in the order of the plans. Values are of the plans' types; one that a test refused is nil.
func (j Joint) Results() []Result[any] {
	out := make([]Result[any], len(j.all))
	for i, r := range j.all {
		out[i] = r
		out[i].Value = pointed(r.Value)
	}
	return out
}

// String lists the plans and how each came out, without the values.
func (j Joint) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d releases under one guarantee\n", len(j.all))
	for i, r := range j.all {
		how := "released"
		if r.Refused != "" {
			how = "refused: " + r.Refused
		}
		fmt.Fprintf(&b, "%d. %s: %s\n", i+1, j.keys[i], how)
	}
	return b.String()
}

// MarshalJSON writes the results in order, each with its plan.
func (j Joint) MarshalJSON() ([]byte, error) {
	type entry struct {
		Plan   string      `json:"plan"`
		Result Result[any] `json:"result"`
	}
	out := make([]entry, len(j.all))
	for i, r := range j.Results() {
		out[i] = entry{j.keys[i], r}
	}
	return json.Marshal(out)
}

// joints is the [mechanism.Releaser] of plans that are released together: it says of which type their value is.
type joints struct{}

var errJoint = errors.New("plans that are released together settle one by one")

func (joints) Zero() any { return new(Joint) }

func (joints) Settle(stage.Stage) (mechanism.Settled[any], error) {
	return mechanism.Settled[any]{}, errJoint
}

func (joints) Exact(_ context.Context, _ rows.Driver, _ stage.Stage) (any, error) {
	return nil, errJoint
}

// newJoint is the plan of [Together]. What is wrong with it is reported by whatever prices it.
func newJoint(target Target, plans []AnyPlan) *plan {
	j := &joint{target: target, members: make([]*plan, len(plans))}
	pl := &plan{of: joints{}, joint: j}
	for i, p := range plans {
		if p == nil {
			continue
		}
		j.members[i] = p.plan().gaussian() // mixed noise is calibrated together
		if pl.p.s == nil && j.members[i] != nil {
			pl.p.s = j.members[i].p.s
		}
	}
	j.s = pl.p.s
	return pl
}

// weighing is the plan with a weight; what is none is reported by [Together].
func (pl *plan) weighing(w float64) *plan {
	c := pl.clone()
	c.weight, c.odd = w, !(w > 0) || math.IsInf(w, 1)
	return c
}

// part is the weight, 1 where none was given.
func (pl *plan) part() float64 {
	if pl.weight == 0 && !pl.odd {
		return 1
	}
	return pl.weight
}

// key tells plans that are released together apart: the text without a target and a weight, which are not the plan's own there.
func (pl *plan) key() string {
	c := pl.clone()
	if pl.m != nil {
		c.m, _ = query.Retargeted(pl.m, 0, 0)
	}
	c.weight, c.odd = 0, false
	return c.String()
}

// among finds the plan's release in that of several.
func (pl *plan) among(r Result[Joint]) (Result[any], error) {
	key := pl.key()
	for i, k := range r.Value.keys {
		if k != key {
			continue
		}
		own := r.Value.all[i]
		if own.Refused != "" {
			return own, fmt.Errorf("dpkit: %s: %s: %w", key, own.Refused, ErrTestFailed)
		}
		return own, nil
	}
	if len(r.Value.keys) == 0 {
		return Result[any]{}, fmt.Errorf("dpkit: %s: got a result without values, want one that Release of Together returned: %w", key, ErrParameter)
	}
	return Result[any]{}, fmt.Errorf("dpkit: %s is not among the plans that were released together: %s: %w", key, strings.Join(r.Value.keys, "; "), ErrParameter)
}

// company says beside a plan that others are released with it; "" of one alone.
func (pl *plan) company() string {
	switch {
	case pl.beside == 0:
		return ""
	case pl.beside == 1:
		return ", released together with another plan under one guarantee"
	}
	return fmt.Sprintf(", released together with %d other plans under one guarantee", pl.beside)
}
