package decisions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/notebooks/studies/lab"
)

// waysOf are the plans that one decision leads to from the written one, which is the first, and the place of what Compare
// recommends. All are texts that [dpkit.Parse] reads.
func (src source) waysOf(s *dpkit.Session, settings Settings, epsilon float64) ([]Way, int, error) {
	if src.task == Classes {
		return waysTo[dpkit.LogisticModel](src, s, settings, epsilon)
	}
	return waysTo[dpkit.LinearModel](src, s, settings, epsilon)
}

func waysTo[V any](src source, s *dpkit.Session, settings Settings, epsilon float64) (ways []Way, recommended int, err error) {
	ending := func(end string) string {
		return fmt.Sprintf(end, fmt.Sprintf("Epsilon: %g, Delta: %g", epsilon, settings.Delta))
	}
	// add takes what releases the same kind of model.
	add := func(change string, v cost.Variant) (int, bool) {
		plan, err := dpkit.Parse[V](s, v.Plan)
		if err != nil {
			return 0, false
		}
		text := plan.String() // in its canonical form
		if at := slices.IndexFunc(ways, func(w Way) bool { return w.Plan == text }); at >= 0 {
			return at, true
		}
		w := Way{Change: change, Plan: text, Listed: v.Listed}
		if v.Predicted {
			e := lab.Round(v.Error)
			w.Predicted = &e
		}
		ways = append(ways, w)
		return len(ways) - 1, true
	}
	written := strings.Join(src.steps, ".") + "." + ending(ends[src.task][0])
	plan, err := dpkit.Parse[V](s, written)
	if err != nil {
		return nil, 0, err
	}
	c, err := plan.Compare()
	if err != nil {
		return nil, 0, err
	}
	c.Written.Plan = written
	add("as written", c.Written)
	for _, step := range c.Steps {
		for _, v := range step.Variants {
			change := v.Name
			if v.Plan == "" {
				continue
			}
			if step.Step <= len(src.steps) && v.Kind == "left out" {
				change = "without " + step.Name
			}
			add(change, v)
		}
	}
	at, ok := add("as recommended", c.Recommended)
	if !ok {
		return nil, 0, fmt.Errorf("the recommended plan releases something else: %s", c.Recommended.Plan)
	}
	// What is recommended, with the other mechanisms, is judged by hindsight too.
	if chain, _, ok := cutEnd(c.Recommended.Plan); ok {
		for _, end := range ends[src.task] {
			add("as recommended, by "+end[strings.IndexByte(end, '(')+1:strings.IndexByte(end, '{')], cost.Variant{Plan: chain + "." + ending(end)})
		}
	}
	return ways, at, nil
}

// cutEnd parts a plan's text into its chain and the fit at its end.
func cutEnd(plan string) (chain, end string, ok bool) {
	at := strings.LastIndex(plan, ".Fit")
	if at < 0 {
		return "", "", false
	}
	return plan[:at], plan[at+1:], true
}
