package dpkit

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// goldenCall is a step of a golden file as its name writes it: f, f(a), f(a, key=b), f(word).
type goldenCall struct {
	name       string
	positional []float64
	named      map[string]float64
	words      []string // arguments that are no numbers
	used       map[string]bool
}

// parseCalls reads one step, or several joined by ">".
func parseCalls(text string) ([]*goldenCall, error) {
	var out []*goldenCall
	for part := range strings.SplitSeq(text, ">") {
		c, err := parseCall(strings.TrimSpace(part))
		if err != nil {
			return nil, fmt.Errorf("step %q: %w", text, err)
		}
		out = append(out, c)
	}
	return out, nil
}

func parseCall(text string) (*goldenCall, error) {
	name, rest, has := strings.Cut(text, "(")
	c := &goldenCall{name: strings.TrimSpace(name), named: map[string]float64{}, used: map[string]bool{}}
	if c.name == "" || has && !strings.HasSuffix(rest, ")") {
		return nil, fmt.Errorf("%q is no call", text)
	}
	args := strings.TrimSpace(strings.TrimSuffix(rest, ")"))
	if args == "" {
		return c, nil
	}
	for arg := range strings.SplitSeq(args, ",") {
		key, value, isNamed := strings.Cut(arg, "=")
		if !isNamed {
			key, value = "", arg
		}
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		x, err := evaluate(value, nil)
		switch {
		case err == nil && key != "":
			if _, twice := c.named[key]; twice {
				return nil, fmt.Errorf("argument %q is given twice", key)
			}
			c.named[key] = x
		case err == nil:
			c.positional = append(c.positional, x)
		case key == "" && value != "":
			c.words = append(c.words, value)
		default:
			return nil, fmt.Errorf("argument %q: %w", arg, err)
		}
	}
	return c, nil
}

// number is the argument at a position, or of one of the names that key lists; otherwise the default, NaN where
// there is none.
func (c *goldenCall) number(position int, key string, otherwise float64) float64 {
	for k := range strings.SplitSeq(key, "|") {
		if x, ok := c.named[k]; ok {
			c.used[k] = true
			return x
		}
	}
	if position < len(c.positional) {
		c.used[strconv.Itoa(position)] = true
		return c.positional[position]
	}
	return otherwise
}

// whole is number for a count.
func (c *goldenCall) whole(position int, key string, otherwise int) int {
	return int(c.number(position, key, float64(otherwise)))
}

func (c *goldenCall) word(w string) bool {
	for _, x := range c.words {
		if x == w {
			c.used[w] = true
			return true
		}
	}
	return false
}

// unread names an argument that the step's handler did not ask for: it cannot have heeded it.
func (c *goldenCall) unread() error {
	for k := range c.named {
		if !c.used[k] {
			return fmt.Errorf("%s: unknown argument %s", c.name, k)
		}
	}
	for i, x := range c.positional {
		if !c.used[strconv.Itoa(i)] {
			return fmt.Errorf("%s: unknown argument %g at position %d", c.name, x, i)
		}
	}
	for _, w := range c.words {
		if !c.used[w] {
			return fmt.Errorf("%s: unknown argument %s", c.name, w)
		}
	}
	return nil
}

// evaluate reads a number or a formula such as -1/sqrt2, (n-2) or -1+2s.
func evaluate(text string, vars map[string]float64) (float64, error) {
	e := &expression{text: strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text), vars: vars}
	x, err := e.sum()
	if err == nil && e.at < len(e.text) {
		err = fmt.Errorf("%q: unexpected %q", text, e.text[e.at:])
	}
	return x, err
}

type expression struct {
	text string
	at   int
	vars map[string]float64
}

func (e *expression) next(set string) byte {
	if e.at < len(e.text) && strings.IndexByte(set, e.text[e.at]) >= 0 {
		e.at++
		return e.text[e.at-1]
	}
	return 0
}

func (e *expression) sum() (float64, error) {
	x, err := e.product()
	for err == nil {
		op := e.next("+-")
		if op == 0 {
			break
		}
		var y float64
		if y, err = e.product(); op == '-' {
			y = -y
		}
		x += y
	}
	return x, err
}

func (e *expression) product() (float64, error) {
	x, err := e.factor()
	for err == nil {
		switch op := e.next("*/"); {
		case op != 0:
			var y float64
			if y, err = e.factor(); op == '/' {
				y = 1 / y
			}
			x *= y
		case e.at < len(e.text) && unicode.IsLetter(rune(e.text[e.at])): // 2s
			var y float64
			y, err = e.factor()
			x *= y
		default:
			return x, nil
		}
	}
	return x, err
}

func (e *expression) factor() (float64, error) {
	switch {
	case e.next("-") != 0:
		x, err := e.factor()
		return -x, err
	case e.next("+") != 0:
		return e.factor()
	case e.next("(") != 0:
		x, err := e.sum()
		if err == nil && e.next(")") == 0 {
			err = fmt.Errorf("%q: a parenthesis is open", e.text)
		}
		return x, err
	}
	from := e.at
	for e.at < len(e.text) && (e.text[e.at] == '.' || unicode.IsDigit(rune(e.text[e.at])) ||
		// of an exponent
		(e.text[e.at] == 'e' && e.at > from && e.at+1 < len(e.text) && strings.IndexByte("+-0123456789", e.text[e.at+1]) >= 0) ||
		(strings.IndexByte("+-", e.text[e.at]) >= 0 && e.at > from && e.text[e.at-1] == 'e')) {
		e.at++
	}
	if e.at > from {
		return strconv.ParseFloat(e.text[from:e.at], 64)
	}
	for e.at < len(e.text) && unicode.IsLetter(rune(e.text[e.at])) {
		e.at++
	}
	name := e.text[from:e.at]
	if name == "sqrt" {
		x, err := e.factor()
		return math.Sqrt(x), err
	}
	if x, ok := map[string]float64{"nan": math.NaN(), "inf": math.Inf(1), "pi": math.Pi}[strings.ToLower(name)]; ok {
		return x, nil
	}
	x, ok := e.vars[name]
	if !ok {
		return 0, fmt.Errorf("%q: unknown %q", e.text, e.text[from:])
	}
	return x, nil
}

func TestGoldenExpressions(t *testing.T) {
	for text, want := range map[string]float64{
		".05": 0.05, "-1/sqrt2": -1 / math.Sqrt2, "(n-2)": 5, "-1+2s": 0, "1e-6": 1e-6, "2*(1+n)/4": 4, "1.5e+2": 150, "sqrt(8)/2": math.Sqrt2, "3": 3,
	} {
		if got, err := evaluate(text, map[string]float64{"n": 7, "s": 0.5}); err != nil || math.Abs(got-want) > 1e-15*(1+math.Abs(want)) {
			t.Errorf("%s: got %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "x", "(1", "1)", "1/", "clean"} {
		if got, err := evaluate(text, nil); err == nil {
			t.Errorf("%q: got %v, want an error", text, got)
		}
	}
	cs, err := parseCalls("mean_impute(omega=.5, N0=900,80)>clip(1)>center>rank(clean)")
	if err != nil || len(cs) != 4 {
		t.Fatal(cs, err)
	}
	if c := cs[0]; c.number(9, "omega", 0) != 0.5 || c.number(0, "p", 0) != 80 || c.unread() == nil || c.whole(9, "n0|N0", 0) != 900 || c.unread() != nil {
		t.Errorf("got %+v", c)
	}
	if !cs[3].word("clean") || cs[3].unread() != nil || cs[2].number(0, "x", 7) != 7 {
		t.Errorf("got %+v, %+v", cs[2], cs[3])
	}
	for _, text := range []string{"", "f(", "f(a=b)", "f(a=1,a=2)", "f>"} {
		if _, err := parseCalls(text); err == nil {
			t.Errorf("%q: got no error", text)
		}
	}
}
