package dpkit

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/ledger"
	"github.com/dpkit-go/dpnb/frames"
)

// pureSession has a ledger that keeps a part of ε for pure releases.
func pureSession(t *testing.T, path string, pure float64) *Session {
	t.Helper()
	s := must(Create(tinyFrame(t, 2000, 5), Options{
		Ledger: path, Budget: Budget{Epsilon: 6, Delta: 1e-6}, Pure: pure, Neighbours: ReplaceOne, Dataset: "law",
	}))
	t.Cleanup(func() { _ = s.Close() })
	return s
}

var lawTarget = Target{Epsilon: 1, Delta: 1e-6}

// TestLawIsChosenByConfiguration: few numbers get Laplace noise, counts geometric noise, from a ledger that keeps a part for it, and from no other; the law stands
// in the text, the cost and the value.
func TestLawIsChosenByConfiguration(t *testing.T) {
	t.Parallel()
	type session = func(t *testing.T) Pipeline
	with := func(pure float64) session {
		return func(t *testing.T) Pipeline { return pureSession(t, ledgerPath(t), pure).Data() }
	}
	demonstration := func(pure float64) session {
		return func(t *testing.T) Pipeline {
			return must(must(Demo(tinyFrame(t, 2000, 5), 1, ReplaceOne)).WithPure(pure)).Data()
		}
	}
	count := func(p Pipeline, t Target) Plan[Estimates] { return p.Count(t, Is("work", "a")) }
	explicit, dear, other := lawTarget, lawTarget, lawTarget
	explicit.Noise, dear.Delta, other.Delta = NoiseGaussian, 1e-9, 1e-7
	for _, c := range []struct {
		name   string
		on     session
		target Target
		plan   func(p Pipeline, t Target) Plan[Estimates]
		want   Noise
	}{
		{"count", with(2), lawTarget, count, NoiseGeometric},
		{"count of the whole part", with(1), lawTarget, count, NoiseGeometric},
		{"count of more than the part", with(0.99), lawTarget, count, ""},
		{"no part", with(0), lawTarget, count, ""},
		{"asked for", with(2), explicit, count, NoiseGaussian},
		{"a δ below the ledger's: Gaussian noise is charged as less", with(2), dear, count, ""},
		{"demonstration", demonstration(2), lawTarget, count, NoiseGeometric},
		{"demonstration of no part", demonstration(0), lawTarget, count, ""},
		{"histogram", with(2), lawTarget, func(p Pipeline, t Target) Plan[Estimates] { return p.Histogram("work", t) }, NoiseGeometric},
		{"mean", with(2), lawTarget, func(p Pipeline, t Target) Plan[Estimates] { return p.Select("age").Mean(t) }, NoiseLaplace},
		{"sum", with(2), lawTarget, func(p Pipeline, t Target) Plan[Estimates] { return p.Sum(t, "age") }, NoiseLaplace},
		{"behind a fit", with(2), lawTarget, func(p Pipeline, t Target) Plan[Estimates] { return p.Select("age", "pay").Impute(Mean{}).Mean(t) }, NoiseLaplace},
		{"behind a private query", demonstration(2), lawTarget, func(p Pipeline, t Target) Plan[Estimates] {
			return p.Select("age").Standardize(PrivateStandard{Share: 0.3, Floor: 0.1}).Mean(t)
		}, ""},
		{"of a part of rows, whose number is private", demonstration(2), lawTarget, func(p Pipeline, t Target) Plan[Estimates] {
			return p.Select("age").Dedup(Exact{}).Mean(t)
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			plan := c.plan(c.on(t), c.target)
			if text := plan.String(); c.want != "" && !strings.Contains(text, fmt.Sprintf("Noise = %q", c.want)) || c.want == "" && strings.Contains(text, "Noise") {
				t.Errorf("the plan is %s", text)
			}
			cost := must(plan.Cost())
			if g := cost.Guarantee; g.Epsilon > c.target.Epsilon || (g.Delta == 0) != c.want.Pure() {
				t.Errorf("promised %v", g)
			}
			if got := must(plan.Release(t.Context())).Value; got.Noise != c.want {
				t.Errorf("noise %q, want %q", got.Noise, c.want)
			}
		})
	}
}

// TestLawOfManyColumnsStaysGaussian: the L1 norm of many columns costs more than a δ buys.
func TestLawOfManyColumnsStaysGaussian(t *testing.T) {
	for d, want := range map[int]bool{4: true, 30: false} {
		columns := []frames.Column{frames.NumericLabel("y", 0, 1)}
		for j := range d {
			columns = append(columns, frames.Numeric(fmt.Sprint("x", j), 0, 1))
		}
		f := frameOf(t, must(frames.NewSchema(columns...)), slices.Repeat([][]float64{make([]float64, d+1)}, 100))
		s := must(must(Demo(f, 1, ReplaceOne)).WithPure(2))
		if text := s.Data().Mean(lawTarget).String(); strings.Contains(text, "laplace") != want {
			t.Errorf("%d columns: the plan is %s", d, text)
		}
	}
}

// TestLawNeverCostsMore: whatever targets and deltas, what is charged for the law that was chosen is at most what Gaussian noise of the
// same target is charged as, up to a hundredth, and its error is at most that.
func TestLawNeverCostsMore(t *testing.T) {
	s := pureSession(t, ledgerPath(t), 3)
	chosen := 0
	for _, epsilon := range []float64{0.01, 0.1, 1, 3, 3.5} {
		for _, delta := range []float64{1e-12, 1e-7, 1e-6, 1e-5, 1e-3, 0.2} {
			target := Target{Epsilon: epsilon, Delta: delta}
			pl := s.Data().Count(target, Is("work", "a")).plan()
			q := must(pl.quote())
			target.Noise = NoiseGaussian
			g := must(s.Data().Count(target, Is("work", "a")).plan().quote())
			paid, would := must(s.ledger.Price(q.price.Event)), must(s.ledger.Price(g.price.Event))
			if !(paid.Epsilon <= 1.01*would.Epsilon) || !(q.made.Predicted.Size[0] <= g.made.Predicted.Size[0]) {
				t.Errorf("%v: charged %v for %v, error %v for %v", target, paid, would, q.made.Predicted.Size, g.made.Predicted.Size)
			}
			if pl.otherwise != nil {
				chosen++
				if q.price.Guarantee.Epsilon > 3 {
					t.Errorf("%v: beyond the part", target)
				}
			}
		}
	}
	if chosen < 8 {
		t.Errorf("a pure law was chosen %d times", chosen)
	}
}

// TestLawFallsBack: when the part for pure releases is full the same call is charged as a Gaussian, never as the Gaussian that covers
// Laplace noise; all of it replays afterwards, in any order, from the same file.
func TestLawFallsBack(t *testing.T) {
	path := ledgerPath(t)
	s := pureSession(t, path, 1.5)
	plan := func(s *Session, level string) Plan[Estimates] { return s.Data().Count(lawTarget, Is("work", level)) }
	first, second := must(plan(s, "a").Release(t.Context())), must(plan(s, "b").Release(t.Context()))
	if first.Value.Noise != NoiseGeometric || second.Value.Noise != "" || first.Guarantee.Delta != 0 || second.Guarantee.Delta != 1e-6 {
		t.Errorf("got %v and %v", first.Value, second.Value)
	}
	es := must(s.ledger.Entries())
	if es[0].Pure > 1 || es[0].Pure < 0.999 || es[1].Pure != 0 || !(es[1].Mu < 0.3) || strings.Contains(es[1].Mechanism, "geometric") {
		t.Errorf("charged %+v", es)
	}
	if c := must(plan(s, "b").Cost()); c.Guarantee.Delta != 1e-6 || c.Release.Sigma != second.Cost.Release.Sigma {
		t.Errorf("now it costs %v", c)
	}
	other := pureSession(t, path, 1.5)
	for _, s := range []*Session{other, s} {
		for _, level := range []string{"b", "a"} {
			r := must(plan(s, level).Release(t.Context()))
			want := first
			if level == "b" {
				want = second
			}
			if !r.Replayed || r.Value.Values[0] != want.Value.Values[0] || r.Entry != want.Entry || r.Guarantee.Delta != want.Guarantee.Delta || r.Cost.Release.Sigma != want.Value.Sigma[0] {
				t.Errorf("%s: replayed %+v, want %+v", level, r.Value, want.Value)
			}
		}
	}
	fresh := must(plan(s, "a").Fresh().Release(t.Context()))
	if fresh.Replayed || fresh.Value.Noise != "" {
		t.Errorf("anew: %+v", fresh)
	}
	if r := must(plan(s, "a").Release(t.Context())); !r.Replayed || r.Value.Values[0] != fresh.Value.Values[0] {
		t.Errorf("behind the new draw: %+v, want %+v", r.Value, fresh.Value)
	}
	if n := len(must(s.ledger.Entries())); n != 3 {
		t.Errorf("%d charges", n)
	}
}

// TestLawOfBefore: what a ledger stored of the same call by Gaussian noise, as versions before made it, replays at no cost.
func TestLawOfBefore(t *testing.T) {
	s := pureSession(t, ledgerPath(t), 2)
	for _, plan := range []Plan[Estimates]{
		s.Data().Count(lawTarget, Is("work", "a")), s.Data().Histogram("work", lawTarget).Named("levels"),
		s.Data().Sum(lawTarget, "age"), s.Data().Select("age").Mean(lawTarget),
	} {
		old := must(plan.plan().gaussian().release(t.Context()))
		r := must(plan.Release(t.Context()))
		if v := *old.Value.(*Estimates); !r.Replayed || r.Entry != old.Entry || r.Value.Values[0] != v.Values[0] || r.Value.Noise != "" || r.Cost.Release.Sigma != old.Cost.Release.Sigma {
			t.Errorf("%s: %+v, want %+v", plan, r, v)
		}
	}
	// And what was asked for by a pure law is the same release: versions before chose Laplace noise.
	for level, law := range map[string]Noise{"a": NoiseGeometric, "b": NoiseLaplace} {
		pure := must(s.Data().Count(Target{Epsilon: 1, Noise: law}, Is("work", level), Between("age", 20, 30)).Release(t.Context()))
		r := must(s.Data().Count(lawTarget, Is("work", level), Between("age", 20, 30)).Release(t.Context()))
		if !r.Replayed || r.Entry != pure.Entry || r.Value.Noise != law || r.Value.Values[0] != pure.Value.Values[0] {
			t.Errorf("%s: replayed %+v, want %+v", law, r, pure)
		}
	}
}

// TestLawWithin: a margin takes the law that keeps it at less ε.
func TestLawWithin(t *testing.T) {
	s := pureSession(t, ledgerPath(t), 2)
	target := Target{Delta: 1e-6}.Within(20, 0.95)
	plan := s.Data().Count(target, Is("work", "a"))
	gaussian := target
	gaussian.Noise = NoiseGaussian
	got, other := must(plan.Cost()), must(s.Data().Count(gaussian, Is("work", "a")).Cost())
	if !(got.Guarantee.Epsilon < other.Guarantee.Epsilon/2) || got.Guarantee.Delta != 0 {
		t.Errorf("ε = %g and %g", got.Guarantee.Epsilon, other.Guarantee.Epsilon)
	}
	if m := must(plan.Error(0.95)).Margin[0]; m > 20 || m < 19.5 {
		t.Errorf("within %g", m)
	}
}

// TestLawInAProject: a project without such a part would charge Laplace noise as what covers it.
func TestLawInAProject(t *testing.T) {
	dir := t.TempDir()
	budget := Budget{Epsilon: 6, Delta: 1e-6}
	for _, c := range []struct {
		name string
		pure float64
		want Noise
	}{{"none", 0, ""}, {"one", 1.2, NoiseGeometric}} {
		p := must(ledger.Create(filepath.Join(dir, c.name), ledger.Config{Budget: budget, Pure: c.pure, Neighbours: accountant.ReplaceOne, Dataset: c.name}))
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		s := must(Create(tinyFrame(t, 200, 5), Options{
			Ledger: filepath.Join(dir, c.name+"-child"), Budget: budget, Pure: 2, Neighbours: ReplaceOne, Dataset: "child", Project: c.name,
		}))
		t.Cleanup(func() { _ = s.Close() })
		if got := must(s.Data().Count(lawTarget, Is("work", "a")).Release(t.Context())).Value; got.Noise != c.want {
			t.Errorf("%s: noise %q, want %q", c.name, got.Noise, c.want)
		}
		if got := must(s.Data().Count(lawTarget, Is("work", "b")).Release(t.Context())).Value; got.Noise != "" { // the project's is full
			t.Errorf("%s: noise %q, want Gaussian", c.name, got.Noise)
		}
	}
}

func TestWithPureMistakes(t *testing.T) {
	d := must(Demo(tinyFrame(t, 20, 5), 1, ReplaceOne))
	for _, epsilon := range []float64{-1, math.NaN()} {
		if _, err := d.WithPure(epsilon); !errors.Is(err, ErrParameter) {
			t.Errorf("%g: got %v", epsilon, err)
		}
	}
	if _, err := pureSession(t, ledgerPath(t), 1).WithPure(1); !errors.Is(err, ErrParameter) {
		t.Errorf("a private session: %v", err)
	}
}
