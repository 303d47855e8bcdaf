package dpkit

import (
	"errors"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// TestEveryMechanismIsExplained: Cost says of every kind of release, with each choice that has a price, what it rests on, in finite
// numbers with their origin, under a reference; and Explain prints all of it.
func TestEveryMechanismIsExplained(t *testing.T) {
	t.Parallel()
	everyMechanism(t, func(t *testing.T, e mechanismEntry, d Pipeline, m knownMechanism) {
		base := e.end(d)
		explained(t, base)
		for _, p := range parametersOf(base.m) {
			names, values := choices(p.typ)
			for i, v := range values {
				pl := m.end(base.p, withSetting(base.m, p, v))
				if _, err := pl.Cost(); err != nil { // another label, δ or relation; what is refused says so
					if !errors.Is(err, ErrParameter) && !errors.Is(err, ErrOrder) && !errors.Is(err, ErrColumn) && !strings.Contains(err.Error(), "want") {
						t.Errorf("%s %s: %v", p.path, names[i], err)
					}
					continue
				}
				t.Run(p.path+" "+names[i], func(t *testing.T) { explained(t, pl) })
			}
		}
	})
}

var origins = map[stage.Origin]bool{stage.FromSchema: true, stage.FromParameter: true, stage.FromConstruction: true, stage.FromDeclaration: true, stage.FromTest: true}

// explained checks the account of one plan.
func explained(t *testing.T, pl *plan) {
	t.Helper()
	c, err := pl.Cost()
	if err != nil {
		t.Fatal(err)
	}
	text := must(pl.explain())
	r := c.Release
	for what, v := range map[string]string{"name": r.Name, "event": r.Event, "reference": r.Reference, "route": c.Guarantee.Route} {
		if v == "" || !strings.Contains(text, v) {
			t.Errorf("%s: %q, which Explain does not print:\n%s", what, v, text)
		}
	}
	if got, want := r.Name, kind.Describe(pl.m); got != want {
		t.Errorf("it is called %s, want %s", got, want)
	}
	positive := func(what string, v float64) {
		if !(v > 0) || math.IsInf(v, 1) {
			t.Errorf("%s: got %v, want a positive finite number", what, v)
		}
	}
	positive("sensitivity", r.Sensitivity)
	positive("sensitivity without preprocessing", r.FreeSensitivity)
	positive("ε", c.Guarantee.Epsilon)
	positive("ε uncounted", r.Uncounted)
	positive("nominal ε", r.Nominal)
	if a := r.Amplification(); !(a >= 1-1e-12) {
		t.Errorf("noise × %v", a)
	}
	noise := false // a line on what hides a row: the noise, or the rate of weights
	for _, k := range r.Constants {
		if k.Symbol == "" || k.Meaning == "" || !origins[k.Origin] || math.IsNaN(k.Value) || math.IsInf(k.Value, 0) || !strings.Contains(text, k.String()) {
			t.Errorf("constant %+v: want a symbol, a meaning, an origin, a finite value, and a line of Explain", k)
		}
		noise = noise || hides.MatchString(k.Meaning)
	}
	if !noise {
		t.Errorf("no constant tells the noise:\n%s", text)
	}
	if r.Sigma != 0 {
		positive("σ", r.Sigma)
	}
}

// hides matches the meaning of a constant that tells how a row is hidden.
var hides = regexp.MustCompile(`\b(noise|noises|weight)\b`)

// TestEveryMechanismIsCompared: behind a step that can be taken in several ways each kind of release is priced in all of them, and one
// with a price is recommended; a kind without such a chain says why.
func TestEveryMechanismIsCompared(t *testing.T) {
	t.Parallel()
	everyMechanism(t, func(t *testing.T, e mechanismEntry, d Pipeline, _ knownMechanism) {
		if (e.beside == nil) != (e.alone != "") {
			t.Fatalf("want a chain of several ways, or why there is none; got %q", e.alone)
		}
		if e.beside == nil {
			c, _, err := e.end(d).compare()
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range c.Steps {
				for _, v := range s.Variants[1:] {
					if v.Kind != stage.LeftOut && v.Kind != stage.Release {
						t.Errorf("it compares steps: give its entry a chain\n%v", c)
					}
				}
			}
			if c.Recommended.Refused != "" || !(c.Recommended.Error <= c.Written.Error) {
				t.Errorf("recommended: %v", c)
			}
			return
		}
		c, _, err := e.beside(d).compare()
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Steps) == 0 {
			t.Fatalf("no step was compared:\n%v", c)
		}
		for _, v := range []cost.Variant{c.Written, c.Recommended} {
			if v.Refused != "" || !(v.Noise >= 1-1e-9) || math.IsInf(v.Noise, 1) || v.Cost.Guarantee.Epsilon <= 0 {
				t.Errorf("%s: %s, noise × %v, %v", v.Name, v.Refused, v.Noise, v.Cost.Guarantee)
			}
		}
		if !(c.Recommended.Noise <= c.Written.Noise*(1+1e-9)) {
			t.Errorf("recommended noise × %v, written × %v", c.Recommended.Noise, c.Written.Noise)
		}
		for _, s := range c.Steps {
			priced := 0
			for _, v := range s.Variants {
				if v.Name == "" || v.Kind == "" {
					t.Errorf("step %d: a way without a name or a kind: %+v", s.Step, v)
				}
				if v.Refused == "" {
					priced++
				}
			}
			if len(s.Variants) < 2 || priced == 0 || s.Why == "" || s.Variants[s.Best].Refused != "" {
				t.Errorf("step %d: %d ways, %d with a price, best %d (%s)", s.Step, len(s.Variants), priced, s.Best, s.Why)
			}
		}
		if text := c.String(); !strings.Contains(text, "* ") || strings.Contains(text, "NaN") {
			t.Errorf("the table:\n%s", text)
		}
	})
}
