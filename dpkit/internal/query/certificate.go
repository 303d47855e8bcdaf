package query

import (
	"fmt"
	"math"
	"reflect"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// A Certificate is a number that the price of a step rests on, with the ground on which it may be
// used. What was merely observed on private rows has no ground: a bound that rests on it promises
// nothing to neighbouring datasets on which the number is another. The zero value is none.
type Certificate struct {
	value  float64
	ground stage.Origin
	tested Tested
	open   bool // the value is not known before the release
	drawn  bool // it is that of a private bound, which may be of no use
}

// Known reports whether there is a value to rest on.
func (c Certificate) Known() bool { return c.Given() && !c.open }

// Found is the certificate with the value that a private bound came out at.
func Found(c Certificate, v float64) Certificate {
	c.value, c.open, c.drawn = v, false, true
	return c
}

// Value is the number; 0 for one that is not known yet.
func (c Certificate) Value() float64 { return c.value }

// Ground says on what the number may be used; "" for none.
func (c Certificate) Ground() stage.Origin { return c.ground }

// Tested is the price of the test or of the private bound; zero where nothing is asked.
func (c Certificate) Tested() Tested { return c.tested }

// IsOpen says that the number is not known before the release.
func IsOpen(c Certificate) bool { return c.open }

// IsDrawn says that a private bound came out at the number, which may be of no use.
func IsDrawn(c Certificate) bool { return c.drawn }

// Declare certifies v by a promise of the caller, known before the rows were seen: from the law, from
// the way in which the data was collected, from public data. The guarantee becomes Conditional and
// names it.
//
// A number that you observed on the private rows is no such promise, and neither is one that you read
// off a release: it holds for these rows, and nothing is known of their neighbours. Ask for it with
// [Bound], or test it. What the steps of a chain learn is a [stage.NonPrivate] value, which no conversion
// turns into a float64: the compiler refuses it here.
func Declare(v float64) Certificate { return Certificate{value: v, ground: stage.FromDeclaration} }

// Test certifies v by propose-test-release: a noisy test on the rows decides whether v holds with
// room to spare, and the release is refused with [ErrTestFailed] if not. The test is paid for either
// way, and the guarantee is Tested.
//
// The noise is Gaussian, where Dwork and Lei (2009) add Laplace noise: it composes exactly with the noise
// of the release, by μ², so that a share of the budget is all that a test needs to be given, and at the
// failure probabilities of use it asks for less room at the same price.
func Test(v float64, t Tested) Certificate {
	return Certificate{value: v, ground: stage.FromTest, tested: t}
}

// Bound certifies a number by asking for it privately: the released bound holds with probability
// 1 − Delta, and what follows is calibrated to it when it is known. It never refuses. Cost shows the
// worst case; the result shows the price with the number that came out. The guarantee is Tested.
func Bound(t Tested) Certificate { return Certificate{ground: stage.FromTest, tested: t, open: true} }

// Tested is the price of a test or of a private bound, taken from the target of the release that it belongs to.
type Tested struct {
	Share float64 // of the squared noise parameter μ² (of the zCDP ρ) of the release, in (0, 1); no default
	Delta float64 // δ₀: probability that the test passes wrongly, a part of the release's δ; no default
}

// Given says whether there is a certificate, of whatever ground; the zero value is none.
func (c Certificate) Given() bool { return c.ground != "" }

// CheckCertificate reports a certificate that is missing or whose value or price is out of range; what names
// the number.
func CheckCertificate(c Certificate, what string) error {
	switch {
	case !c.Given():
		return fmt.Errorf("%s unknown; declare it with Declare(…), test it with Test(…), or ask for it with Bound(…): %w", what, kind.ErrParameter)
	case c.open || c.drawn:
		return c.tested.check()
	case !(c.value > 0) || math.IsInf(c.value, 1):
		return fmt.Errorf("%s: got %g, want a finite number > 0: %w", what, c.value, kind.ErrParameter)
	case c.ground == stage.FromTest:
		return c.tested.check()
	}
	return nil
}

func (t Tested) check() error {
	if err := CheckShare(t.Share); err != nil {
		return err
	}
	if !(t.Delta > 0) || !(t.Delta <= 0.5) {
		return fmt.Errorf("test: Delta: got %g, want a probability in (0, 1/2], a small part of the release's δ: %w", t.Delta, kind.ErrParameter)
	}
	return nil
}

// CheckShare reports a share that is no part of a budget.
func CheckShare(share float64) error {
	if !(share > 0) || !(share < 1) {
		return fmt.Errorf("share: got %g, want a number strictly between 0 and 1: the part of the release's μ² that the step may spend: %w", share, kind.ErrParameter)
	}
	return nil
}

// ScopeOf is that of a bound that rests on a certificate; what says so in words.
func ScopeOf(c Certificate, what string) accountant.Scope {
	switch c.ground {
	case stage.FromDeclaration:
		return accountant.Scope{Kind: accountant.Conditional, On: []string{what}}
	case stage.FromTest:
		return accountant.Scope{Kind: accountant.Tested, On: []string{what}}
	default:
		return accountant.Scope{Kind: accountant.Unconditional}
	}
}

// String names the certificate as it is written in a chain, and what a private bound came out at.
func (c Certificate) String() string { return c.Text() }

func (c Certificate) Text() string {
	tested := kind.Composite(reflect.ValueOf(c.tested), kind.ShownItems)
	switch {
	case c.ground == stage.FromDeclaration:
		return kind.Call("Declare", kind.Decimal(c.value))
	case c.ground != stage.FromTest:
		return "none"
	case c.drawn: // by a release, of which no plan is written
		return kind.Call("Bound", tested) + " = " + kind.Decimal(c.value)
	case c.open:
		return kind.Call("Bound", tested)
	}
	return kind.Call("Test", kind.Decimal(c.value), tested)
}

// Read is the opposite of Text.
func (c *Certificate) Read(p *kind.Parser) error {
	if p == nil {
		return fmt.Errorf("certificate: got no text to read, want one that Parse reads; write Declare(…), Test(…) or Bound(…) in Go: %w", kind.ErrParameter)
	}
	name, err := p.Name()
	if err != nil {
		return err
	}
	if err := p.Take("("); err != nil {
		return err
	}
	value, tested := reflect.ValueOf(&c.value).Elem(), reflect.ValueOf(&c.tested).Elem()
	switch name {
	case "Declare":
		c.ground = stage.FromDeclaration
		err = p.Value(value)
	case "Test":
		c.ground = stage.FromTest
		if err = p.Value(value); err == nil {
			err = p.Take(",")
		}
		if err == nil {
			err = p.Value(tested)
		}
	case "Bound":
		c.ground, c.open = stage.FromTest, true
		err = p.Value(tested)
	default:
		err = p.Fail("got %s, want Declare(…), Test(…) or Bound(…)", name)
	}
	if err != nil {
		return err
	}
	return p.Take(")")
}
