package ledger

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
)

// of names the part of a split that a request reads.
func of(r Request, split, part string) Request {
	r.Split, r.Part = split, part
	return r
}

// TestSplitsAreChargedAsTheLargerSide: for every way in which somebody may be in parts, what is charged of them fits the budget, whatever was
// asked for before, and what is asked of a part is admitted if it fits for everybody who is in it.
func TestSplitsAreChargedAsTheLargerSide(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	sides := []string{"train", "test"}
	for range 60 {
		f, mu := testFilter(t, accountant.Budget{Epsilon: 1, Delta: 1e-6})
		var charged [3][3]float64 // Σμ² by the part of split 1 and of split 2; 2: of neither
		worst := func() (most float64) {
			for a := range 2 {
				for b := range 2 {
					most = max(most, charged[2][2]+charged[a][2]+charged[2][b])
				}
			}
			return most
		}
		for range 40 {
			m := mu * math.Pow(rng.Float64(), 2)
			s := rng.IntN(3)
			part := rng.IntN(2)
			split, side := "", ""
			after := charged
			switch s {
			case 0:
				after[2][2] += m * m
			case 1:
				split, side = "one", sides[part]
				after[part][2] += m * m
			case 2:
				split, side = "two", sides[part]
				after[2][part] += m * m
			}
			had := charged
			charged = after
			fits := worst() <= mu*mu*(1-1e-12)
			exceeds := worst() > mu*mu*(1+1e-12)
			admitted := f.of(split, side).refusal(cost{mu: m}) == ""
			if fits && !admitted || exceeds && admitted {
				// What is asked of one side may be admitted where the other is the dearest only if that one fits too, as it always does.
				t.Fatalf("μ = %v of %s %s: admitted %v, Σμ² of the dearest would be %v of %v", m, split, side, admitted, worst(), mu*mu)
			}
			if !admitted {
				charged = had
				continue
			}
			f.add(cost{mu: m}, split, side)
			if got := sum(f); math.Abs(got*got-worst()) > 1e-12*mu*mu {
				t.Fatalf("the sum is %v, want %v", got*got, worst())
			}
		}
		if !f.holds() {
			t.Fatal("the budget is exceeded")
		}
	}
}

// TestSplitInALedger: both parts of a split may take all of the budget, and everybody nothing more; a checkpoint, another process and the
// statement agree.
func TestSplitInALedger(t *testing.T) {
	l, err := create(tempPath(t), testConfig(), often(2))
	must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	mu := l.hist.filter.limit()
	mustRelease(t, l, of(request("train", mu*0.999), "holdout", "train"), `1`)
	one := mustStatus(t, l).Spent
	mustRelease(t, l, of(request("test", mu*0.999), "holdout", "test"), `2`)
	if got := mustStatus(t, l).Spent; got != one {
		t.Errorf("both sides cost %v, one side %v", got, one)
	}
	for name, r := range map[string]Request{
		"everybody":       request("all", mu/2),
		"another split":   of(request("x", mu/2), "other", "train"),
		"the same part":   of(request("y", mu/2), "holdout", "train"),
		"another version": on(of(request("z", mu/2), "holdout", "rest"), "b", "2"),
	} {
		if _, err := l.Release(t.Context(), r, draws(`3`, nil)); !errors.Is(err, ErrBudget) {
			t.Errorf("%s: %v, want that the budget does not cover it", name, err)
		}
	}
	mustRelease(t, l, of(request("third", mu*0.9), "holdout", "third"), `4`)
	b, err := os.ReadFile(l.path)
	must(t, err)
	h, err := bothWays(t, b, func(*header) []byte { return mustKey(t, l) })
	must(t, err)
	if len(h.slots) == 0 || h.filter.spent() != one.Epsilon || h.filter.of("\nholdout", "third").left() <= 0 || h.filter.left() > 0.1 {
		t.Errorf("by the checkpoint of %d charges spent %v, left %v of part three and %v of everybody", len(h.slots), h.filter.spent(), h.filter.of("\nholdout", "third").left(), h.filter.left())
	}
	s, err := l.Statement()
	must(t, err)
	if s.Releases[1].Split != 1 || s.Releases[1].Part != "test" || !s.Total.Holds || s.Total.Mu > mu {
		t.Errorf("statement %+v", s)
	}
}

// TestSplitsOfAProject: people of two datasets are split each in their own way.
func TestSplitsOfAProject(t *testing.T) {
	dir, p, c := project(t)
	a := mustCreate(t, filepath.Join(dir, "a.ledger"), c)
	b := mustCreate(t, filepath.Join(dir, "b.ledger"), c)
	mu := p.hist.filter.limit()
	mustRelease(t, a, of(request("a", mu*0.7), "holdout", "train"), `1`)
	mustRelease(t, a, of(request("b", mu*0.7), "holdout", "test"), `1`)
	mustRelease(t, b, of(request("c", mu*0.7), "holdout", "test"), `1`)
	mustStatus(t, p)
	if got := p.hist.filter.mu(); math.Abs(got-mu*math.Sqrt(0.98)) > 1e-9 {
		t.Errorf("the project's μ is %v, want %v", got, mu*math.Sqrt(0.98))
	}
	if _, err := b.Release(t.Context(), of(request("d", mu*0.3), "holdout", "test"), draws(`1`, nil)); !errors.Is(err, ErrBudget) {
		t.Errorf("got %v, want that the project's budget does not cover it", err)
	}
	mustRelease(t, b, of(request("e", mu*0.7), "holdout", "train"), `1`)
}

// TestSplitOfARequest: a part is named with its split.
func TestSplitOfARequest(t *testing.T) {
	l := mustCreate(t, tempPath(t), testConfig())
	for name, r := range map[string]Request{
		"no part": of(request("x", 0.1), "holdout", ""), "no split": of(request("x", 0.1), "", "train"), "two lines": of(request("x", 0.1), "a\nb", "train"),
	} {
		if _, err := l.Release(t.Context(), r, draws(`1`, nil)); err == nil {
			t.Errorf("%s: released", name)
		}
	}
}
