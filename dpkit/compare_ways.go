package dpkit

import (
	"strings"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// unranked is why a way is not recommended whose noise says nothing of how good it is.
const unranked = "nothing is predicted of this release, and noise alone cannot rank this way"

// ways are those of a place in a chain, the others as the route has them: the written one, others that do its job, and without it.
func (c *comparer) ways(i int, r route) []way {
	if i == len(r.steps) {
		return c.endings(r)
	}
	own := r.written.p.steps[i]
	ways := []way{{kind: stage.Public, step: own, note: "as written"}}
	q, err := r.with(i, ways[0]).plan().quote()
	if err == nil {
		s := q.stages[r.place(i)]
		ways[0].kind = kindOfStep(s)
		ways = append(c.alternatives(ways, s), c.otherUnit(i, s.Stage, q.end.In, r)...)
	}
	if note, listed, ok := steps.LeaveOut(own, c.model); ok {
		if !c.first.known && !listed {
			note, listed = unranked, true
		}
		ways = append(ways, way{kind: stage.LeftOut, note: note, listed: listed})
	}
	return ways
}

// kindOfStep is how a step comes by what it needs to know.
func kindOfStep(s stageOf) stage.Kind {
	if _, ok := s.Step.(query.PrivateFit); ok {
		return stage.Private
	}
	switch {
	case s.Role == stage.RolePublic:
		return stage.Public
	case len(s.expenses) > 0:
		return stage.TestedFit
	}
	return stage.Fitted
}

// alternatives are those that the step knows, the written one first and once.
func (c *comparer) alternatives(ways []way, s stageOf) []way {
	step, ok := s.Step.(stage.Alternatives)
	if !ok {
		return ways
	}
	own := kind.TextOf(s.Step)
	for _, a := range step.Alternatives(s.Stage, c.mu) {
		w := way{kind: a.Kind, step: a.Step, note: a.Note, listed: !(a.Same || c.model && a.SameModel)}
		if kind.TextOf(a.Step) == own {
			w.listed = false
			ways[0] = w
			continue
		}
		ways = append(ways, w)
	}
	return ways
}

// endings are the mechanisms that can end the chain.
func (c *comparer) endings(r route) []way {
	own := r.written
	ways := []way{{kind: stage.Release, end: own, note: "as written"}}
	if own.ends == nil {
		return ways
	}
	text := kind.TextOf(own.m)
	for _, e := range own.ends(own) {
		if kind.TextOf(e.plan.m) == text {
			continue
		}
		if !c.first.known && !e.listed {
			e.note, e.listed = strings.TrimPrefix(e.note+"; "+unranked, "; "), true
		}
		ways = append(ways, way{kind: stage.Release, end: e.plan, note: e.note, listed: e.listed})
	}
	return ways
}

// ending is a mechanism for the question of another, with the same target and its parameters at their defaults. One of which the value is
// another type, or which answers a question that is not quite the same, is listed.
type ending struct {
	plan   *plan
	note   string
	listed bool
}
