package dpkit

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// Parse reads back the plan that [Plan].String printed, over a session's data: the same steps, mechanism and parameters, and
// therefore the same release, which replays where it was made. V is what the plan releases, such as [Estimates]; with any it
// may be whatever the text says.
//
// Steps of other modules are known by [stage.Register], functions of [Pipeline.Mutate] by [RegisterFunc]. A coordinator of
// [Pipeline.TrainLocally] and Fresh are no parameters of a release, and no text holds them: a plan that trains locally is read back
// to be priced, and cannot be released. Errors wrap [ErrParameter] and
// name the place in the text; whether the chain makes sense on the data is said by [Plan].Cost, as for a chain that was
// written in Go.
func Parse[V any](s *Session, text string) (Plan[V], error) {
	pl, err := parsePlan(s, text)
	if err != nil {
		return nil, err
	}
	got, want := reflect.TypeOf(pl.of.Zero()).Elem(), reflect.TypeFor[V]()
	if whatever := want == reflect.TypeFor[any](); got != want && !whatever {
		return nil, fmt.Errorf("dpkit: parse: the plan releases a %s, want %s; call Parse[%[1]s]: %[3]w", kind.GoName(got), kind.GoName(want), ErrParameter)
	}
	return typedPlan[V]{held{pl}}, nil
}

// ParsePipeline reads back the chain that [Pipeline].String printed, over a session's data. See [Parse].
func ParsePipeline(s *Session, text string) (Pipeline, error) {
	p := newPlanParser(text)
	chain, m, err := p.chain(s, false)
	if err == nil && m != nil {
		call := "Together"
		if m.joint == nil {
			call = m.m.(kind.Kinded).Kind().Call
		}
		err = p.Fail("got %s, which ends a chain: want steps alone; read a plan with Parse", call)
	}
	if err != nil {
		return Pipeline{}, fmt.Errorf("dpkit: parse: %w", err)
	}
	return chain, nil
}

func parsePlan(s *Session, text string) (*plan, error) {
	p := newPlanParser(text)
	_, pl, err := p.chain(s, false)
	if err == nil && pl == nil {
		err = p.Fail("the chain has no end, want a release such as Mean(ε = 1, δ = 1e-06); read a chain of steps with ParsePipeline")
	}
	if err != nil {
		return nil, fmt.Errorf("dpkit: parse: %w", err)
	}
	return pl, nil
}

// planParser reads a chain and what ends it.
type planParser struct{ kind.Parser }

func newPlanParser(text string) planParser {
	return planParser{kind.Parser{Text: text, Variants: knownVariants}}
}

// maxPlanText bounds the text of a plan: a list of candidates is the longest thing in one.
const maxPlanText = 1 << 24

// maxPlanSteps is more than a chain has that somebody wrote.
const maxPlanSteps = 1 << 10

// chain reads calls that are joined by dots: steps, then a mechanism and what is said of the plan. One that is an argument of Together
// ends where no dot follows.
func (p *planParser) chain(s *Session, argument bool) (Pipeline, *plan, error) {
	if s == nil {
		return Pipeline{}, nil, fmt.Errorf("got no session, want one that Create, Open, Demo or OnPublic returned: %w", ErrParameter)
	}
	if len(p.Text) > maxPlanText {
		return Pipeline{}, nil, p.Fail("got %d bytes, want at most %d", len(p.Text), maxPlanText)
	}
	chain := s.Data()
	var pl *plan
	for p.Skip(); p.At < len(p.Text) || pl == nil && len(chain.steps) > 0; p.Skip() {
		if pl != nil || len(chain.steps) > 0 {
			if p.At == len(p.Text) || argument && p.Text[p.At] != '.' {
				break
			}
			if err := p.Take("."); err != nil {
				return chain, nil, err
			}
		}
		name, err := p.Name()
		if err != nil {
			return chain, nil, err
		}
		switch {
		case len(chain.steps) == maxPlanSteps:
			err = p.Fail("more than %d steps", maxPlanSteps)
		case pl != nil:
			err = p.modify(pl, name)
		case name == "Together" && len(chain.steps) == 0 && !argument:
			pl, err = p.together(s)
		case name == "With":
			var step stage.Preprocessor
			if step, err = p.with(); err == nil {
				chain = chain.with(step)
			}
		case name == "JoinPeople":
			chain, err = p.joinPeople(chain)
		default:
			pl, chain, err = p.call(chain, name)
		}
		if err != nil {
			return chain, nil, err
		}
	}
	return chain, pl, nil
}

// together reads the target and the plans of several that are released together.
func (p *planParser) together(s *Session) (*plan, error) {
	if err := p.Take("("); err != nil {
		return nil, err
	}
	var target Target
	first := true
	if err := p.Named(reflect.ValueOf(&target).Elem(), &first); err != nil {
		return nil, err
	}
	var plans []AnyPlan
	for p.Skip(); p.At < len(p.Text) && p.Text[p.At] != ')'; p.Skip() {
		if !first {
			if err := p.Take(","); err != nil {
				return nil, err
			}
		}
		first = false
		if len(plans) == maxPlanSteps {
			return nil, p.Fail("more than %d plans", maxPlanSteps)
		}
		_, pl, err := p.chain(s, true)
		if err != nil {
			return nil, err
		}
		if pl == nil {
			return nil, p.Fail("plan %d has no end, want a release such as Mean()", len(plans)+1)
		}
		plans = append(plans, held{pl})
	}
	return Together(target, plans...).plan(), p.Take(")")
}

// call reads the arguments of a step or a mechanism.
func (p *planParser) call(chain Pipeline, name string) (*plan, Pipeline, error) {
	ends := slices.DeleteFunc(knownMechanisms(), func(m knownMechanism) bool { return m.of.Kind().Call != name })
	if len(ends) > 0 {
		i, err := p.way(name, len(ends), func(i int) kind.Kinded { return ends[i].of })
		if err != nil {
			return nil, chain, err
		}
		v := reflect.New(reflect.TypeOf(ends[i].of)).Elem()
		v.Set(reflect.ValueOf(ends[i].of))
		if err := p.Arguments(v); err != nil {
			return nil, chain, err
		}
		return ends[i].end(chain, v.Interface()), chain, nil
	}
	ways := slices.DeleteFunc(knownSteps(), func(s kind.Kinded) bool { return s.Kind().Call != name })
	if len(ways) == 0 {
		return nil, chain, p.Fail("got %s, want a step or a release of this package, under the name of its method", name)
	}
	i, err := p.way(name, len(ways), func(i int) kind.Kinded { return ways[i] })
	if err != nil {
		return nil, chain, err
	}
	way := ways[i]
	v := reflect.New(reflect.TypeOf(way)).Elem()
	v.Set(reflect.ValueOf(way))
	if err := p.Arguments(v); err != nil {
		return nil, chain, err
	}
	if s, ok := v.Interface().(steps.Spectral); ok {
		return nil, chain.with(steps.FilterBy(s.Filter)), nil // of A or of C, as the filter says
	}
	return nil, chain.with(v.Interface().(stage.Preprocessor)), nil
}

// way is which of several kinds with the same call it is, by the struct literal that the arguments begin with.
func (p *planParser) way(call string, ways int, of func(i int) kind.Kinded) (int, error) {
	option := p.PeekOption()
	if optionOf(of(0)) == "" || ways == 1 {
		return 0, nil
	}
	var want []string
	for i := range ways {
		if optionOf(of(i)) == option {
			return i, nil
		}
		want = append(want, optionOf(of(i))+"{…}")
	}
	return 0, p.Fail("%s: want one of %s", call, strings.Join(want, ", "))
}

// optionOf is the struct literal that a call begins with; "" for a call without one.
func optionOf(way kind.Kinded) string {
	v := reflect.ValueOf(way)
	for v.NumField() > 0 {
		f, x := v.Type().Field(0), v.Field(0)
		switch {
		case f.Tag.Get("dp") == "base":
			v = x
			continue
		case x.Kind() == reflect.Interface && !x.IsNil():
			return x.Elem().Type().Name()
		case f.Anonymous:
			return f.Type.Name()
		}
		break
	}
	return ""
}

// with reads a step of another module.
func (p *planParser) with() (stage.Preprocessor, error) {
	if err := p.Take("("); err != nil {
		return nil, err
	}
	var name string
	if err := p.Value(reflect.ValueOf(&name).Elem()); err != nil {
		return nil, err
	}
	t, ok := kind.KindNamed(name)
	if !ok {
		return nil, p.Fail("With: %q is not known to this program; import the module of the step, which registers it", name)
	}
	if err := p.Take(","); err != nil {
		return nil, err
	}
	v := reflect.New(t).Elem()
	if err := p.Value(v); err != nil {
		return nil, err
	}
	return v.Interface().(stage.Preprocessor), p.Take(")")
}

// modify reads what is said of a plan behind its mechanism.
func (p *planParser) modify(pl *plan, name string) error {
	if err := p.Take("("); err != nil {
		return err
	}
	switch name {
	case "Named":
		if err := p.Value(reflect.ValueOf(&pl.name).Elem()); err != nil {
			return err
		}
	case "WithoutPrediction":
		pl.blind = true
	case "Weight":
		var w float64
		if err := p.Value(reflect.ValueOf(&w).Elem()); err != nil {
			return err
		}
		*pl = *pl.weighing(w)
	default:
		return p.Fail("got %s, want Named(…), WithoutPrediction() or Weight(…) behind the release", name)
	}
	return p.Take(")")
}
