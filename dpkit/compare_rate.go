package dpkit

import (
	"fmt"
	"math"
	"strings"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// rating is what a plan is predicted to be worth.
type rating struct {
	of       string // unit of the error; "" where nothing is predicted
	error    float64
	noise    float64 // in multiples of that of a chain of free steps
	known    bool    // the error is predicted; else it is the noise
	accuracy float64 // what the error means for a classifier; 0 for others
	idle     bool
	stuck    bool // a model that reads rows cannot be released
	lost     float64
	bias     float64
	by       float64 // the noise's part of the error
	model    bool
	charged  float64 // ε that the ledger charges
	unknown  string  // what is left out, of which nothing is predicted
	refused  string
	priced   cost.Variant
}

// priced is a [cost.Priced] of a plan that was priced.
type priced struct {
	cost Cost
	err  error
}

func (p priced) Cost() (Cost, error) { return p.cost, p.err }

// isModel reports whether what is released reads rows: then any chain in front of it answers the same question.
func (pl *plan) isModel() bool {
	_, ok := pl.of.Zero().(models.Deployed)
	return ok
}

// rate prices a plan, and predicts how far off it will be.
func (c *comparer) rate(pl *plan) rating {
	text := pl.String()
	if r, ok := c.rated[text]; ok {
		return r
	}
	r := c.rateAnew(pl)
	c.rated[text] = r
	return r
}

func (c *comparer) rateAnew(pl *plan) rating {
	q, err := pl.quote()
	var p priced
	if err != nil {
		p.err = err
	} else {
		p.cost = pl.costOf(q)
	}
	r := rating{priced: cost.Of("", p)}
	if r.refused = r.priced.Refused; r.refused != "" {
		r.error, r.noise = math.Inf(1), math.Inf(1)
		return r
	}
	r.noise, r.charged = r.priced.Noise, p.cost.Guarantee.Epsilon
	if charged := p.cost.Charged; charged != (accountant.Budget{}) {
		r.charged = charged.Epsilon
	}
	if c.model && !pl.blind {
		_, err := q.deploy(nil)
		r.stuck = err != nil
	}
	if instead := q.made.Predicted.Instead; instead > 0 {
		r.noise = instead / math.Sqrt(1-r.priced.Share)
	}
	r.unknown = pl.leftOut(q)
	l := q.outlook(pl.isModel(), c.mu, c.where)
	r.of, r.error, r.known, r.idle, r.by = l.of, l.error, l.known, l.idle, l.noise
	r.accuracy, r.model = l.accuracy, c.model
	if r.bias = l.population.Bias; c.model {
		r.lost, r.bias = l.population.Lost, 0
	}
	if !r.known { // what is lost and what is off beside the noise
		r.error = r.noise / max(1-r.lost-r.bias, 0x1p-30)
	}
	return r
}

// comparable reports whether a plan may be recommended in place of the one as written: it has a price, is off in the same units, and a
// ledger charges no more for it.
func (r rating) comparable(written rating) bool {
	return r.refused == "" && r.known == written.known && r.of == written.of && r.charged <= written.charged*(1+1e-3)
}

// better reports whether a plan is to be taken in place of another: its error is lower by what the reference population can tell, or it is
// as low with less noise, or it can be released as a model where the other cannot.
func (r rating) better(than rating) bool {
	switch {
	case than.refused != "":
		return r.refused == ""
	case r.stuck != than.stuck:
		return than.stuck
	}
	return r.error*asGood < than.error || r.error <= than.error && r.noise < than.noise*(1-1e-3)
}

// betterEnd is better of another mechanism, whose noise is not of the same kind. That of models is taken where it is predicted to have less
// than three quarters of the error, as [BestLinear] has it: data are unlike the population in other ways for each.
func (r rating) betterEnd(than rating) bool {
	switch {
	case than.refused != "" || r.stuck != than.stuck || r.refused != "":
		return r.better(than)
	case than.model: // one that says nothing too: an error just below that is no reason
		return r.error < leastGain*than.error
	}
	return than.idle && !r.idle || r.error*asGood < than.error
}

const leastGain = 3. / 4

// variant is the plan in a table.
func (r rating) variant(name string, pl *plan) cost.Variant {
	v := r.priced
	v.Name, v.Plan, v.Unknown = name, pl.String(), r.unknown
	if r.refused == "" && r.known {
		v.Error, v.Accuracy, v.Predicted, v.Idle = r.error, r.accuracy, true, r.idle
	}
	return v
}

func (r rating) unpredicted() string {
	if r.known {
		return ""
	}
	return " (nothing is predicted of this release: ways are ranked by their noise)"
}

// because says where the difference to another plan lies.
func (r rating) because(other rating) string {
	var of []string
	switch {
	case r.lost < other.lost*(1-1e-6):
		of = append(of, fmt.Sprintf("%.2g of the signal is lost on the reference population in place of %.2g", r.lost, other.lost))
	case r.lost > other.lost*(1+1e-6):
		of = append(of, fmt.Sprintf("although %.2g of the signal is lost on the reference population in place of %.2g", r.lost, other.lost))
	}
	switch {
	case r.bias < other.bias:
		of = append(of, fmt.Sprintf("what it fills is off by %.2g of half a column's range on the reference population in place of %.2g", r.bias, other.bias))
	case r.bias > other.bias:
		of = append(of, fmt.Sprintf("although what it fills is off by %.2g of half a column's range on the reference population in place of %.2g", r.bias, other.bias))
	}
	if r.by < other.by || len(of) == 0 {
		of = append(of, fmt.Sprintf("noise has %.3g of the error in place of %.3g", r.by, other.by))
	}
	return strings.Join(of, "; ")
}

// lost warns of a model that is predicted to say nothing for what the steps before it lose and spread; "" where it is not.
func (pl *plan) lost(q quote) string {
	mu := 0.0
	if target, ok := query.TargetOf(pl.m); ok {
		var err error
		if mu, err = accountant.CalibrateShared(target); err != nil {
			return ""
		}
	}
	if !pl.isModel() || !q.outlook(true, mu, nil).idle {
		return ""
	}
	return "with what the steps before it lose of the signal a model that says nothing is predicted to be as good, on the reference population: see Compare"
}

// outlook is what is predicted of a release behind a chain.
type outlook struct {
	of         string
	error      float64
	noise      float64 // its part
	most       float64 // of a model that says nothing; 0 where that is unknown
	accuracy   float64 // of a classifier; 0 of others
	known      bool
	idle       bool
	population steps.Reference
}

// outlook puts together what the mechanism predicts of its noise and what the steps make of the reference population, which lies in
// these intervals of columns, and in the others fills their bounds.
func (q quote) outlook(model bool, mu float64, where steps.Whereabouts) outlook {
	var l outlook
	if q.likely != nil {
		q = *q.likely
	}
	first := q.end.In
	if len(q.stages) > 0 {
		first = q.stages[0].In
	}
	p := q.made.Predicted
	l.population = steps.NewReferenceIn(first, where)
	l.population.Even = model && p.Known() && p.Classes == nil
	for _, s := range q.stages {
		l.population = l.population.Behind(s.Step, s.Stage, mu)
	}
	if !p.Known() || len(p.Size) == 0 {
		return l
	}
	l.of, l.known = p.Of, true
	if model && p.Law == "" && len(p.Size) == 1 {
		if len(p.Most) == 1 {
			l.most = p.Most[0]
		}
		l.error = l.population.Error(p.Size[0], l.most, q.end)
		l.noise = l.error
		if l.most > 0 && l.population.Lost < 1 {
			l.noise = (l.error - l.population.Lost*l.most) / (1 - l.population.Lost)
		}
		l.idle = l.most > 0 && !(l.error < l.most*(1-1e-9))
		l.known = !math.IsNaN(l.error)
		if p.Classes != nil {
			l.accuracy = p.Classes.Exact - l.error
		}
		return l
	}
	each := max(1, q.end.Contributions.Rows)
	l.noise = shareOfRange(p, l.population.Wider(q.end.In, p.Names), float64(each))
	if len(p.Most) == len(p.Size) {
		l.of = "error of a number over half of what public bounds leave open, root mean square of all"
		if each > 1 {
			l.of += ", were there one row of each person"
		}
	}
	l.error = math.Hypot(l.noise, l.population.Bias)
	l.idle = len(idleOf(p, warningLevel)) == len(p.Size)
	l.known = !math.IsNaN(l.error)
	return l
}

// shareOfRange is the root mean square of how far off numbers are, over half of the range that each is in, or as they are where a range is
// unknown.
// Each is weighed by how much wider the range is than where the column's rows are. A range that counts places of rows, each of them a person's,
// is taken for one of people: else a bound of more rows would be off by as large a part of more.
func shareOfRange(p mechanism.Prediction, wider []float64, each float64) float64 {
	size := p.Size
	if p.Law == mechanism.Exponential { // whose rate alone says little
		size = p.Margin(warningLevel)
	}
	var sum float64
	for i, s := range size {
		if len(p.Most) == len(size) {
			if s /= p.Most[i]; i >= len(p.OfPeople) || !p.OfPeople[i] {
				s *= each
			}
			if i < len(wider) {
				s *= wider[i]
			}
		}
		sum += s * s / float64(len(size))
	}
	return math.Sqrt(sum)
}
