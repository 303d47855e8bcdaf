package exercise

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/viz"
)

// EnvStrict is the environment variable under which an exercise that is not solved fails its test. Without
// it the test is skipped.
const EnvStrict = "NB_EXERCISES"

// C collects what a check finds wrong.
type C struct{ wrong []string }

// Errorf notes something wrong.
func (c *C) Errorf(format string, args ...any) {
	c.wrong = append(c.wrong, fmt.Sprintf(format, args...))
}

// Near wants got within tolerance of want.
func (c *C) Near(what string, got, want, tolerance float64) {
	if !(math.Abs(got-want) <= tolerance) {
		c.Errorf("%s: got %.6g, want %.6g", what, got, want)
	}
}

// Between wants got in [lo, hi].
func (c *C) Between(what string, got, lo, hi float64) {
	if !(got >= lo && got <= hi) {
		c.Errorf("%s: got %.6g, want a number from %.6g to %.6g", what, got, lo, hi)
	}
}

// True wants a condition to hold; otherwise it says the hint.
func (c *C) True(ok bool, hint string, args ...any) {
	if !ok {
		c.Errorf(hint, args...)
	}
}

// Equal wants got to be want.
func Equal[T comparable](c *C, what string, got, want T) {
	if got != want {
		c.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// run returns what the check finds wrong; a panic is wrong, too.
func run(check func(*C)) (wrong []string) {
	c := &C{}
	defer func() {
		if r := recover(); r != nil {
			c.Errorf("panic: %v", r)
		}
		wrong = c.wrong
	}()
	check(c)
	return c.wrong
}

// Test runs a check as a test. An exercise that is not solved skips the test, and fails it where [EnvStrict] is 1.
func Test(t *testing.T, check func(*C)) {
	t.Helper()
	wrong := run(check)
	switch text := strings.Join(wrong, "\n"); {
	case len(wrong) == 0:
	case os.Getenv(EnvStrict) == "1":
		t.Error(text)
	default:
		t.Skip("not solved yet: " + text)
	}
}

// Show runs a check and says how the exercise stands.
func Show(name string, check func(*C)) error { return view(name, check).Show() }

func view(name string, check func(*C)) viz.View {
	wrong := run(check)
	if len(wrong) == 0 {
		return viz.Table([]string{"exercise " + name, ""}, [][]string{{"✓ solved", ""}})
	}
	rows := make([][]string, len(wrong))
	for i, w := range wrong {
		rows[i] = []string{"not yet", w}
	}
	return viz.Table([]string{"exercise " + name, ""}, rows)
}
