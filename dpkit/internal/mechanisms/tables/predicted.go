package tables

import (
	"fmt"
	"math"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// predicted is the noise on counts and sums, and on ranks: that of means and shares hangs on how many rows a group has.
func (c *calibrated) predicted(st stage.Stage) mechanism.Prediction {
	ranks := c.predictedRanks(st)
	if !c.counted {
		return *ranks
	}
	p := c.predictedCells(st)
	if ranks != nil && p.Known() {
		p.Rest = ranks
		p.Of += "; and " + ranks.Of
	}
	return p
}

// predictedCells is that of counts and sums.
func (c *calibrated) predictedCells(st stage.Stage) mechanism.Prediction {
	if c.n*c.width() > namedGroups {
		return mechanism.Deviations(mechanism.Gaussian, []string{"each count"}, c.Sigma)
	}
	var names []string
	var sd, most []float64
	var ofPeople []bool
	counted, counts := Count, float64(st.Before.N)/2
	people := counts / float64(max(1, st.Contributions.Rows))
	if c.people == inCounts {
		counted, counts = People, people
	}
	for _, g := range c.names() {
		group := groupName(g)
		names, sd, most, ofPeople = append(names, group+": "+counted), append(sd, c.Sigma), append(most, counts), append(ofPeople, c.people == inCounts)
		if c.people == beside {
			names, sd, most, ofPeople = append(names, group+": "+People), append(sd, c.Sigma), append(most, people), append(ofPeople, true)
		}
		for i, m := range c.measures {
			unit := m.half()
			if m.Square > 0 {
				unit *= m.half() // its sum is known to within n
			}
			names, sd = append(names, group+": "+m.String()), append(sd, c.Sigma/c.weights[i]*unit)
			if ofPeople = append(ofPeople, m.PerPerson); m.PerPerson {
				most = append(most, people*unit)
				continue
			}
			most = append(most, float64(st.Before.N)*unit)
		}
	}
	p := mechanism.Deviations(mechanism.Gaussian, names, sd...)
	p.Of, p.Most = "noise on each count, and on each sum of values from the middle of their bounds", most
	p.OfPeople = ofPeople
	return p
}

// groupName is that of a group in predictions.
func groupName(levels []string) string {
	if len(levels) == 0 {
		return "all rows"
	}
	return strings.Join(levels, ", ")
}

// String names the measure in predictions.
func (m TableMeasure) String() string {
	switch {
	case m.Level != "":
		return fmt.Sprintf("%s=%s", m.Column, m.Level)
	case m.PerPerson:
		return fmt.Sprintf("%s a person in [%g, %g]", m.Column, m.Lo, m.Hi)
	case m.Square > 0:
		return m.Column + "²"
	}
	return m.Column
}

// predictedRanks is by how many rows the ranks of quantiles are off: the same in every group, whatever its rows are. nil without
// quantiles.
func (c *calibrated) predictedRanks(st stage.Stage) *mechanism.Prediction {
	if len(c.quantiles) == 0 {
		return nil
	}
	p := &mechanism.Prediction{Of: sums.RanksOff + " a quantile, in its group", Law: mechanism.Exponential}
	groups := c.names()
	if c.n*len(c.quantiles) > namedGroups {
		groups = [][]string{{"each group"}}
	}
	for _, q := range c.quantiles {
		// The same but where bounds are next to each other, and for how q is rounded.
		p.LogK = max(p.LogK, math.Log(float64(len(q.Candidates)))+q.eta*sums.RankRounded(q.asked.Q, st.Before.N))
		for _, g := range groups {
			p.Names = append(p.Names, groupName(g)+": "+q.asked.String())
			p.Size, p.Most = append(p.Size, 1/q.eta), append(p.Most, float64(st.Before.N)/2)
		}
	}
	return p
}
