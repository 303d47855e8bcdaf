package stagetest_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/dpkit/stage/stagetest"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/single"
)

func TestRightStep(t *testing.T) {
	single.Goroutine(t)
	for _, floor := range []float64{0.01, 0.3} {
		stagetest.Attack(t, MaxAbs{floor, 1}, stagetest.Floor(0.95))
	}
	r, err := stagetest.Try(t.Context(), MaxAbs{0.01, 1})
	if err != nil || r.Domains < 5 || r.Pairs < 1000 || r.Norm < 0.99 {
		t.Errorf("got %v, %v", r, err)
	}
}

// TestWrongBoundIsFound: claims of half of what is right, and of a thousandth.
func TestWrongBoundIsFound(t *testing.T) {
	t.Parallel()
	for _, claim := range []float64{0.5, 1e-3} {
		_, err := stagetest.Try(t.Context(), MaxAbs{0.01, claim})
		if !errors.Is(err, stagetest.ErrBroken) {
			t.Fatalf("claims %g of its displacement: got %v", claim, err)
		}
		for _, says := range []string{"MaxAbs(0.01)", "measured", "claimed behind the step", "rows (", "1 * "} {
			if !strings.Contains(err.Error(), says) {
				t.Errorf("the error lacks %q: %v", says, err)
			}
		}
	}
}

// recorder is a test that may fail.
type recorder struct {
	testing.TB
	failed string
}

func (r *recorder) Errorf(format string, args ...any) { r.failed += fmt.Sprintf(format, args...) }

func TestAttackFailsTheTest(t *testing.T) {
	t.Parallel()
	r := &recorder{TB: t}
	stagetest.Attack(r, MaxAbs{0.01, 0.5})
	if !strings.Contains(r.failed, stagetest.ErrBroken.Error()) {
		t.Errorf("got %q", r.failed)
	}
	r = &recorder{TB: t}
	stagetest.Attack(r, MaxAbs{0.01, 40}, stagetest.Floor(0.55))
	if !strings.Contains(r.failed, stagetest.ErrIdle.Error()) {
		t.Errorf("a claim of 40 times what is right: got %q", r.failed)
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	line, err := frames.NewSchema(frames.Numeric("x", -1, 1))
	if err != nil {
		t.Fatal(err)
	}
	town, err := frames.NewSchema(frames.Category("town", "a", "b"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := stagetest.Try(t.Context(), MaxAbs{0.1, 1}, stagetest.On(line), stagetest.Rows(5), stagetest.Pairs(200), stagetest.Seed(3))
	if err != nil || r.Domains != 1 {
		t.Errorf("got %v, %v", r, err)
	}
	if _, err := stagetest.Try(t.Context(), MaxAbs{0.1, 1}, stagetest.On(town)); err == nil || !strings.Contains(err.Error(), "want columns of numbers") {
		t.Errorf("a domain that the step refuses: got %v", err)
	}
	if _, err := stagetest.Try(t.Context(), MaxAbs{0.1, 1}, stagetest.Rows()); err == nil {
		t.Error("no size: got no error")
	}
	if _, err := stagetest.Try(t.Context(), never{}); !errors.Is(err, stagetest.ErrNoDomain) {
		t.Errorf("got %v, want ErrNoDomain", err)
	}
	// Half of the claim is enough where no column's largest value changes by much.
	calm := func(b *frames.Block) bool {
		most := 0.0
		for i := range b.Rows {
			most = max(most, b.Row(i)[0], -b.Row(i)[0])
		}
		return most > 0.9
	}
	if _, err := stagetest.Try(t.Context(), MaxAbs{0.1, 0.5}, stagetest.On(line), stagetest.Within(calm)); err != nil {
		t.Errorf("within the condition: %v", err)
	}
}

// TestAttackSeesSomething: an attack that no pair gives anything to see fails, unless its author says why.
func TestAttackSeesSomething(t *testing.T) {
	t.Parallel()
	line, err := frames.NewSchema(frames.Numeric("x", -1, 1))
	if err != nil {
		t.Fatal(err)
	}
	none := stagetest.Within(func(*frames.Block) bool { return false })
	still := leaning{name: "still", weight: func(int, int) float64 { return 0 }}
	for _, c := range []struct {
		name    string
		step    stage.Preprocessor
		options []stagetest.Option
		want    string // "" where nothing is wrong
	}{
		{"no pair within the condition", MaxAbs{0.1, 1}, []stagetest.Option{none}, "no pair meets the condition"},
		{"a fit that moves nothing, and claims to", still, nil, "nothing of the displacement that it claims of rows as they come"},
		{"with a reason", still, []stagetest.Option{stagetest.Unattained("its weights are 0")}, ""},
		{"without one", still, []stagetest.Option{stagetest.Unattained("")}, "stagetest.Unattained(why)"},
		{"points", MaxAbs{0.1, 1}, []stagetest.Option{stagetest.Points(0.7, 0.123)}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := stagetest.Try(t.Context(), c.step, append(c.options, stagetest.On(line), stagetest.Pairs(300))...)
			if c.want == "" {
				if err != nil {
					t.Error(err)
				}
			} else if !errors.Is(err, stagetest.ErrIdle) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want ErrIdle with %q", err, c.want)
			}
		})
	}
}

// never accepts no domain.
type never struct{ MaxAbs }

func (never) Check(in frames.Schema) (frames.Schema, error) {
	return in, errors.New("no domain is good enough")
}
