package cost

import (
	"fmt"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
)

// Gota is the price as a gota frame, a row for each step and one for the release, last: "step", "name", "role", "scope",
// "displacement" (τ so far), "moved" and "free" rows, "share" of the budget that the step asks privately, "sensitivity" and "sigma"
// of the release, and in every row the whole plan's promise: "epsilon", "delta", "unit", "entry" (none yet), "promise". A number
// that a row has none of is gota's NaN. Plans that are released together follow one another.
func (c Plan) Gota() dataframe.DataFrame {
	var step, moved, free []int
	var name, role, scope []string
	var displacement, share, sensitivity, sigma []float64
	add := func(s Step, roleName string) {
		asked := 0.0
		for _, q := range s.Queries {
			asked += q.Share
		}
		step, moved, free = append(step, s.Step), append(moved, s.Moved), append(free, s.Free)
		name, role, scope = append(name, s.Name), append(role, roleName), append(scope, s.Scope.String())
		displacement, share = append(displacement, s.Displacement), append(share, asked)
	}
	chain := func(c Plan, prefix string) {
		n := len(c.Steps)
		for _, s := range c.Steps {
			s.Name = prefix + s.Name
			add(s, string(s.Role))
		}
		end := Step{Free: 1}
		if n > 0 {
			end = c.Steps[n-1]
		}
		end.Step, end.Name, end.Scope, end.Queries = n+1, prefix+c.Release.Name, c.Guarantee.Scope, nil
		add(end, "release")
		sensitivity = append(append(sensitivity, blank(n)...), c.Release.Sensitivity)
		sigma = append(append(sigma, blank(n)...), c.Release.Sigma)
	}
	if len(c.Members) == 0 {
		chain(c, "")
	}
	for i, m := range c.Members {
		chain(m.Cost, fmt.Sprintf("plan %d: ", i+1))
	}
	return origin.Gota(c.promise(),
		series.New(step, series.Int, "step"), origin.Words("name", name), origin.Words("role", role), origin.Words("scope", scope),
		origin.Numbers("displacement", displacement), series.New(moved, series.Int, "moved"), series.New(free, series.Int, "free"),
		origin.Numbers("share", share), origin.Numbers("sensitivity", sensitivity), origin.Numbers("sigma", sigma))
}

// promise is what a release of the plan would promise.
func (c Plan) promise() origin.Provenance {
	o := origin.Provenance{Release: c.Release.Name, NotPrivate: c.NotPrivate}
	if o.NotPrivate == "" {
		o.Guarantee, o.Unit = &c.Guarantee, c.Guarantee.Unit.String()
		if c.Together != nil {
			o.Guarantee = c.Together
		}
	}
	return o
}
