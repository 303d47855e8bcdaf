package decisions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit"
)

// waysOf are the plans that one decision leads to from the written one, which is the first, and the place of what Compare
// recommends. All are texts that [dpkit.Parse] reads.
func (src source) waysOf(s *dpkit.Session, settings Settings, epsilon float64) (ways []Way, recommended int, err error) {
	ending := func(i int) string {
		return fmt.Sprintf(ends[src.task][i], fmt.Sprintf("Epsilon: %g, Delta: %g", epsilon, settings.Delta))
	}
	join := func(steps []string, end string) string { return strings.Join(append(slices.Clone(steps), end), ".") }
	add := func(change, text string) (int, error) {
		plan, err := dpkit.Parse[any](s, text)
		if err != nil {
			return 0, err
		}
		text = plan.String() // in its canonical form
		if at := slices.IndexFunc(ways, func(w Way) bool { return w.Plan == text }); at >= 0 {
			return at, nil
		}
		ways = append(ways, Way{Change: change, Plan: text})
		return len(ways) - 1, nil
	}
	written := join(src.steps, ending(0))
	if _, err := add("as written", written); err != nil {
		return nil, 0, err
	}
	plan, err := dpkit.Parse[any](s, written)
	if err != nil {
		return nil, 0, err
	}
	c, err := plan.Compare()
	if err != nil {
		return nil, 0, err
	}
	for _, step := range c.Steps {
		for _, v := range step.Variants {
			steps := slices.Clone(src.steps)
			steps[step.Step-1] = v.Name
			if _, err := add(v.Name, join(steps, ending(0))); err != nil {
				return nil, 0, err
			}
		}
	}
	for i, step := range src.steps {
		if _, err := add("without "+step, join(slices.Delete(slices.Clone(src.steps), i, i+1), ending(0))); err != nil {
			return nil, 0, err
		}
	}
	for i := range ends[src.task] {
		if _, err := add(ending(i), join(src.steps, ending(i))); err != nil {
			return nil, 0, err
		}
	}
	// The recommended plan is made as Compare makes it: step by step, where what stands so far has a price.
	best := slices.Clone(src.steps)
	for _, step := range c.Steps {
		next := slices.Clone(best)
		next[step.Step-1] = step.Variants[step.Best].Name
		if p, err := dpkit.Parse[any](s, join(next, ending(0))); err == nil {
			if _, err := p.Cost(); err == nil {
				best = next
			}
		}
	}
	if recommended, err = add("as recommended", join(best, ending(0))); err != nil {
		return nil, 0, err
	}
	for i := range ends[src.task] {
		if _, err := add("as recommended, "+ending(i), join(best, ending(i))); err != nil {
			return nil, 0, err
		}
	}
	return ways, recommended, nil
}
