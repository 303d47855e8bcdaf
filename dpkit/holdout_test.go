package dpkit

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/frames"
)

// sideOf are the rows that reach the end of a chain.
func sideOf(t testing.TB, p Pipeline) [][]float64 {
	t.Helper()
	stages, end, err := p.trace()
	if err != nil {
		t.Fatal(err)
	}
	a, err := quote{stages: stages, end: end, place: p.s.place, second: p.s.tables.source, held: p.s.held}.apply(t.Context(), p.s.src, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := must(rows.Materialise(t.Context(), a.rows, a.rows.Schema(), rows.SameRow))
	var out [][]float64
	for i := range m.Rows() {
		row := slices.Clone(m.Row(i))
		if m.Y != nil {
			row = append(row, m.Y[i])
		}
		if m.IsEmpty(i) {
			row = nil
		}
		out = append(out, row)
	}
	return out
}

// numbered are rows that say which they are.
func numbered(t testing.TB, n int) *frames.Frame {
	t.Helper()
	table := make([][]float64, n)
	for i := range table {
		table[i] = []float64{float64(i), float64(i % 2)}
	}
	return frameOf(t, mustSchema(frames.Numeric("x", 0, float64(n)), frames.Label("y", "no", "yes")), table)
}

// TestHoldoutLooksAtPlaces: both sides together are all rows, of the sizes that are asked for, and who is where hangs on nothing that rows
// hold; a table that is read from its file, and one in blocks, is split alike.
func TestHoldoutLooksAtPlaces(t *testing.T) {
	for _, n := range []int{4, 10, 1000} {
		for _, share := range []float64{0.2, 0.5, 0.75} {
			s := demo(t, numbered(t, n))
			train, test := s.Data().Holdout(share)
			aside := int(math.Round(share * float64(n)))
			a, b := sideOf(t, train), sideOf(t, test)
			if n == 4 && aside < 1 {
				continue
			}
			if len(a) != n-aside || len(b) != aside {
				t.Errorf("n = %d, share %g: %d and %d rows", n, share, len(a), len(b))
			}
			seen := map[float64]bool{}
			for _, row := range append(slices.Clone(a), b...) {
				seen[row[0]] = true
			}
			if len(seen) != n || !slices.IsSortedFunc(a, func(x, y []float64) int { return int(x[0] - y[0]) }) {
				t.Errorf("n = %d, share %g: the sides together have %d of the rows", n, share, len(seen))
			}
			must(0, s.Memory(128))
			if got := sideOf(t, test); !slices.EqualFunc(got, b, slices.Equal) {
				t.Errorf("n = %d, share %g: other rows where they are not held in memory", n, share)
			}
		}
	}
}

// TestHoldoutOfPeople: behind PerPerson and behind Bound the same people are set aside, with all of their rows.
func TestHoldoutOfPeople(t *testing.T) {
	s := must(Demo(visitFrame(t, []visit{
		{who: 0, stay: 1}, {who: 0, stay: 1}, {who: 1, stay: 2}, {who: 2, stay: 3}, {who: 3, stay: 4}, {who: 4, stay: 5}, {who: 4, stay: 5}, {who: 5, stay: 6}, {who: 6, stay: 7}, {who: 7, stay: 8},
	}), 1, ReplaceOne))
	stays := func(all [][]float64) (out []float64) {
		for _, row := range all {
			if row != nil && !slices.Contains(out, row[0]) {
				out = append(out, row[0])
			}
		}
		return out
	}
	_, one := s.Data().PerPerson(MeanOf{Column: "stay"}).Holdout(0.5)
	_, several := s.Data().Bound(Contributing{Rows: 3}).Select("stay").Holdout(0.5)
	if a, b := stays(sideOf(t, one)), stays(sideOf(t, several)); len(a) != 4 || !slices.Equal(a, b) {
		t.Errorf("set aside are %v behind PerPerson and %v behind Bound, want the same 4", a, b)
	}
	if got := len(sideOf(t, several)); got != 12 {
		t.Errorf("%d places, want 3 of each of 4 people", got)
	}
}

// TestHoldoutIsChargedOnce: both sides cost what the dearer one does, all rows add up, and so does another split; another order of the rows
// is another split.
func TestHoldoutIsChargedOnce(t *testing.T) {
	path := ledgerPath(t)
	f := numbered(t, 200)
	s := private(t, f, path, Budget{Epsilon: 3, Delta: 1e-5})
	train, test := s.Data().Holdout(0.2)
	target := Target{Epsilon: 1, Delta: 1e-6}
	release := func(p Plan[Estimates]) float64 {
		t.Helper()
		return must(p.Release(t.Context())).Status.Spent.Epsilon
	}
	one := release(train.Histogram("y", target))
	if both := release(test.Histogram("y", target)); both != one {
		t.Errorf("one side spent %v, both %v", one, both)
	}
	r := must(Together(target, test.Histogram("y", Target{}).Named("one"), test.Mean(Target{})).Release(t.Context()))
	more := r.Status.Spent.Epsilon
	if again := release(train.Histogram("y", target).Named("again")); !(more > one) || math.Abs(again-more) > 0.01 {
		t.Errorf("a second release of a side spent %v, of both %v, want about the same", more, again)
	}
	mixed := must(Together(Target{Epsilon: 0.5, Delta: 1e-6}, train.Histogram("y", Target{}), test.Histogram("y", Target{})).Release(t.Context())).Status.Spent.Epsilon
	if !(mixed > more*1.01) {
		t.Errorf("one release of both sides took the spent ε from %v to %v, want it charged in full", more, mixed)
	}
	other, _ := s.Data().Holdout(0.3)
	if got := release(other.Histogram("y", Target{Epsilon: 0.1, Delta: 1e-6})); !(got > mixed) {
		t.Errorf("another split spent %v after %v", got, mixed)
	}
	for _, e := range must(s.ledger.Entries()) {
		if (e.Split == "") != (e.Part == "") || e.Split == "" && !strings.Contains(e.Mechanism, "Together") {
			t.Errorf("%s: split %q, part %q", e.Mechanism, e.Split, e.Part)
		}
	}
	// The same cells in another order, of which no release has read the column x but one: the split is another.
	reversed := make([][]float64, f.Rows())
	for i := range reversed {
		at := len(reversed) - 1 - i
		reversed[i] = []float64{float64(at), float64(at % 2)}
	}
	fresh := private(t, frameOf(t, f.Schema(), reversed), ledgerPath(t), Budget{Epsilon: 3, Delta: 1e-5})
	ra, _ := fresh.Data().Holdout(0.2)
	qa := must(ra.Histogram("y", target).plan().quote())
	a, _, err := fresh.part(t.Context(), qa)
	if err != nil {
		t.Fatal(err)
	}
	if b, _, _ := s.part(t.Context(), must(train.Histogram("y", target).plan().quote())); a == b {
		t.Error("another order of the rows is the same split")
	}
}

// TestHoldoutErrors: what would read both sides is refused with what to do.
func TestHoldoutErrors(t *testing.T) {
	s := demo(t, tinyFrame(t, 60, 1))
	target := Target{Epsilon: 1, Delta: 1e-6}
	data := s.Data()
	train := func(p Pipeline, share float64) Pipeline { a, _ := p.Holdout(share); return a }
	for name, c := range map[string]struct {
		p    Pipeline
		says string
		is   error
	}{
		"means of both sides":   {train(data.OneHot().Impute(Mean{}), 0.2), "put Holdout before it", ErrOrder},
		"a private query":       {train(data.OneHot().Impute(Midpoint{}).Standardize(PrivateStandard{Share: 0.1, Floor: 0.1}), 0.2), "may read rows of both sides", ErrOrder},
		"duplicates of both":    {train(data.Dedup(Exact{}), 0.2), "put Holdout before it", ErrOrder},
		"a split of a split":    {train(train(data, 0.2), 0.2), "one split of the people has two sides", ErrOrder},
		"no share":              {train(data, 0), "share", ErrParameter},
		"a share that is none":  {train(data, math.NaN()), "share", ErrParameter},
		"all of them":           {train(data, 1), "share", ErrParameter},
		"nobody":                {train(data, 0.001), "want at least 1 on each side", ErrParameter},
		"a step of the user's":  {train(data.With(custom{}), 0.2), "step 1", ErrOrder},
		"rows of people":        {train(must(Demo(visitFrame(t, hostileVisits(rand.New(rand.NewPCG(1, 16)), 10)), 1, ReplaceOne)).Data(), 0.2), "by PerPerson(…)", ErrOrder},
		"a side without a name": {must(ParsePipeline(s, `Holdout(0.2, "both")`)), `got "both"`, ErrParameter},
	} {
		_, err := c.p.Gram(target).Cost()
		if !errors.Is(err, c.is) || !strings.Contains(fmt.Sprint(err), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := train(data, 0.2).OneHot().Impute(Midpoint{}).Gram(Target{Epsilon: 1, Delta: 1e-6}).Audit(t.Context(), GramMatrix{}); !errors.Is(err, ErrParameter) {
		t.Errorf("an audit of one side: %v", err)
	}
}

// TestHoldoutFitsOneSide: what a chain of one side makes of its rows is the same whatever the other side holds.
func TestHoldoutFitsOneSide(t *testing.T) {
	const n = 50
	for _, rel := range []accountant.Neighbours{ReplaceOne, AddRemove} {
		plain := make([][]float64, n)
		for i := range plain {
			plain[i] = []float64{float64(i), float64(i % 2)}
		}
		schema := mustSchema(frames.Numeric("x", 0, 1000), frames.Label("y", "no", "yes"))
		chain := func(table [][]float64) (train, test [][]float64) {
			a, b := must(Demo(frameOf(t, schema, table), 1, rel)).Data().Holdout(0.2)
			return sideOf(t, a.Standardize(Standard{Floor: 0.5}).ClipNorm(1)), sideOf(t, b.Standardize(Standard{Floor: 0.5}).ClipNorm(1))
		}
		a, b := chain(plain)
		moved := 0
		for at := range n {
			planted := slices.Clone(plain)
			planted[at] = []float64{1000, float64(1 - at%2)}
			x, y := chain(planted)
			sameTrain, sameTest := slices.EqualFunc(a, x, slices.Equal), slices.EqualFunc(b, y, slices.Equal)
			if sameTrain == sameTest {
				t.Fatalf("row %d changed both sides, or none: train as it was %v, test %v", at, sameTrain, sameTest)
			}
			if sameTrain {
				moved++
			}
		}
		if moved != n/5 {
			t.Errorf("%d rows are of the test side, want %d", moved, n/5)
		}
	}
}

// TestScoreReadsOneSide: the score of a model does not change with a row of the side that it was fitted to, whatever that row is planted as,
// and changes with the rows that are set aside.
func TestScoreReadsOneSide(t *testing.T) {
	const n = 60
	schema := mustSchema(frames.Numeric("x", 0, 1000), frames.Label("y", "no", "yes"))
	table := make([][]float64, n)
	for i := range table {
		table[i] = []float64{float64(i), float64(i % 2)}
	}
	score := func(table [][]float64) Score {
		_, test := must(Demo(frameOf(t, schema, table), 1, ReplaceOne)).Data().Holdout(0.2)
		m := tiltedModel(test, 0, 1, -30) // by hand, as if a release had made it
		return must(test.Score(Target{Epsilon: 4, Delta: 1e-6}, m).Release(t.Context())).Value
	}
	plain, changed := score(table), 0
	aside := rows.Drawn(n, n/5)
	for at := range n {
		planted := slices.Clone(table)
		planted[at] = []float64{1000, float64(1 - at%2)}
		if same := reflect.DeepEqual(score(planted), plain); same == aside[at] {
			t.Errorf("row %d, set aside %v: the score with it planted is the same %v", at, aside[at], same)
		} else if !same {
			changed++
		}
	}
	if changed != n/5 || plain.Rows != n/5 {
		t.Errorf("%d rows change the score of %d, want %d", changed, plain.Rows, n/5)
	}
}

// TestScoreRefusesWhatWasSeen: a model of the same data is scored on the other side of its split, and nowhere else; of other data, anywhere.
func TestScoreRefusesWhatWasSeen(t *testing.T) {
	f := tinyFrame(t, 400, 3)
	o := ByObjective{Epsilon: 1, Delta: 1e-7}
	target := Target{Epsilon: 1, Delta: 1e-7}
	fitted := func(p Pipeline) Plan[LogisticModel] { return p.Select("age").Scale().FitLogistic(o) }
	s := private(t, f, ledgerPath(t), Budget{Epsilon: 8, Delta: 1e-5})
	train, test := s.Data().Holdout(0.25)
	other, _ := s.Data().Holdout(0.5)
	model := must(fitted(train).Release(t.Context())).Value
	all := must(fitted(s.Data()).Release(t.Context())).Value
	if _, err := test.Score(target, model).Release(t.Context()); err != nil {
		t.Error(err)
	}
	for name, plan := range map[string]Plan[Score]{
		"all rows": test.Score(target, all), "its own side": train.Score(target, model), "another split": other.Score(target, model), "no split": s.Data().Score(target, model),
	} {
		if _, err := plan.Cost(); !errors.Is(err, ErrOrder) {
			t.Errorf("%s: %v", name, err)
		}
	}
	elsewhere := must(Create(tinyFrame(t, 300, 5), Options{Ledger: ledgerPath(t), Budget: Budget{Epsilon: 9, Delta: 1e-5}, Neighbours: ReplaceOne, Dataset: "elsewhere"}))
	defer elsewhere.Close()
	if c := must(elsewhere.Data().Score(target, model).Cost()); c.Guarantee.Scope.Kind != accountant.Unconditional {
		t.Errorf("a released model of other data: %v", c.Guarantee.Scope)
	}
	if c := must(elsewhere.Data().Score(target, tiltedModel(elsewhere.Data(), 0, 1, 0)).Cost()); c.Guarantee.Scope.Kind != accountant.Conditional {
		t.Errorf("a model that nobody released: %v", c.Guarantee.Scope)
	}
	if _, err := test.Score(Target{Epsilon: 1, Noise: NoiseLaplace}, model).Cost(); !errors.Is(err, ErrParameter) {
		t.Errorf("Laplace noise: %v", err)
	}
	if _, err := test.Score(target, nil).Cost(); !errors.Is(err, ErrParameter) {
		t.Errorf("no model: %v", err)
	}
}

// TestHoldoutIsKnownByItsOrder: the parts of a table in another order are the same cells to a ledger, and set other rows aside: a release of a side
// is another one, and charged.
func TestHoldoutIsKnownByItsOrder(t *testing.T) {
	a, b := tinyFrame(t, 40, 1), tinyFrame(t, 40, 2)
	target := Target{Epsilon: 0.5, Delta: 1e-6}
	for name, ask := range map[string]func(train, test Pipeline) (replayed bool, spent float64){
		"one side": func(train, _ Pipeline) (bool, float64) {
			r := must(train.Histogram("work", target).Release(t.Context()))
			return r.Replayed, r.Status.Spent.Epsilon
		},
		"both at once": func(train, test Pipeline) (bool, float64) {
			r := must(Together(target, train.Histogram("work", Target{}), test.Histogram("work", Target{})).Release(t.Context()))
			return r.Replayed, r.Status.Spent.Epsilon
		},
	} {
		path := ledgerPath(t)
		var spent []float64
		for i, order := range [][]frames.Source{{a, b}, {a, b}, {b, a}} {
			src := must(frames.Concat(order...))
			var s *Session
			if i == 0 {
				s = must(Create(src, Options{Ledger: path, Budget: Budget{Epsilon: 3, Delta: 1e-5}, Neighbours: ReplaceOne, Dataset: "test"}))
			} else {
				s = must(Open(src, path))
			}
			replayed, of := ask(s.Data().Holdout(0.2))
			must(0, s.Close())
			if spent = append(spent, of); replayed != (i == 1) {
				t.Errorf("%s, session %d: replayed %v", name, i+1, replayed)
			}
		}
		if spent[0] != spent[1] || !(spent[2] > spent[1]*1.2) {
			t.Errorf("%s: spent %v, want another charge for another order alone", name, spent)
		}
	}
}

// TestHoldoutBesideTexts: a table with a column of texts is split, joined and scored, by a model that brings the levels of the texts.
func TestHoldoutBesideTexts(t *testing.T) {
	var b strings.Builder
	b.WriteString("code,ward,stay,back\n")
	for i := range 300 {
		fmt.Fprintf(&b, "%s,%c,%d,%s\n", []string{"E11", "I10", "J45"}[i%3], 'a'+rune(i%2), i%10, []string{"no", "yes"}[i%2])
	}
	schema := mustSchema(frames.Text("code"), frames.Category("ward", "a", "b"), frames.Numeric("stay", 0, 10), frames.Label("back", "no", "yes"))
	s := must(Demo(must(frames.ParseCSV(strings.NewReader(b.String()), "visits", schema, frames.CSVOptions{Header: true})), 1, ReplaceOne))
	wards := frames.Public(must(frames.ParseCSV(strings.NewReader("ward,beds\na,3\nb,4\n"), "wards", mustSchema(frames.Category("ward", "a", "b"), frames.Numeric("beds", 0, 10)), frames.CSVOptions{Header: true})))
	target := Target{Epsilon: 2, Delta: 1e-6}
	train, test := s.Data().Holdout(0.2)
	model := must(train.Codebook("code", "other", "E11", "I10").OneHot().Scale().FitLogistic(ByGradient{Epsilon: 2, Delta: 1e-6}).Release(t.Context())).Value
	score := must(test.Score(target, model).Release(t.Context())).Value
	if m := must(score.Measure(ScoreAccuracy, 0.95)); score.Rows != 60 || !(m.Low <= m.Value && m.Value <= m.High) {
		t.Errorf("%d rows, accuracy %+v", score.Rows, m)
	}
	other := model
	other.Intercept++
	if _, err := test.Choose(Target{Epsilon: 1}, model, other).Cost(); err != nil {
		t.Error(err)
	}
	if got := must(train.Join(wards, "ward").By("ward").Mean("beds").Table(target).Release(t.Context())).Value; len(got.Groups) != 2 {
		t.Errorf("groups %v", got.Groups)
	}
	if _, err := s.Data().Join(wards, "code").By("ward").Count().Table(target).Cost(); err == nil {
		t.Error("joined by a column of texts")
	}
}

// TestHoldoutCountsPeople: a side counts its people in groups, and every row of theirs, as both sides together do all; whether its table is held or
// read in blocks that cut people in two.
func TestHoldoutCountsPeople(t *testing.T) {
	var all []visit
	for who := range 700 {
		for k := range 1 + who%9 {
			all = append(all, visit{who: who, ward: (who + k) % 3, stay: float64(k)})
		}
	}
	s := must(OnPublic(frames.Public(visitFrame(t, all))))
	ask := func(p Pipeline) Table {
		return must(p.By("ward").People().Count().Sum("stay").Table(Target{Epsilon: 1, Delta: 1e-6}).Release(t.Context())).Value
	}
	data := s.Data().Impute(Fixed{Value: 0}, "stay").Bound(Contributing{Rows: 9})
	var held [2]Table
	for _, bytes := range []int{1 << 24, 128} {
		must(0, s.Memory(bytes))
		train, test := data.Holdout(0.3)
		whole, a, b := ask(data), ask(train), ask(test)
		if bytes == 128 && !(reflect.DeepEqual(a.People, held[0].People) && reflect.DeepEqual(b.Sums, held[1].Sums)) {
			t.Error("a side in blocks differs from one in memory")
		}
		held = [2]Table{a, b}
		for g := range whole.Groups {
			if whole.People[g] != a.People[g]+b.People[g] || whole.Counts[g] != a.Counts[g]+b.Counts[g] || math.Abs(whole.Sums[0][g]-a.Sums[0][g]-b.Sums[0][g]) > 1e-9 {
				t.Errorf("group %d: %v, %v and %v people", g, whole.People[g], a.People[g], b.People[g])
			}
		}
		if a.Persons != 490 || b.Persons != 210 || a.Rows != 9*490 {
			t.Errorf("%d and %d people in %d places", a.Persons, b.Persons, a.Rows)
		}
	}
}

// TestTogetherOfBothSides: plans of both sides in one release are charged to everybody, and the cost says so before anything is spent.
func TestTogetherOfBothSides(t *testing.T) {
	data := demo(t, numbered(t, 200)).Data()
	train, test := data.Holdout(0.2)
	other, _ := data.Holdout(0.3)
	target := Target{Epsilon: 1, Delta: 1e-6}
	for name, c := range map[string]struct {
		plans []AnyPlan
		warns bool
	}{
		"both sides":       {[]AnyPlan{train.Histogram("y", Target{}), data.Mean(Target{}), test.Histogram("y", Target{})}, true},
		"one side":         {[]AnyPlan{train.Histogram("y", Target{}), train.Mean(Target{})}, false},
		"different splits": {[]AnyPlan{test.Histogram("y", Target{}), other.Histogram("y", Target{})}, false},
	} {
		text := must(Together(target, c.plans...).Explain())
		if strings.Contains(text, "both sides of Holdout(0.2)") != c.warns {
			t.Errorf("%s: want a warning %v in\n%s", name, c.warns, text)
		}
	}
}
