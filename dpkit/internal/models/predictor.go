package models

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
)

// A Predictor is a released model that predicts a label, of classes or a number: a value of any type of models, and no other.
type Predictor interface {
	// String tells the model's shape, and what its release promises.
	String() string
	// MarshalJSON writes the model, where it came from included.
	MarshalJSON() ([]byte, error)
	predicts() predicts
}

// predicts is how a model predicts one row: by scores ⟨coef[k], z⟩ + intercept[k] of the row z that its maps make.
type predicts struct {
	label     string
	classes   []string // none of a number
	read      Reader
	columns   int
	coef      [][]float64
	intercept []float64
	answer    func(scores []float64) float64 // the number, or the place of the class; it may write over the scores
	refused   string
	from      origin.Provenance
}

// above is the second class where the link of the score is above the threshold.
func above(threshold float64, link func(float64) float64) func([]float64) float64 {
	return func(s []float64) float64 {
		if link(s[0]) > threshold {
			return 1
		}
		return 0
	}
}

func identity(v float64) float64 { return v }

func linked(link func(float64) float64) func([]float64) float64 {
	return func(s []float64) float64 { return link(s[0]) }
}

func (m LogisticModel) predicts() predicts {
	return predicts{m.Label, m.Classes[:], m.Reader, len(m.Coef), [][]float64{m.Coef}, []float64{m.Intercept}, above(0.5, Sigmoid), "", m.Provenance}
}

func (m ClassModel) predicts() predicts {
	return predicts{m.Label, m.Classes[:], m.Reader, len(m.Coef), [][]float64{m.Coef}, []float64{m.Intercept}, above(0, identity), "", m.Provenance}
}

func (m MultinomialModel) predicts() predicts {
	return predicts{m.Label, m.Classes, m.Reader, len(m.Columns), m.Coef, m.Intercepts, func(s []float64) float64 {
		probable(s)
		return float64(first(s))
	}, "", m.Provenance}
}

func (m LinearModel) predicts() predicts {
	clamp := func(v float64) float64 { return num.Clamp(v, m.Lo, m.Hi) }
	return predicts{m.Label, nil, m.Reader, len(m.Coef), [][]float64{m.Coef}, []float64{m.Intercept}, linked(clamp), "", m.Provenance}
}

func (m RateModel) predicts() predicts {
	rate := func(v float64) float64 { return min(math.Exp(v), m.MaxCount) }
	return predicts{m.Label, nil, m.Reader, len(m.Coef), [][]float64{m.Coef}, []float64{m.Intercept}, linked(rate), "", m.Provenance}
}

func (m GradientModel) predicts() predicts {
	p := predicts{m.Label, m.Classes, m.Reader, len(m.Columns), m.Coef, m.Intercept, nil, "", m.Provenance}
	switch {
	case len(m.Classes) == 0:
		p.answer = linked(func(v float64) float64 { return num.Clamp(v, m.Lo, m.Hi) })
	case len(m.Coef) == 1:
		p.answer = above(0, identity)
	default:
		p.answer = func(s []float64) float64 { return float64(first(s)) }
	}
	return p
}

func (m UnboundedModel) predicts() predicts {
	p := predicts{m.Label, m.Classes, m.Reader, len(m.Coef), [][]float64{m.Coef}, []float64{m.Intercept}, linked(identity), m.Refused, m.Provenance}
	if len(m.Classes) > 0 {
		p.answer = above(0.5, Sigmoid) // as Accuracy has it
	}
	return p
}

// first is the place of the largest score, the first of equal ones.
func first(s []float64) int {
	best := 0
	for k, v := range s {
		if v > s[best] {
			best = k
		}
	}
	return best
}

// finite reports a model whose scores are no numbers.
func (p predicts) finite() bool {
	bad := func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }
	return !slices.ContainsFunc(p.coef, func(c []float64) bool { return slices.ContainsFunc(c, bad) }) && !slices.ContainsFunc(p.intercept, bad)
}

// Candidate is a model that may be chosen, as the text of a plan holds it: its JSON. It never changes.
type Candidate struct {
	text string
	of   Predictor // a pointer, read from the text
	bad  string    // why there is none
}

// NewCandidate takes up a model. One that cannot be written as JSON makes a candidate that is none: [Candidate.Judge] says why.
func NewCandidate(p Predictor) Candidate {
	if v := reflect.ValueOf(p); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return Candidate{bad: "got none, want the value of a released model"}
	}
	if !p.predicts().finite() {
		return Candidate{bad: "its coefficients are no finite numbers: release it anew"}
	}
	text, err := json.Marshal(p)
	if err != nil {
		return Candidate{bad: "it cannot be written as JSON"}
	}
	of, err := predictorOf(text)
	if err != nil {
		return Candidate{bad: err.Error()}
	}
	return Candidate{text: string(text), of: of}
}

// kindsOfPredictors are empty models by the kind that a stored one names.
func kindsOfPredictors() map[string]Predictor {
	return map[string]Predictor{
		LinearKind: new(LinearModel), LogisticKind: new(LogisticModel), classKind: new(ClassModel), multinomialKind: new(MultinomialModel),
		rateKind: new(RateModel), gradientKind: new(GradientModel), unboundedKind: new(UnboundedModel), reportedKind: new(ReportedLogistic), localKind: new(LocalModel),
	}
}

// predictorOf reads a model of any kind; it is a pointer.
func predictorOf(text []byte) (Predictor, error) {
	var h modelHeader
	if err := json.Unmarshal(text, &h); err != nil {
		return nil, err
	}
	p, ok := kindsOfPredictors()[h.Format]
	if !ok {
		return nil, fmt.Errorf("got a value of format %q, want a model that predicts", h.Format)
	}
	return p, json.Unmarshal(text, p)
}

// model is that of the candidate.
func (c Candidate) model() (Predictor, error) {
	if c.of == nil {
		return nil, errors.New(cmp.Or(c.bad, "got none, want the value of a released model"))
	}
	return c.of, nil
}

// Text is the candidate in a plan: its JSON.
func (c Candidate) Text() string {
	if c.text == "" {
		return "nil"
	}
	return c.text
}

// Read is the opposite of Text.
func (c *Candidate) Read(p *kind.Parser) error {
	p.Skip()
	if strings.HasPrefix(p.Text[p.At:], "nil") {
		p.At += len("nil")
		*c = NewCandidate(nil)
		return nil
	}
	d := json.NewDecoder(strings.NewReader(p.Text[p.At:]))
	var raw json.RawMessage
	if err := d.Decode(&raw); err != nil {
		return p.Fail("got no model as JSON: %v", err)
	}
	m, err := predictorOf(raw)
	if err != nil {
		return p.Fail("%v", err)
	}
	p.At += int(d.InputOffset())
	*c = NewCandidate(m)
	return nil
}

// Short names the candidate in few words, for tables and messages: its shape, and the release that made it.
func (c Candidate) Short() string {
	m, err := c.model()
	if err != nil {
		return "nil"
	}
	p := m.predicts()
	what := fmt.Sprintf("model of %s on %d columns", p.label, p.columns)
	if p.from.Release != "" {
		what += " by " + p.from.Release
	}
	return what
}

// Bare is the candidate without where it came from: what its predictions rest on.
func (c Candidate) Bare() Candidate {
	m, err := predictorOf([]byte(c.text))
	if err != nil {
		return c
	}
	*origin.Of(m.(origin.Carrier)) = origin.Provenance{}
	return NewCandidate(m)
}

// Released says whether a private release made the model, as the model itself says, or a demonstration of one, and what it promised; nil
// where a demonstration does not say.
func (c Candidate) Released(demonstration bool) (promise *accountant.Guarantee, ok bool) {
	m, err := c.model()
	if err != nil {
		return nil, false
	}
	from := m.predicts().from
	return from.Guarantee, from.Guarantee != nil && from.NotPrivate == "" || demonstration && from.NotPrivate != ""
}

// Part names the dataset whose rows it was released of, and the part of them, as the model itself says.
func (c Candidate) Part() (dataset, part string, demonstration bool) {
	m, err := c.model()
	if err != nil {
		return "", "", false
	}
	from := m.predicts().from
	return from.Dataset, from.Part, from.NotPrivate != ""
}

// Predicted is the error that its release was predicted to have, and of what; ok is false where nothing was.
func (c Candidate) Predicted() (size float64, of string, ok bool) {
	m, err := c.model()
	if err != nil {
		return 0, "", false
	}
	from := m.predicts().from
	return from.Predicted, from.PredictedOf, from.PredictedOf != ""
}
